"""The gateway's side of mutual TLS to table hosts: whom it shows itself to be, whom it believes."""

from __future__ import annotations

import asyncio
import ssl

from paiju.wire.tls.files import Watched
from paiju.wire.tls.identity import GAME_SERVER, Identity, NotYours
from paiju.wire.tls.sockets import client_context, peer_of


class PeerTls:
    """Owner: the gateway's loop. A stream that stands keeps the certificate it began with."""

    def __init__(self, watched: Watched) -> None:
        self._watched = watched
        self._version = 0
        self._context: ssl.SSLContext | None = None

    def context(self) -> ssl.SSLContext:
        """For a new stream, of the files as they are now."""
        self._watched.current()
        if self._context is None or self._version != self._watched.version:
            self._context = client_context(self._watched.files)
            self._version = self._watched.version
        return self._context

    def check(self, writer: asyncio.StreamWriter, *, cell: str, server: str) -> None:
        """The host we reached must be on the server that the registry names. Raises NotYours."""
        found = peer_of(writer.get_extra_info("ssl_object"))
        if found.role != GAME_SERVER:
            raise NotYours("role")
        if found != Identity(cell, GAME_SERVER, server):
            raise NotYours("cell" if found.cell != cell else "server")
