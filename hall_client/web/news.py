"""Versions of games that were published since this program started: their client parts.

Asked of a gateway, checked by the hashes that come over the sealed channel, kept in a folder
(hall_client/packages.py). Owner: the web server's loop.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from pathlib import Path

import structlog

from hall_client.client import HallClient
from hall_client.errors import HallError
from hall_client.packages import BadPart, PartStore
from hall_client.terminal.places import Hall
from hall_client.web.catalogue import Catalogue

PAUSE_S = 1.0
"""At least so long between two looks: a page asks when something has changed."""
_log = structlog.get_logger()


class News:
    """hall: the running one, None while none runs. folder: where the parts are kept."""

    def __init__(self, hall: Callable[[], Hall | None], catalogue: Catalogue, folder: Path) -> None:
        self._hall = hall
        self._catalogue = catalogue
        self._store = PartStore(folder)
        self._client: HallClient | None = None
        self._looking: asyncio.Task[None] | None = None
        self._next = 0.0

    def look(self) -> None:
        """See to it that soon all that is offered is here; at most one look at a time."""
        if self._looking is not None or time.monotonic() < self._next:
            return
        self._looking = asyncio.create_task(self._look())
        self._looking.add_done_callback(self._looked)

    def _looked(self, task: asyncio.Task[None]) -> None:
        self._looking = None
        self._next = time.monotonic() + PAUSE_S
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.warning("news.not_seen", error=repr(error))

    async def _look(self) -> None:
        client = await self._connected()
        if client is None:
            return
        for package, version in sorted(
            {(r.package, r.package_version) for r in await client.rooms()}
        ):
            if not package or self._catalogue.has(package, version):
                continue
            try:
                folder = await self._store.get(client, package, version)
            except (HallError, BadPart, OSError) as error:
                _log.warning("news.not_got", package=package, version=version, error=str(error))
                continue
            self._catalogue.add(package, version, folder)
            _log.info("news.got", package=package, version=version)

    async def _connected(self) -> HallClient | None:
        if self._client is None and (hall := self._hall()) is not None:
            client = HallClient(
                hall.gateways, server_keys=hall.server_keys, kind="web", tls=hall.tls
            )
            await client.connect()
            try:
                await client.guest(secrets.token_bytes(32))
            except BaseException:
                await client.close()
                raise
            self._client = client
        return self._client

    async def close(self) -> None:
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        if self._client is not None:
            await self._client.close()
