"""Everything under play is started anew while it plays, by the command that operators have."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hall_client.load.gaps import Gaps
from paiju.cli.chaos.scenario import Scenario, Stage

ROOT = Path(__file__).resolve().parents[3]


class Roll(Scenario):
    """Recovered: the longest silence of each table from the beginning of the roll until it
    moved again after it."""

    cuts = True

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._gaps = Gaps()
        stage.watchers.append(self._gaps.saw)
        self._ended = 0.0
        self._told = False
        self._took: dict[str, float] = {}
        self._wrong: list[str] = []

    async def strike(self) -> None:
        before = self.hall.processes
        self._gaps.begin()
        self._told = False
        code, said = await _admin_roll(self.hall.folder)
        if code:
            self._wrong.append(f"the roll failed: {said}")
        else:
            self._took = json.loads(said)["seconds"]
        now, stay = self.hall.processes, {"game-server", "ray", "web"}
        old = [name for name, pid in before.items() if now.get(name) == pid and name not in stay]
        if old:
            self._wrong.append(f"not new: {', '.join(old)}")
        self._ended = time.monotonic()

    async def back(self) -> bool:
        if not self._gaps.all_since(self._ended):
            return False
        if not self._told:
            self._told = True
            self.outage.samples += self._gaps.longest()
        return True

    def figures(self) -> Mapping[str, Any]:
        return {"roll_s": self._took}

    def broken(self) -> Sequence[str]:
        return self._wrong


async def _admin_roll(folder: Path) -> tuple[int, str]:
    """Exit code and output."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "paiju.cli.main", "admin", "roll", "--reason", "chaos"),
        *("--data-dir", str(folder), "--json", "-"),
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode or 0, (out if not process.returncode else err).decode()
