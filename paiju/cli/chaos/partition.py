"""The network between parts is gone for a while: silent, or resetting every connection.

In turn: game server and data server, clients and gateways, both. Without a data server play
goes on; without a network of their own clients come back to where their tables are by then.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass

from paiju.cli.chaos.network import Network, Proxy
from paiju.cli.chaos.scenario import Scenario, Setup, Stage, booked


@dataclass(frozen=True)
class _Cut:
    data: bool
    clients: bool
    how: Callable[[Proxy], None]


_CUTS = (
    _Cut(True, False, Proxy.silence),
    _Cut(False, True, Proxy.silence),
    _Cut(True, True, Proxy.refuse),
    _Cut(True, False, Proxy.refuse),
    _Cut(False, True, Proxy.refuse),
    _Cut(True, True, Proxy.silence),
)


class Partition(Scenario):
    """Recovered: from the network's return until a client sees something of its table (per
    client), or until all hands that had ended are booked."""

    down_s = 5.0
    blows = 3

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        setup.network = setup.network or Network()

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        assert stage.setup.network is not None
        self._network = stage.setup.network
        self._booked = booked(stage)
        self._at: float | None = None  # of the data link's return

    async def strike(self) -> None:
        cut = _CUTS[self._turn % len(_CUTS)]
        self._turn += 1
        self.cuts = cut.clients
        proxies = [self._network.data] if cut.data else []
        proxies += self._network.clients if cut.clients else []
        players = self.stage.driver.connected() if cut.clients else []
        for proxy in proxies:
            cut.how(proxy)
        try:
            await asyncio.sleep(self.away_s)
        finally:
            if cut.data:
                self._at = time.monotonic()
                self._booked.mark()
            self.outage.silenced(players)
            for proxy in proxies:
                proxy.mend()

    async def back(self) -> bool:
        if self.outage.waiting:
            return False
        if self._at is not None:
            if not await self._booked.all():
                return False
            self.outage.samples.append(time.monotonic() - self._at)
            self._at = None
        return True
