"""What a scenario is: what it needs of the hall, what it strikes, and when that is over.

A scenario is made when the hall runs and the bots arrive. The run calls `begin` once, then
`strike` and `back` in turn, then `end`, and asks for `figures` and `broken`.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from sqlalchemy import Engine

from hall_client.events import Event
from hall_client.load.booked import Booked
from hall_client.load.driver import Driver
from hall_client.load.evidence import ActionLog
from hall_client.load.outage import Outage
from paiju.cli.chaos.network import Network
from paiju.cli.local import LocalHall


@dataclass(kw_only=True)
class Setup:
    """How the hall is started; `Scenario.set_up` changes it. folder: for files of scenarios."""

    folder: Path
    database: str
    down_s: float | None
    """How long what is struck stays away; None: as long as the scenario thinks fit."""
    settings: dict[str, str] = field(default_factory=dict)
    """Of all programs, by name."""
    network: Network | None = None
    """Between clients and gateways, game server and data server."""
    hall: Callable[..., LocalHall] = LocalHall
    """What makes the hall; called with what LocalHall takes."""
    python_path: list[str] = field(default_factory=list)
    """Before that of this process."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What runs. gateways: addresses as clients know them, in the order of the hall's own."""

    setup: Setup
    hall: LocalHall
    gateways: Sequence[str]
    driver: Driver
    outage: Outage
    log: ActionLog
    engine: Engine
    watchers: list[Callable[[int, Event], None]]
    """Told every event of every bot, by its number."""


class Scenario:
    """See the module's head. down_s: unless the caller said something else."""

    down_s: ClassVar[float] = 0.0
    blows: int = 1
    """So many at least, however short the run."""
    cuts: bool = False
    """Whether it may end connections of players."""

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        """Say what the hall must have. Raises BadParameter when it cannot be had."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hall = stage.hall
        self.outage = stage.outage
        wished = stage.setup.down_s
        self.away_s = self.down_s if wished is None else wished
        self._turn = 0

    async def begin(self) -> None:
        """The bots play: bring what else is needed."""

    async def strike(self) -> None:
        """One blow; returns when what was struck may come back."""
        raise NotImplementedError

    async def back(self) -> bool:
        """Whether everything is as before the blow. Asked until it says yes or time is over."""
        raise NotImplementedError

    def may_cut(self) -> bool:
        """Whether connections of players may end now."""
        return self.cuts

    async def end(self) -> None:
        """No further blow: take away what `begin` has brought."""

    @property
    def void_hands(self) -> Collection[tuple[int, int]]:
        """(table, hand) of hands that this scenario meant to be void."""
        return ()

    def figures(self) -> Mapping[str, Any]:
        """What else it has to tell."""
        return {}

    def broken(self) -> Sequence[str]:
        """What it promised and did not hold, in words."""
        return ()

    def next_of(self, names: Sequence[str]) -> str:
        """One after the other, blow by blow."""
        self._turn += 1
        return names[(self._turn - 1) % len(names)]


class KillProcess(Scenario):
    """One process of the hall dies by SIGKILL."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._struck = ("", 0)  # name and pid

    async def back(self) -> bool:
        """Clients have what they had, and the process is there again."""
        name, pid = self._struck
        return self.outage.waiting == 0 and self.hall.processes.get(name, 0) not in (0, pid)

    def kill(self, name: str) -> None:
        pid = self.hall.processes[name]
        os.kill(pid, signal.SIGKILL)
        self._struck = (name, pid)


async def until(condition: Callable[[], bool], within_s: float) -> bool:
    """Whether it came true in time; looked at often."""
    end = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.005)
    return True


def booked(stage: Stage) -> Booked:
    """The hands that the bots have seen end, on their way into the ledger."""
    return Booked(stage.engine, stage.driver.finished)
