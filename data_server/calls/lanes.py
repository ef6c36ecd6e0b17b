"""The lanes of the data server and which calls go through which."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, fields

from prometheus_client import Counter

from data_server.lanes import Lane
from data_server.settings import DataSettings


@dataclass(frozen=True)
class Lanes:
    logins: Lane  # whatever opens a session: passwords are hashed here
    settlements: Lane
    sittings: Lane  # sitting down, topping up, standing up
    cluster: Lane  # registry, ids, presence
    reads: Lane

    @classmethod
    def make(cls, settings: DataSettings, *, refused: Counter) -> Lanes:
        """refused: counts what did not fit, by lane."""

        def lane(name: str) -> Lane:
            return Lane(
                name,
                at_once=getattr(settings, f"{name}_at_once"),
                waiting=getattr(settings, f"{name}_waiting"),
                on_refused=refused.labels(name).inc,
            )

        return cls(*(lane(field.name) for field in fields(cls)))

    def all(self) -> list[Lane]:
        return [getattr(self, field.name) for field in fields(self)]

    def connections(self) -> int:
        """How many database connections they need at most, so that none waits for another."""
        return sum(lane.at_once for lane in self.all())

    async def drain(self) -> None:
        await asyncio.gather(*(lane.drain() for lane in self.all()))
