"""One client of a load run: a bot, its measurements, its dropped connections."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable

from hall_client.bots.mind import Mind
from hall_client.bots.player import BotPlayer, Habits
from hall_client.client import HallClient
from hall_client.errors import Refused
from hall_client.events import Event
from hall_client.load.drops import DropPlan, When
from hall_client.load.evidence import ActionLog
from hall_client.table import TableHandle


class LoadBot:
    """`latencies` in seconds, one per action that was accepted.

    The clock of an action starts when it is handed to the client, whatever state the
    connection is in; a client that was cut in that moment counts with all its waiting.
    """

    def __init__(
        self,
        *,
        client: HallClient,
        mind: Mind,
        habits: Habits,
        seed: int,
        number: int,
        drops: DropPlan,
        log: ActionLog | None = None,
    ) -> None:
        self.client = client
        self.latencies: list[float] = []
        self.dropped = 0
        self.player = BotPlayer(
            client=client,
            mind=mind,
            habits=habits,
            choices=random.Random(f"{seed}/{number}/choices"),
            act=self._act,
        )
        self._drops = drops
        self._log = log or ActionLog()

    async def run(self) -> None:
        await self.player.run()

    async def _act(self, table: TableHandle, line: str) -> None:
        drop = self._drops.next()
        if drop is not None and drop.when is When.BEFORE:
            self._drop(drop.away_s)
        loop = asyncio.get_running_loop()
        begun = loop.time()
        place = (table.ref.table, table.hand, -1 if table.seat is None else table.seat)
        entry = self._log.begin(*place, line)
        sending = asyncio.create_task(table.act(line))
        if drop is not None and drop.when is When.DURING:
            await asyncio.sleep(0)  # the writer gets its turn first
            self._drop(drop.away_s)
        try:
            acted = await sending
        except Refused:
            self._log.refused(*place, entry)
            raise
        entry.seq = acted.seq
        self.latencies.append(await table.reached(acted.seq) - begun)
        if drop is not None and drop.when is When.AFTER:
            self._drop(drop.away_s)

    def _drop(self, away_s: float) -> None:
        self.dropped += 1
        self.client.drop(away_s=away_s)


def device_secret(run: str, number: int) -> bytes:
    """The same guest for the same run and number."""
    return hashlib.sha256(f"paiju load {run} {number}".encode()).digest()


def observer(*observers: Callable[[Event], None]) -> Callable[[Event], None]:
    """All are told, in order."""

    def told(event: Event) -> None:
        for one in observers:
            one(event)

    return told
