"""Processes that die under play: a table host, a gateway, the data server."""

from __future__ import annotations

import asyncio
import time

from paiju.cli.chaos.scenario import KillProcess, Stage, booked

NO_TABLES_S = 15.0
"""Nobody has heard of it by then: there was no table on it."""


class KillHost(KillProcess):
    """A table host dies in mid-hand; Ray starts it again and it rebuilds its tables."""

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._came_back = 0  # samples before this blow
        self._at = 0.0

    async def strike(self) -> None:
        hosts = sorted(name for name in self.hall.processes if name.startswith("local-"))
        self._came_back, self._at = len(self.outage.samples), time.monotonic()
        self.outage.struck_host()
        self.kill(self.next_of(hosts))

    async def back(self) -> bool:
        """A host may be there again before the first client has heard that it was gone."""
        if not await super().back():
            return False
        heard = len(self.outage.samples) > self._came_back
        return heard or time.monotonic() > self._at + NO_TABLES_S


class KillGateway(KillProcess):
    """A gateway dies; its players come in by another one."""

    cuts = True

    async def strike(self) -> None:
        address = self.next_of(self.stage.gateways)
        number = self.stage.gateways.index(address)
        self.outage.struck_gateway(
            [
                bot
                for bot, client in self.stage.driver.clients.items()
                if client.connected and client.gateway == address
            ]
        )
        self.kill(f"local/gateway-{number}")


class KillDataServer(KillProcess):
    """The data server dies; play goes on, bookings wait for it.

    Recovered: from the moment it may start again until all hands that had ended are booked.
    """

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._booked = booked(stage)
        self._at: float | None = None

    async def strike(self) -> None:
        with self.hall.held_down("data-server"):
            self.kill("data-server")
            await asyncio.sleep(self.away_s)
        self._at = time.monotonic()
        self._booked.mark()

    async def back(self) -> bool:
        if not await super().back() or not await self._booked.all():
            return False
        if self._at is not None:
            self.outage.samples.append(time.monotonic() - self._at)
            self._at = None
        return True
