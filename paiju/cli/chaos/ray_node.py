"""A machine dies under play: one of two game servers of a cell, all its processes at once.

Its tables come back on the other machine, which shares its journal; its players come in by the
other's gateway. Later the machine is there again and takes its tables home.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Mapping
from typing import Any

import typer
from sqlalchemy import text

from hall_client.events import Event, Noticed
from hall_client.load.outage import summary
from paiju.cli.cell import SECOND, CellHall
from paiju.cli.chaos.scenario import Scenario, Setup, Stage

_TABLES = text("SELECT DISTINCT table_id FROM sitting WHERE closed_us = 0 AND host LIKE :of")


class KillRayNode(Scenario):
    """Recovered: from the blow until each client of a table sees it in its new epoch.

    `home_ms` is the same for the way back, from when the first client was told of it.
    """

    down_s = 10.0
    cuts = True

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        if setup.database.startswith("sqlite://"):
            raise typer.BadParameter("machines share a PostgreSQL: --database postgresql")
        if setup.database == "sqlite":
            setup.database = "postgresql"
        setup.hall = _sharing

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        assert isinstance(stage.hall, CellHall)
        self._cell = stage.hall
        self._down = contextlib.ExitStack()
        self._at = 0.0
        self._returns = False
        self._before = 0  # samples of the outage before the machine was let come back
        self._home: list[float] = []
        self._leaves = False  # for home; nobody has been told yet
        stage.watchers.append(self._saw)

    async def strike(self) -> None:
        self._returns = False
        self._at = time.monotonic()
        self._down.enter_context(self._cell.held_down(SECOND))
        self.outage.struck_tables(self._tables())
        self._blow()

    def _blow(self) -> None:
        self._cell.kill(SECOND)

    async def back(self) -> bool:
        if self.outage.waiting:
            return False
        if not self._returns:
            if time.monotonic() < self._at + self.away_s:
                return False
            self._returns = True
            self._before = len(self.outage.samples)
            self.outage.struck_tables(self._tables())
            self._leaves = True
            self._down.close()
            return False
        if not self._cell.is_up(SECOND):
            return False
        self._home += self.outage.samples[self._before :]
        del self.outage.samples[self._before :]
        return True

    def _saw(self, bot: int, event: Event) -> None:
        if self._leaves and isinstance(event, Noticed) and event.code == "TABLE_RECOVERING":
            self._leaves = False
            self.outage.from_now()

    async def end(self) -> None:
        self._down.close()

    def _tables(self) -> set[int]:
        """Where players sit at tables of the machine, wherever its hosts run now."""
        with self.stage.engine.connect() as connection:
            return set(connection.execute(_TABLES, {"of": f"{SECOND}-%"}).scalars())

    def figures(self) -> Mapping[str, Any]:
        return {"home_ms": summary(self._home)}


class EndMachine(KillRayNode):
    """The same machine is shut down in order: it drains, and hands that are not over when it
    must end go on elsewhere."""

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        super().set_up(setup)
        setup.settings["drain_s"] = "2"

    def _blow(self) -> None:
        os.kill(self._cell.processes[SECOND], signal.SIGTERM)


def _sharing(**given: Any) -> CellHall:
    return CellHall(**{**given, "shared_journal": True})
