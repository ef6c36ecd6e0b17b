"""Robots that players of the page may call to their table.

They are clients like any other, so they can do nothing that a player cannot. Owner: the web
server's loop.
"""

from __future__ import annotations

import secrets

from hall_client.bots.mind import GameMind
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.terminal.company import Company
from hall_client.terminal.places import Hall
from paiju.rules.registry import Registry
from paiju.wire.v1 import common_pb2

LEAST_THOUGHT = 0.3
"""Of the longest."""
LONELY_S = 60.0


class TooManyRobots(Exception):
    """As many are playing as may."""


class Robots:
    """most: at a time. think_s: the longest they seem to think.

    They leave when the table has no hand any more for a while.
    """

    def __init__(self, hall: Hall, *, most: int, think_s: float) -> None:
        self._hall = hall
        self._most = most
        self._pool = ChannelPool(tls=hall.tls)
        self._secret = secrets.token_bytes(32)
        self._watcher: HallClient | None = None
        self._company = Company(
            addresses=hall.gateways,
            server_keys=hall.server_keys,
            secret=self._secret,
            mind=GameMind(Registry.default()),
            locale="en",
            think_s=(LEAST_THOUGHT * think_s, think_s),
            pool=self._pool,
            lonely_s=LONELY_S,
        )

    async def fill(self, ref: common_pb2.TableRef, *, key: str = "") -> int:
        """Sit down on the free seats of a table; how many did. Raises TooManyRobots, HallError.

        key: of a locked table, from somebody who knows it.
        """
        if self._company.playing >= self._most:
            raise TooManyRobots
        if self._watcher is None:
            watcher = HallClient(
                self._hall.gateways, server_keys=self._hall.server_keys, kind="web", pool=self._pool
            )
            await watcher.connect()
            self._watcher = watcher
            await watcher.guest(self._secret)
        table = await self._watcher.watch(ref, key=key)
        try:
            return await self._company.fill(table, key=key)
        finally:
            await table.unwatch()

    async def close(self) -> None:
        await self._company.__aexit__()
        if self._watcher is not None:
            await self._watcher.close()
        await self._pool.close()
