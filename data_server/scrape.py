"""The metrics endpoint: answers every GET with the metrics of a registry.

It runs in the event loop and not in a thread, because gauges read live objects of the loop.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest

READ_S = 5.0
MAX_LINES = 100


class Scrape:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
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
                method = (await reader.readline()).split(b" ", 1)[0]
                for _ in range(MAX_LINES):
                    if await reader.readline() in (b"\r\n", b"\n", b""):
                        break
                writer.write(self._response(method))
                await writer.drain()
        writer.close()

    def _response(self, method: bytes) -> bytes:
        if method not in (b"GET", b"HEAD"):
            return b"HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\n\r\n"
        body = generate_latest(self._registry)
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: {CONTENT_TYPE_LATEST}\r\n"
            f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        ).encode()
        return head if method == b"HEAD" else head + body
