"""The gRPC edge: `Hall.Play` as a thin coat around a Connection.

A stream costs two tasks: this handler writes, its child reads. The handler ends when the
connection has nothing more to say; CancelledError is raised again, for a handler that
swallows it leaks. A packet carries one sealed frame. What is above the packet limit, but not
by much, still reaches the session, which answers before it closes; gRPC itself cuts what is
larger.
"""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from grpc_health.v1 import health

from game_server.gateway.connection import Connection
from game_server.gateway.gateway import Gateway
from paiju.service.red import Red
from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2, hall_pb2_grpc

LINGER_S = 3.0
"""So long may the last packet of a closed session take."""

OPTIONS = [
    ("grpc.max_receive_message_length", 4 * protocol.MAX_PACKET_BYTES),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Clients may ping as often as every 5 s without being sent away with too_many_pings.
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 5),
    ("grpc.max_concurrent_streams", 1_000),
    ("grpc.so_reuseport", 0),
    # Nobody compresses, so nobody needs to: 64 KiB that unpack to 50 MB are refused unopened.
    ("grpc.compression_enabled_algorithms_bitset", 1),
    # A connection that greets nobody, or that carries no call, is not kept.
    ("grpc.server_handshake_timeout_ms", 5_000),
    ("grpc.max_connection_idle_ms", 60_000),
]


class Probe(health.aio.HealthServicer):  # type: ignore[misc]  # it comes without types
    """Answers `Check`. `Watch` is not served: streams that no limit counts, for anybody."""

    async def Watch(self, request: Any, context: Any) -> None:
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, "ask Check")


class HallEdge(hall_pb2_grpc.HallServicer):
    def __init__(self, gateway: Gateway, red: Red) -> None:
        self._gateway = gateway
        self._calls = red.calls.labels("Play")
        self._errors = red.errors
        self._bytes_in = gateway.metrics.bytes_in

    async def Play(  # type: ignore[override]
        self, request_iterator: Any, context: Any
    ) -> None:
        """See hall.proto: one connection of one player."""
        self._calls.inc()
        connection = self._gateway.connect(_address(context.peer()), _forwarded(context))
        if connection is None:
            self._errors.labels("Play", "RESOURCE_EXHAUSTED").inc()
            context.set_trailing_metadata((("retry-after-ms", "5000"),))
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "SERVER_FULL")
            return
        reading = asyncio.create_task(self._read(context, connection))
        try:
            await self._write(context, connection)
        except TimeoutError:
            connection.lost()
            await self._give_up(context, connection.reason)
        except grpc.aio.InternalError:
            pass  # the call ended while a packet was on its way
        finally:
            connection.lost()
            reading.cancel()

    async def _write(self, context: Any, connection: Connection) -> None:
        async with asyncio.timeout(None) as limit:
            connection.on_close = lambda: limit.reschedule(
                asyncio.get_running_loop().time() + LINGER_S
            )
            while (frame := await connection.next_frame()) is not None:
                await context.write(hall_pb2.Packet(data=frame))

    async def _give_up(self, context: Any, reason: str) -> None:
        """End a call whose peer does not take our packets.

        The status waits behind them in the transport, until the peer reads or its connection
        dies; nothing of ours waits with it.
        """
        self._errors.labels("Play", "ABORTED").inc()
        try:
            async with asyncio.timeout(LINGER_S):
                await context.abort(grpc.StatusCode.ABORTED, reason)
        except TimeoutError:
            raise asyncio.CancelledError from None

    async def _read(self, context: Any, connection: Connection) -> None:
        try:
            while (packet := await context.read()) is not grpc.aio.EOF:
                self._bytes_in.inc(len(packet.data))
                connection.receive(packet.data)
                if connection.reason:
                    return
        except grpc.RpcError:
            pass
        connection.lost()


def _address(peer: str) -> str:
    """The address without port: "ipv4:1.2.3.4:5" -> "1.2.3.4"."""
    kind, _, rest = peer.partition(":")
    if kind in ("ipv4", "ipv6"):
        return rest.rpartition(":")[0].replace("%5B", "").replace("%5D", "").strip("[]")
    return peer


def _forwarded(context: Any) -> str:
    """What a proxy says of where the call comes from."""
    metadata = context.invocation_metadata() or ()
    return ",".join(str(value) for key, value in metadata if key == "x-forwarded-for")


def add(gateway: Gateway, server: grpc.aio.Server) -> None:
    """Serve `Hall` on this server."""
    hall_pb2_grpc.add_HallServicer_to_server(HallEdge(gateway, gateway.metrics.red), server)
