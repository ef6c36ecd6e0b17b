"""gRPC channels shared by many clients of one process.

A channel is one TCP connection; streams beyond the server's limit of a channel hang, so a
channel carries at most 100. Owner: whoever made the pool, on one event loop.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import grpc

from hall_client.tls import Tls
from paiju.wire.v1 import hall_pb2_grpc

MAX_STREAMS = 100
SECURE = "grpcs://"

OPTIONS: tuple[tuple[str, int], ...] = (
    # Without a pool of its own a second channel to the same address shares the connection.
    ("grpc.use_local_subchannel_pool", 1),
    # Our own Ping comes more often, so this only fires when the peer has gone silent.
    ("grpc.keepalive_time_ms", 60_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.max_receive_message_length", 8 * 1024 * 1024),
    ("grpc.enable_retries", 0),
)


@dataclass(slots=True)
class Lease:
    """One stream's place on a channel; give it back with `ChannelPool.release`."""

    address: str
    channel: grpc.aio.Channel
    streams: int = 0

    @property
    def stub(self) -> hall_pb2_grpc.HallAsyncStub:
        return hall_pb2_grpc.HallStub(self.channel)


class ChannelPool:
    """`async with` it, or call `close`."""

    def __init__(self, *, max_streams: int = MAX_STREAMS, tls: Tls | None = None) -> None:
        """tls: how certificates are checked; by default by the system's authorities."""
        self.tls = tls or Tls()
        self._max_streams = max_streams
        self._channels: dict[str, list[Lease]] = defaultdict(list)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def lease(self, address: str) -> Lease:
        """A place for one stream to "host:port", or by TLS to "grpcs://host:port"."""
        for lease in self._channels[address]:
            if lease.streams < self._max_streams:
                break
        else:
            lease = Lease(address, self._channel(address))
            self._channels[address].append(lease)
        lease.streams += 1
        return lease

    def _channel(self, address: str) -> grpc.aio.Channel:
        target = address.removeprefix(SECURE)
        if target == address:
            return grpc.aio.insecure_channel(address, options=OPTIONS)
        return grpc.aio.secure_channel(
            target, self.tls.credentials(), options=(*OPTIONS, *self.tls.options())
        )

    def release(self, lease: Lease) -> None:
        lease.streams -= 1

    async def close(self) -> None:
        channels = [lease.channel for leases in self._channels.values() for lease in leases]
        self._channels.clear()
        for channel in channels:
            await channel.close()
