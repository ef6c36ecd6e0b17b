"""The WebSocket edge for browsers: each binary message is one sealed frame.

A connection costs one task, which writes; picows calls us for what comes in. What is no
binary message of a bearable size ends the connection with a counted reason. While the peer
does not take what we send the task waits, and the session's outbox does what it does for any
slow player.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from http import HTTPStatus

from picows import (
    WSCloseCode,
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    WSUpgradeResponse,
    WSUpgradeResponseWithListener,
    ws_create_server,
)

from game_server.gateway.connection import Connection
from game_server.gateway.gateway import Gateway
from paiju.service.red import Red
from paiju.wire import protocol
from paiju.wire.tls.files import LOOK_EVERY_S, BadTls, Watched
from paiju.wire.tls.sockets import load

LINGER_S = 3.0
"""So long may the last frame of a closed session take."""
MAX_FRAME_BYTES = 4 * protocol.MAX_PACKET_BYTES
UPGRADE_S = 5.0
CALL = "PlayWs"
_OVER = {
    "seal_forged": WSCloseCode.POLICY_VIOLATION,
    "oversize": WSCloseCode.MESSAGE_TOO_BIG,
}


class Player(WSListener):
    """One connection. `forwarded`: what the request says of where it comes from. edge: "ws", or
    "wss" by TLS."""

    def __init__(self, gateway: Gateway, red: Red, forwarded: str, edge: str) -> None:
        self._gateway = gateway
        self._red = red
        self._forwarded = forwarded
        self._edge = edge
        self._connection: Connection | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._writing: asyncio.Task[None] | None = None

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._red.calls.labels(CALL).inc()
        peer = transport.underlying_transport.get_extra_info("peername")
        address = str(peer[0]) if peer else ""
        connection = self._gateway.connect(address, self._forwarded, edge=self._edge)
        if connection is None:
            self._red.errors.labels(CALL, "RESOURCE_EXHAUSTED").inc()
            transport.send_close(WSCloseCode.TRY_AGAIN_LATER, b"SERVER_FULL")
            transport.disconnect()
            return
        self._connection = connection
        self._writing = asyncio.create_task(self._write(transport, connection), name="ws-play")

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        connection = self._connection
        if connection is None or frame.msg_type in (WSMsgType.PING, WSMsgType.PONG):
            return
        if frame.msg_type == WSMsgType.CLOSE:
            transport.disconnect()
        elif frame.msg_type != WSMsgType.BINARY or not frame.fin:
            connection.lost("not_binary")
        else:
            self._gateway.metrics.bytes_in.inc(frame.payload_size)
            connection.receive(frame.get_payload_as_bytes())

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        if self._connection is not None:
            self._connection.lost()
        self._writable.set()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def _write(self, transport: WSTransport, connection: Connection) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as limit:
                connection.on_close = lambda: limit.reschedule(loop.time() + LINGER_S)
                while (frame := await connection.next_frame()) is not None:
                    await self._writable.wait()
                    transport.send(WSMsgType.BINARY, frame)
                await self._writable.wait()
            code = _OVER.get(connection.reason, WSCloseCode.OK)
            transport.send_close(code)
            transport.disconnect()
        except TimeoutError:
            self._red.errors.labels(CALL, "ABORTED").inc()
            transport.disconnect(graceful=False)
        finally:
            connection.lost()


async def serve(
    gateway: Gateway, listen: str, *, tls: ssl.SSLContext | None = None
) -> asyncio.Server:
    """Listen for browsers on "address:port"; port 0: chosen by the system."""
    red = gateway.metrics.red

    def arrived(request: WSUpgradeRequest) -> Player | WSUpgradeResponseWithListener:
        if request.path not in (b"/", b"/play"):
            response = WSUpgradeResponse.create_error_response(HTTPStatus.NOT_FOUND)
            return WSUpgradeResponseWithListener(response, None)
        forwarded = ",".join(request.headers.getall("x-forwarded-for", ()))
        return Player(gateway, red, forwarded, "ws" if tls is None else "wss")

    host, _, port = listen.rpartition(":")
    return await ws_create_server(
        arrived,
        host.strip("[]"),
        int(port),
        ssl=tls,
        ssl_handshake_timeout=None if tls is None else UPGRADE_S,
        websocket_handshake_timeout=UPGRADE_S,
        max_frame_size=MAX_FRAME_BYTES,
        # Peers that vanish without a word are noticed here; a session has its own pings.
        enable_auto_ping=True,
        auto_ping_idle_timeout=20,
        auto_ping_reply_timeout=10,
        start_serving=True,
    )


def port_of(server: asyncio.Server) -> int:
    """Where it listens."""
    return int(server.sockets[0].getsockname()[1])


async def renew(context: ssl.SSLContext, watched: Watched) -> None:
    """For ever: new connections get the certificate as its files are by then."""
    version = watched.version
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        watched.current()
        if watched.version != version:
            version = watched.version
            with contextlib.suppress(BadTls):  # changed again: the next look sees that
                load(context, watched.files)
