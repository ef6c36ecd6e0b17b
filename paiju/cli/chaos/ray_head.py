"""Ray's head is away under play: its control process alone, or the whole machine it is on.

The tables are on another machine, which plays on: no connection ends, no table is interrupted,
and the processes of the hosts stay the same. In two further blows a host dies while the head is
away; Ray starts it again when the head is back. In the last the head comes back without its
memory, and all hosts come back from their journals (docs/contracts/rays-head.md).
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import text

from game_server.supervisor import orphans
from hall_client.events import Event, Noticed
from hall_client.load.outage import summary
from paiju.cli.cell import HEAD, SECOND, CellHall
from paiju.cli.chaos.scenario import Scenario, Setup, Stage, until


@dataclass(frozen=True)
class Blow:
    """machine: all of the head's is away, not the control process alone. dies: a host does,
    meanwhile. forgets: the machine comes back without what the head knew."""

    machine: bool
    dies: bool = False
    forgets: bool = False


BLOWS = (
    Blow(machine=False),
    Blow(machine=True),
    Blow(machine=False, dies=True),
    Blow(machine=True, dies=True),
    Blow(machine=True, forgets=True),
)
HEAD_UP_WITHIN_S = 60.0
_TABLES = text("SELECT DISTINCT table_id FROM sitting WHERE closed_us = 0")
ROOT = Path(__file__).resolve().parents[3]


class KillRayHead(Scenario):
    """Recovered: from the moment at which the head listens again until a host that died is
    back, per table; `names_ms` until Ray finds all hosts by their names. `forgotten_ms`: from the
    same moment until the tables are back when the head has forgotten all."""

    down_s = 10.0
    blows = len(BLOWS)

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        setup.hall = partial(CellHall, head_hosts=0, head_takes_players=False)

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        assert isinstance(stage.hall, CellHall)
        self._cell = stage.hall
        self._turns = itertools.cycle(BLOWS)
        self._returned = 0.0
        self._names: list[float] = []
        self._unnamed = False
        self._blow = BLOWS[0]
        self._dies = ""
        self._forgotten: list[float] = []
        self._before = 0  # samples
        self._pids: dict[str, int] = {}
        self._changed: set[str] = set()
        self._interrupted: set[int] = set()
        stage.watchers.append(self._saw)

    async def strike(self) -> None:
        self._blow = next(self._turns)
        self._before = len(self.outage.samples)
        self._pids, self._unnamed = self._hosts(), True
        self._dies = min(self._pids) if self._blow.dies else ""
        async with self._machine_away() if self._blow.machine else self._control_away():
            if self._blow.forgets:
                self.outage.struck_tables(self._tables())
                await asyncio.to_thread(shutil.rmtree, self._cell.folder / "ray-memory")
            if self._dies:
                self.outage.struck_tables(self._tables())
                os.kill(self._pids[self._dies], signal.SIGKILL)
            await asyncio.sleep(self.away_s)
        await until(self._listens, HEAD_UP_WITHIN_S)
        self._returned = time.monotonic()
        self.outage.from_now()

    async def back(self) -> bool:
        if self.outage.waiting or not self._cell.is_up(HEAD):
            return False
        now = self._hosts()
        if now.keys() != self._pids.keys():
            return False
        new = {name for name, pid in now.items() if pid != self._pids[name]}
        must = set(now) if self._blow.forgets else {self._dies} - {""}
        if not must <= new:
            return False
        self._changed |= new - must
        if self._unnamed:
            if not set(now) <= set(await _names(self._cell.folder)):
                return False
            self._names.append(time.monotonic() - self._returned)
            self._unnamed = False
        if self._blow.forgets:
            self._forgotten += self.outage.samples[self._before :]
            del self.outage.samples[self._before :]
        return True

    @contextlib.asynccontextmanager
    async def _control_away(self) -> AsyncIterator[None]:
        """The node of Ray that would start it again stands still meanwhile."""
        node = self._cell.processes["ray"]
        os.kill(node, signal.SIGSTOP)
        try:
            for pid in orphans.descendants(node):
                if _program(pid) == "gcs_server":
                    os.kill(pid, signal.SIGKILL)
            yield
        finally:
            os.kill(node, signal.SIGCONT)

    @contextlib.asynccontextmanager
    async def _machine_away(self) -> AsyncIterator[None]:
        with self._cell.held_down(HEAD):
            self._cell.kill(HEAD)
            yield

    def _hosts(self) -> dict[str, int]:
        found = self._cell.processes.items()
        return {name: pid for name, pid in found if name.startswith(f"{SECOND}-")}

    def _tables(self) -> set[int]:
        with self.stage.engine.connect() as connection:
            return set(connection.execute(_TABLES).scalars())

    def _listens(self) -> bool:
        host, _, port = self._cell.ray_address.rpartition(":")
        with contextlib.suppress(OSError), socket.create_connection((host, int(port)), 0.5):
            return True
        return False

    def _saw(self, bot: int, event: Event) -> None:
        expected = self._blow.dies or self._blow.forgets
        if isinstance(event, Noticed) and event.code == "TABLE_RECOVERING" and not expected:
            self._interrupted.add(bot)

    def figures(self) -> Mapping[str, Any]:
        return {
            "names_ms": summary(self._names),
            "forgotten_ms": summary(self._forgotten),
            "tables_interrupted": len(self._interrupted),
            "hosts_changed": sorted(self._changed),
        }

    def broken(self) -> Sequence[str]:
        found = {
            "players saw their table recover": bool(self._interrupted),
            "hosts were started anew": bool(self._changed),
        }
        return [text for text, wrong in found.items() if wrong]


def _program(pid: int) -> str:
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0]
        return Path(os.fsdecode(command)).name
    return ""


async def _names(folder: Path) -> list[str]:
    """Hosts that Ray finds by name; [] when it does not answer."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "paiju.cli.chaos.names", str(folder)),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), 30)
        names: list[str] = json.loads(said)
    except (TimeoutError, ValueError):
        names = []
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return names
