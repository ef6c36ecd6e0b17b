"""The host's end of the streams from gateways: opening, frames in, frames out.

Each link has a bounded queue; when a gateway does not read, its stream is cut and it
subscribes again with its cursors, so that one slow gateway never delays the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import structlog

from game_server.tables.tls_listener import TlsListener
from paiju.service.refusals import Refused
from paiju.wire import frames
from paiju.wire import link as opening
from paiju.wire.tls.files import Watched
from paiju.wire.tls.identity import Identity
from paiju.wire.v1 import host_pb2

log = structlog.get_logger()

OPEN_DEADLINE_S = 5.0
QUEUE_BYTES = 8 * 1024 * 1024
"""Unsent bytes to one gateway above which its stream is cut."""


class Link:
    """One open stream. `send` queues an event; all of one loop tick go out as one frame.

    on_cut: called when a gateway does not read, before its stream is closed.
    """

    def __init__(
        self, *, gateway: str, writer: asyncio.StreamWriter, on_cut: Callable[[], object]
    ) -> None:
        self.gateway = gateway
        self._writer = writer
        self._on_cut = on_cut
        self._events: list[bytes] = []
        self._closed = False

    def send(self, event: bytes) -> None:
        """Queue a serialized HostEvent."""
        if self._closed:
            return
        if not self._events:
            asyncio.get_running_loop().call_soon(self._flush)
        self._events.append(event)

    def _flush(self) -> None:
        events, self._events = self._events, []
        if self._closed:
            return
        self._writer.write(frames.pack(frames.server_frame(events)))
        if self._writer.transport.get_write_buffer_size() > QUEUE_BYTES:
            log.warning("link.overflow", gateway=self.gateway)
            self._on_cut()
            self.close()

    @property
    def closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Cut the stream; the reader ends and tells the host."""
        if not self._closed:
            self._closed = True
            self._writer.transport.abort()


class LinkServer:
    """Listens on a Unix socket and, when asked to, on TCP.

    peers: certificate files; then TCP is mutual TLS, and on_refused is called with a reason for
    each connection that was not let in.
    on_cut: called for each stream that is cut because its gateway does not read.
    on_outdated: called when a gateway of the cell asks for a newer epoch of this host: the
    registry has begun one, and sends nobody here any more.
    """

    def __init__(
        self,
        *,
        cell: str,
        host: str,
        epoch: int,
        secret: bytes,
        peers: Watched | None = None,
        on_refused: Callable[[str], object] = lambda _: None,
        on_open: Callable[[Link], None],
        on_command: Callable[[Link, host_pb2.HostCommand], None],
        on_close: Callable[[Link], None],
        on_cut: Callable[[], object] = lambda: None,
        on_outdated: Callable[[], None] = lambda: None,
    ) -> None:
        self._cell = cell
        self._host = host
        self.epoch = epoch  # raised when the registry asks for a higher one
        self._secret = secret
        self._on_open = on_open
        self._on_command = on_command
        self._on_close = on_close
        self._on_cut = on_cut
        self._peers = peers
        self._on_refused = on_refused
        self._on_outdated = on_outdated
        self._servers: list[asyncio.Server] = []
        self._secure: TlsListener | None = None
        self._links: set[Link] = set()
        self.tcp_address = ""
        self._admitting = asyncio.Event()

    def admit(self) -> None:
        """The host is there: streams are opened from now on, those that waited first."""
        self._admitting.set()

    async def listen(self, *, unix_path: str, tcp_host: str = "") -> None:
        """Begin to listen; tcp_host "" means no TCP, a port is chosen by the system."""
        Path(unix_path).unlink(missing_ok=True)
        self._servers.append(await asyncio.start_unix_server(self._serve, unix_path))
        if tcp_host and self._peers is not None:
            self._secure = TlsListener(
                watched=self._peers,
                cell=self._cell,
                serve=self._serve_peer,
                refused=self._on_refused,
            )
            self.tcp_address = f"{tcp_host}:{self._secure.listen(tcp_host)}"
        elif tcp_host:
            server = await asyncio.start_server(self._serve, tcp_host, 0)
            self._servers.append(server)
            self.tcp_address = f"{tcp_host}:{server.sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        for server in self._servers:
            server.close()
        if self._secure is not None:
            self._secure.close()
        for link in list(self._links):
            link.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await self._serve_peer(reader, writer, None)

    async def _serve_peer(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Identity | None,
    ) -> None:
        """peer: whom the certificate names; None on the Unix socket and without TLS."""
        link: Link | None = None
        try:
            async with asyncio.timeout(OPEN_DEADLINE_S):
                await self._admitting.wait()
                link = await self._open(reader, writer, peer)
            if link is None:
                return
            self._links.add(link)
            self._on_open(link)
            while True:
                frame = host_pb2.GatewayFrame.FromString(await frames.read_frame(reader))
                for command in frame.commands:
                    self._on_command(link, command)
        except (asyncio.IncompleteReadError, ConnectionError, TimeoutError):
            pass
        except Exception as error:
            log.warning("link.broken", error=repr(error))
        finally:
            if link is not None:
                link.close()
                self._links.discard(link)
                self._on_close(link)
            writer.transport.abort()

    async def _open(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        peer: Identity | None,
    ) -> Link | None:
        asked = opening.challenge()
        writer.write(frames.pack(asked.SerializeToString()))
        opened = host_pb2.LinkOpen.FromString(
            await frames.read_frame(reader, limit=opening.MAX_HANDSHAKE_BYTES)
        )
        accept = opening.accept(
            self._secret, asked, opened, cell=self._cell, host=self._host, epoch=self.epoch
        )
        if peer is not None and not peer.owns_gateway(opened.gateway):
            self._on_refused("gateway")
            refused = Refused("LINK_MISMATCH", detail="gateway of another server")
            accept = host_pb2.LinkAccept(refusal=refused.message())
        writer.write(frames.pack(accept.SerializeToString()))
        await writer.drain()
        if accept.HasField("refusal"):
            log.warning("link.refused", gateway=opened.gateway[:64], code=accept.refusal.code)
            if accept.refusal.code == "STALE_EPOCH" and opened.epoch > self.epoch:
                self._on_outdated()
            return None
        log.info("link.opened", gateway=opened.gateway)
        return Link(gateway=opened.gateway, writer=writer, on_cut=self._on_cut)
