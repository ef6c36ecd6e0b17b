"""A link over a WebSocket: each binary message is one frame."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from typing import Any

from picows import WSError, WSFrame, WSListener, WSMsgType, WSTransport, ws_connect

from hall_client.link import LinkLost
from hall_client.tls import Tls
from paiju.wire.records import MAX_PAYLOAD_BYTES

CONNECT_S = 5.0
FRAMES_WAITING = 256
"""So many frames may wait for the reader; then the socket is not read any more."""


class WsLink(WSListener):
    """See link.Link. url: "ws://host:port" or "wss://host:port"; tls is for the latter."""

    def __init__(self, url: str, tls: Tls | None = None) -> None:
        self._url = url
        self._tls = (tls or Tls()) if url.startswith("wss://") else None
        self._transport: WSTransport | None = None
        self._frames: deque[bytes] = deque()
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._lost = ""

    async def open(self) -> None:
        try:
            async with asyncio.timeout(CONNECT_S):
                await ws_connect(
                    lambda: self,
                    self._url,
                    max_frame_size=2 * MAX_PAYLOAD_BYTES,
                    **self._secure(),
                )
        except (OSError, WSError, TimeoutError, ValueError) as error:
            raise LinkLost(f"{type(error).__name__}: {error}") from None
        if self._lost == "cut":  # while it was being made
            self.cut()
            raise LinkLost("cut")

    async def read(self) -> bytes | None:
        while not self._frames:
            if self._lost == "closed":
                return None
            if self._lost:
                raise LinkLost(self._lost)
            self._arrived.clear()
            await self._arrived.wait()
        frame = self._frames.popleft()
        if len(self._frames) == FRAMES_WAITING // 2:
            self._read_socket(True)
        return frame

    async def write(self, frame: bytes) -> None:
        await self._writable.wait()
        if self._lost or self._transport is None:
            raise LinkLost(self._lost or "not open")
        self._transport.send(WSMsgType.BINARY, frame)

    def cut(self) -> None:
        self._end("cut")
        if self._transport is not None:
            self._transport.disconnect(graceful=False)

    async def close(self) -> None:
        self.cut()

    # ---- from picows -----------------------------------------------------------------------

    def on_ws_connected(self, transport: WSTransport) -> None:
        self._transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type == WSMsgType.CLOSE:
            self._end("closed")
            transport.disconnect()
        elif frame.msg_type == WSMsgType.BINARY and frame.fin:
            self._frames.append(frame.get_payload_as_bytes())
            self._arrived.set()
            if len(self._frames) == FRAMES_WAITING:
                self._read_socket(False)
        elif frame.msg_type not in (WSMsgType.PING, WSMsgType.PONG):
            self._end("the gateway sent something that is no frame")
            transport.disconnect(graceful=False)

    def on_ws_disconnected(self, transport: WSTransport) -> None:
        self._end("the connection was lost")

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def _secure(self) -> dict[str, Any]:
        if self._tls is None:
            return {}
        named = {"server_hostname": self._tls.name} if self._tls.name else {}
        return {"ssl_context": self._tls.context(), **named}

    def _end(self, how: str) -> None:
        self._lost = self._lost or how
        self._arrived.set()
        self._writable.set()

    def _read_socket(self, on: bool) -> None:
        if self._transport is None or self._lost:
            return
        socket = self._transport.underlying_transport
        with contextlib.suppress(RuntimeError):
            (socket.resume_reading if on else socket.pause_reading)()
