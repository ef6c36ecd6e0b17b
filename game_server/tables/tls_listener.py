"""The host's TCP port with mutual TLS: who shows no certificate of the cell is not let in.

Connections are accepted here and not by asyncio's server, so that each new one gets the
certificate files as they are then, and so that a handshake that fails is seen and counted.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable

import structlog

from paiju.wire.tls.files import Watched
from paiju.wire.tls.identity import GAME_SERVER, Identity, NotYours
from paiju.wire.tls.sockets import peer_of, server_context

log = structlog.get_logger()

HANDSHAKE_S = 5.0
AT_ONCE = 64
"""Handshakes under way; others wait in the kernel's queue."""
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter, Identity], Awaitable[None]]


class TlsListener:
    """refused: called with a reason for each connection that was not let in."""

    def __init__(
        self,
        *,
        watched: Watched,
        cell: str,
        serve: Serve,
        refused: Callable[[str], object],
    ) -> None:
        self._watched = watched
        self._cell = cell
        self._serve = serve
        self._refused = refused
        self._context = server_context(watched.files, mutual=True)
        self._version = watched.version
        self._tasks: set[asyncio.Task[None]] = set()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._socket: socket.socket | None = None

    def listen(self, host: str) -> int:
        """On a port that the system chooses; which one. Raises OSError."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, 0), family=family)
        self._socket.setblocking(False)
        self._spawn(self._accept(self._socket))
        return int(self._socket.getsockname()[1])

    def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        if self._socket is not None:
            self._socket.close()

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._places.acquire()
            try:
                connection, _ = await loop.sock_accept(listening)
            except OSError as error:  # the peer is gone, or we have too many files open
                self._places.release()
                log.warning("tls.accept_failed", error=error.strerror)
                await asyncio.sleep(0.1)
                continue
            self._spawn(self._shake_hands(connection))

    async def _shake_hands(self, connection: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(loop=loop)
        protocol = asyncio.StreamReaderProtocol(reader, self._let_in, loop=loop)
        try:
            await loop.connect_accepted_socket(
                lambda: protocol,
                connection,
                ssl=self._now(),
                ssl_handshake_timeout=HANDSHAKE_S,
            )
        except ssl.SSLError as error:
            self._refuse(_reason(error))
        except OSError:  # cut, or silent for too long
            self._refuse("cut")
        finally:
            self._places.release()

    def _now(self) -> ssl.SSLContext:
        self._watched.current()
        if self._watched.version != self._version:
            self._context = server_context(self._watched.files, mutual=True)
            self._version = self._watched.version
        return self._context

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            peer = peer_of(writer.get_extra_info("ssl_object"))
            if peer.role != GAME_SERVER:
                raise NotYours("role")
            if peer.cell != self._cell:
                raise NotYours("cell")
        except NotYours as refused:
            self._refuse(refused.reason)
            writer.transport.abort()
            return
        await self._serve(reader, writer, peer)

    def _refuse(self, reason: str) -> None:
        self._refused(reason)
        log.warning("link.peer_refused", reason=reason)


def _reason(error: ssl.SSLError) -> str:
    """Of few words: it is a metric's label."""
    if error.reason == "PEER_DID_NOT_RETURN_A_CERTIFICATE":
        return "no_certificate"
    if error.reason in ("CERTIFICATE_VERIFY_FAILED", "TLSV1_ALERT_UNKNOWN_CA"):
        return "unknown_authority"
    return "handshake"
