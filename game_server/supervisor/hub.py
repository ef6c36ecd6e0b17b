"""The machine's one metrics endpoint: children push to a Unix socket, Prometheus asks here.

What a child pushed last is kept for `SILENT_S`; then it counts as gone and its samples are
left out, so that a dead process never looks alive. Nothing else is kept.

`/health` is for who sends players here: 200 when Ray, gateways and hosts are ready. `/live` is
for who would start this program anew: 200 while its event loop turns. It mends its parts itself,
so a part that is away is no reason for that.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import structlog
from google.protobuf.message import DecodeError
from prometheus_client import CollectorRegistry, generate_latest

from game_server.metrics_push import SIGN
from game_server.supervisor import exposition
from paiju.wire import frames
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

SILENT_S = 10.0
MAX_PUSH_BYTES = 4 * 1024 * 1024
REQUEST_WITHIN_S = 5.0
MAX_REQUEST_BYTES = 8192
_TEXT = "text/plain; version=0.0.4; charset=utf-8"


class MetricsHub:
    """own: the supervisor's registry, shown as process `own_name`. heard: told of each sign of
    life of a host."""

    def __init__(
        self,
        *,
        own: CollectorRegistry,
        own_name: str,
        healthy: Callable[[], bool],
        heard: Callable[[data_pb2.HostCounts], None] = lambda counts: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.port = 0
        self._own = own
        self._own_name = own_name
        self._healthy = healthy
        self._heard = heard
        self._clock = clock
        self._last: dict[str, tuple[float, str]] = {}
        self._servers: list[asyncio.Server] = []
        self._open: set[asyncio.StreamWriter] = set()

    async def start(self, *, socket: Path, host: str, port: int) -> None:
        socket.unlink(missing_ok=True)
        self._servers.append(await asyncio.start_unix_server(self._take, socket))
        server = await asyncio.start_server(self._answer, host, port, limit=MAX_REQUEST_BYTES)
        self.port = server.sockets[0].getsockname()[1]
        self._servers.append(server)

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        for writer in list(self._open):
            writer.transport.abort()

    def pushed(self, payload: bytes) -> None:
        """One push: `# process NAME`, a newline, the exposition text; or a host's sign of life.
        ValueError: neither."""
        if payload.startswith(SIGN):
            try:
                self._heard(data_pb2.HostCounts.FromString(payload[len(SIGN) :]))
            except DecodeError:
                raise ValueError("that is no sign of life") from None
            return
        head, _, text = payload.decode("utf-8").partition("\n")
        mark, _, name = head.partition("# process ")
        if mark or not name.strip():
            raise ValueError("a push begins with `# process NAME`")
        self._last[name.strip()] = (self._clock(), text)

    def forget(self, process: str) -> None:
        """A new process of that name begins: what the old one said is over."""
        self._last.pop(process, None)

    def texts(self) -> dict[str, str]:
        """What the processes that are not silent said last."""
        now = self._clock()
        self._last = {n: (at, t) for n, (at, t) in self._last.items() if now - at < SILENT_S}
        return {name: text for name, (_, text) in sorted(self._last.items())}

    def merged(self) -> str:
        own = generate_latest(self._own).decode("utf-8")
        return exposition.merge({self._own_name: own, **self.texts()})

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            while True:
                self.pushed(await frames.read_frame(reader, limit=MAX_PUSH_BYTES))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except (ValueError, frames.FrameTooLarge) as error:
            log.warning("metrics.push_refused", error=str(error))
        finally:
            self._open.discard(writer)
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        try:
            async with asyncio.timeout(REQUEST_WITHIN_S):
                request = await reader.readuntil(b"\r\n\r\n")
                writer.write(self._response(request))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.transport.abort()
        finally:
            self._open.discard(writer)

    def _response(self, request: bytes) -> bytes:
        method, _, rest = request.partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            status, body = "405 Method Not Allowed", "only GET\n"
        elif path == b"/metrics":
            status, body = "200 OK", self.merged()
        elif path == b"/live":
            status, body = "200 OK", "alive\n"
        elif path == b"/health":
            fine = self._healthy()
            status = "200 OK" if fine else "503 Service Unavailable"
            body = "ready\n" if fine else "not ready\n"
        else:
            status, body = "404 Not Found", "/metrics, /health and /live are here\n"
        content = body.encode("utf-8")
        head = (
            f"HTTP/1.1 {status}\r\nContent-Type: {_TEXT}\r\n"
            f"Content-Length: {len(content)}\r\nConnection: close\r\n\r\n"
        )
        return head.encode("ascii") + (b"" if method == b"HEAD" else content)
