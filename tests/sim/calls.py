"""Calls to the data server as `DataClient` makes them: lost, late, doubled, never a lie.

A call that was lost on the way back has been carried out; one that timed out may be carried
out yet, even after a repeat of it was answered. Its caller cannot tell any of these apart.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

from paiju.service.refusals import Refused
from tests.sim.clockwork import PROCESS, Process
from tests.sim.hall import Hall
from tests.sim.network import Network

DEADLINE_S = 5.0


@dataclass
class Trouble:
    """Shares of calls: lost before, or after they were carried out; carried out again, late."""

    lost: float = 0.0
    unanswered: float = 0.0
    again: float = 0.0


class SimDataClient:
    """hall: the data server as it is now; None while it is away."""

    def __init__(
        self, process: Process, network: Network, hall: Callable[[], Hall | None], trouble: Trouble
    ) -> None:
        self._process = process
        self._network = network
        self._hall = hall
        self._trouble = trouble

    async def call(self, rpc: str, request: Any, *, deadline_s: float | None = None) -> Any:
        network, trouble = self._network, self._trouble
        draw = network.random.random
        patience_s = (deadline_s or DEADLINE_S) * draw()
        sent = type(request)()
        sent.CopyFrom(request)
        await asyncio.sleep(network.delay())
        hall = self._reach()
        if hall is None or draw() < trouble.lost:
            await self._nothing(patience_s)
        assert hall is not None
        if draw() < trouble.again:
            self._repeat_later(rpc, sent)
        try:
            reply = hall.handle(rpc, sent)
        except Refused as refused:
            reply = refused
        if draw() < trouble.unanswered:
            await self._nothing(patience_s)
        await asyncio.sleep(network.delay())
        if self._reach() is not hall:
            await self._nothing(patience_s)
        if isinstance(reply, Refused):
            raise Refused.of(reply.message())
        answer = type(reply)()
        answer.CopyFrom(reply)
        return answer

    def _reach(self) -> Hall | None:
        hall = self._hall()
        if hall is None or hall.process.stopped:
            return None
        return None if self._network.parted(self._process.name, hall.process.name) else hall

    async def _nothing(self, after_s: float) -> None:
        await asyncio.sleep(after_s)
        raise Refused("RETRY", retry_after_ms=200)

    def _repeat_later(self, rpc: str, request: Any) -> None:
        """An attempt that was given up, and arrives all the same."""

        def arrive() -> None:
            hall = self._hall()
            if hall is not None:
                try:
                    hall.handle(rpc, request)
                except Refused:
                    return

        loop, late_s = self._network.loop, 6.0 * self._network.random.random()
        loop.call_later(late_s, arrive, context=_nobody())

    async def follow(self, server: str, on_open: Callable[[], None]) -> AsyncIterator[Any]:
        hall = self._reach()
        if hall is None:
            return
        on_open()
        async for event in hall.follow():
            await asyncio.sleep(self._network.delay())
            if self._reach() is not hall:
                return
            yield event

    async def close(self) -> None:
        """Nothing to close."""


def _nobody() -> Any:
    """A context without a process: what is on the network outlives who sent it."""
    context = PROCESS.get().context.copy()
    context.run(PROCESS.set, None)
    return context
