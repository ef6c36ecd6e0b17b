"""A game server stands still and goes on: all its processes, by SIGSTOP and SIGCONT.

The data server gives up its lease meanwhile; clients may look for another gateway and find
none. Nobody is charged for the time, and nothing is done twice when it goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal

from game_server.supervisor import orphans
from paiju.cli.chaos.scenario import Scenario


class Freeze(Scenario):
    """Recovered: from SIGCONT until a client sees something of its table, per client."""

    down_s = 30.0
    cuts = True

    async def strike(self) -> None:
        supervisor = self.hall.processes["game-server"]
        # The supervisor first: it would start again what does not answer.
        frozen = [supervisor, *orphans.descendants(supervisor)]
        _signal(frozen, signal.SIGSTOP)
        try:
            await asyncio.sleep(self.away_s)
        finally:
            self.outage.silenced(self.stage.driver.connected())
            _signal(frozen[::-1], signal.SIGCONT)

    async def back(self) -> bool:
        return self.outage.waiting == 0


def _signal(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
