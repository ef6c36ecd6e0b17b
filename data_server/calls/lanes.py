"""The lanes of the data server and which calls go through which."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

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
    def make(cls, settings: DataSettings) -> Lanes:
        s = settings
        return cls(
            Lane("logins", at_once=s.logins_at_once, waiting=s.logins_waiting),
            Lane("settlements", at_once=s.settlements_at_once, waiting=s.settlements_waiting),
            Lane("sittings", at_once=s.sittings_at_once, waiting=s.sittings_waiting),
            Lane("cluster", at_once=s.cluster_at_once, waiting=s.cluster_waiting),
            Lane("reads", at_once=s.reads_at_once, waiting=s.reads_waiting),
        )

    def all(self) -> list[Lane]:
        return [self.logins, self.settlements, self.sittings, self.cluster, self.reads]

    def connections(self) -> int:
        """How many database connections they need at most, so that none waits for another."""
        return sum(lane.at_once for lane in self.all())

    async def drain(self) -> None:
        await asyncio.gather(*(lane.drain() for lane in self.all()))
