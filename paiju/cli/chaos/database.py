"""The database dies under its data server, refuses to write, or is slow: bookings wait for it,
play goes on; with the journals in it play waits, too, and nobody's clock runs.
"""

from __future__ import annotations

import asyncio
import time

import typer

from paiju.cli.chaos.scenario import Scenario, Setup, Stage, booked


class KillDatabase(Scenario):
    """PostgreSQL in turn: dead by SIGKILL, all its processes at once, and later started on what it
    left on disk; read-only; slow. SQLite: somebody keeps the file locked.

    Recovered: from its return until all hands that had ended are booked.
    """

    down_s = 3.0

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        if "://" in setup.database:
            raise typer.BadParameter("a database that somebody else runs is not struck")

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self.blows = max(1, len(self.hall.database.ways))
        self._booked = booked(stage)
        self._at: float | None = None

    async def strike(self) -> None:
        database = self.hall.database
        await asyncio.to_thread(database.strike, self.next_of(database.ways))
        await asyncio.sleep(self.away_s)
        self._at = time.monotonic()
        self._booked.mark()
        await asyncio.to_thread(database.come_back)

    async def back(self) -> bool:
        if not await self._booked.all():
            return False
        if self._at is not None:
            self.outage.samples.append(time.monotonic() - self._at)
            self._at = None
        return True
