"""The metrics endpoint, which also answers those who watch over processes.

| path | answer |
|---|---|
| `/live` | 200: the event loop turns; nothing else can mend a process than a new one |
| `/health` | 200 when calls are served; 503 while it starts and drains |
| any other | the metrics |

`/health` says nothing of the database: all data servers have the same one, and if it were away
and all of them with it, game servers would hear nothing in place of a typed refusal.

It runs in the event loop and not in a thread, because gauges read live objects of the loop.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

READ_S = 5.0
MAX_LINES = 100


class Scrape:
    """serving: whether calls are answered; quick, and never blocks."""

    def __init__(
        self, registry: CollectorRegistry, *, serving: Callable[[], bool] = lambda: True
    ) -> None:
        self._registry = registry
        self._serving = serving
        self._server: asyncio.Server | None = None

    async def start(self, host: str, port: int) -> int:
        """Listen; returns the port, which is a free one for 0."""
        self._server = await asyncio.start_server(self._answer, host, port, limit=8192)
        number: int = self._server.sockets[0].getsockname()[1]
        return number

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, ValueError, asyncio.IncompleteReadError):
            async with asyncio.timeout(READ_S):
                method, _, rest = (await reader.readline()).partition(b" ")
                for _ in range(MAX_LINES):
                    if await reader.readline() in (b"\r\n", b"\n", b""):
                        break
                writer.write(self._response(method, rest.partition(b" ")[0]))
                await writer.drain()
        writer.close()

    def _response(self, method: bytes, path: bytes) -> bytes:
        if method not in (b"GET", b"HEAD"):
            return b"HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n"
        status, body = "200 OK", b"ready\n"
        if path == b"/health":
            if not self._serving():
                status, body = "503 Service Unavailable", b"not serving\n"
        elif path != b"/live":
            body = generate_latest(self._registry)
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {CONTENT_TYPE_LATEST}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        return head if method == b"HEAD" else head + body
