"""`all-in-turn`: one hall, and every scenario strikes it once before the first strikes again."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar

from hall_client.load.outage import summary
from paiju.cli.chaos.scenario import Scenario, Setup, Stage


class AllInTurn(Scenario):
    """`parts` by name, in their order."""

    parts: ClassVar[Mapping[str, type[Scenario]]] = {}

    @classmethod
    def set_up(cls, setup: Setup) -> None:
        for part in cls.parts.values():
            part.set_up(setup)

    def __init__(self, stage: Stage) -> None:
        super().__init__(stage)
        self._scenarios = {name: part(stage) for name, part in self.parts.items()}
        self._samples: dict[str, list[float]] = {name: [] for name in self._scenarios}
        self._now = ""
        self.blows = sum(one.blows for one in self._scenarios.values())

    def may_cut(self) -> bool:
        return bool(self._now) and self._scenarios[self._now].may_cut()

    async def begin(self) -> None:
        for one in self._scenarios.values():
            await one.begin()

    async def strike(self) -> None:
        self._now = self.next_of(self._order())
        self._seen = len(self.outage.samples)
        await self._scenarios[self._now].strike()

    def _order(self) -> Sequence[str]:
        """A scenario with several kinds of blows has as many turns."""
        return [name for name, one in self._scenarios.items() for _ in range(one.blows)]

    async def back(self) -> bool:
        if not await self._scenarios[self._now].back():
            return False
        self._samples[self._now] += self.outage.samples[self._seen :]
        self._seen = len(self.outage.samples)
        return True

    async def end(self) -> None:
        await asyncio.gather(*(one.end() for one in self._scenarios.values()))

    @property
    def void_hands(self) -> Collection[tuple[int, int]]:
        return [hand for one in self._scenarios.values() for hand in one.void_hands]

    def figures(self) -> Mapping[str, Any]:
        found: dict[str, Any] = {
            "each": {name: summary(samples) for name, samples in self._samples.items()}
        }
        for one in self._scenarios.values():
            found |= one.figures()
        return found

    def broken(self) -> Sequence[str]:
        never = [f"{name}: nobody came back" for name, got in self._samples.items() if not got]
        return [*never, *(text for one in self._scenarios.values() for text in one.broken())]


def in_turn(parts: Mapping[str, type[Scenario]]) -> type[Scenario]:
    """The scenario that has all of these."""
    return type("AllInTurn", (AllInTurn,), {"parts": parts})
