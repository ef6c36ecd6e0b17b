"""A roll: every process under play is started anew, one after another, while people play.

Gateways drain (their players go to another one) and start again; hosts write what they have,
end, and rebuild their tables. Processes that wait to become hosts go first: they have the code
that was installed when they began. The next one waits until the one before is back: a machine on
which something does not come back stays as it is, and says at what.

Rolls have numbers, given by the data server. What is the newest when we begin counts as done:
our processes are as new as we are.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import structlog

from game_server.supervisor.children import Child
from game_server.supervisor.hosts import Hosts

log = structlog.get_logger()

HOST_BACK_S = 60.0
"""After that it is said once more, and waited for again."""


class Roller:
    """`want` with every answer of the data server; `run` is one task for ever.

    renew_spares: no older process becomes a host from then on. gateway_s: so long may a gateway
    take to end.
    """

    def __init__(
        self,
        *,
        gateways: Sequence[Child],
        hosts: Hosts,
        renew_spares: Callable[[], Awaitable[None]],
        gateway_s: float,
    ) -> None:
        self._gateways = gateways
        self._renew_spares = renew_spares
        self._hosts = hosts
        self._gateway_s = gateway_s
        self._wanted = 0
        self._done: int | None = None
        self._at = ""
        self._changed = asyncio.Event()

    def want(self, roll: int) -> None:
        """The newest roll that operators have asked for."""
        if self._done is None:
            self._done = roll
        if roll > max(self._wanted, self._done):
            self._wanted = roll
            self._changed.set()

    def state(self) -> tuple[int, str]:
        """The last roll that is done, and what one is at."""
        return self._done or 0, self._at

    async def run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            roll = self._wanted
            log.info("roll.begins", roll=roll)
            await self._roll()
            self._done, self._at = roll, ""
            log.info("roll.done", roll=roll)

    async def _roll(self) -> None:
        names = [*(child.name for child in self._gateways), *self._hosts.names()]
        for child in self._gateways:
            self._say(child.name, names)
            await child.restart(within_s=self._gateway_s)
        await self._renew_spares()
        for name in self._hosts.names():
            self._say(name, names)
            await self._restart_host(name)

    async def _restart_host(self, name: str) -> None:
        while name in self._hosts.names():  # a guest may go home meanwhile
            try:
                await self._hosts.restart(name, within_s=HOST_BACK_S)
                return
            except TimeoutError:
                log.error("roll.waits", process=name, s=HOST_BACK_S)

    def _say(self, name: str, names: Sequence[str]) -> None:
        self._at = f"{name} ({names.index(name) + 1}/{len(names)})"
        log.info("roll.at", process=name)
