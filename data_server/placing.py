"""On which host a room shard is opened. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

ENOUGH = 0.5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A live host that does not drain and has the game."""

    host: str
    server: str
    max_tables: int
    tables: int
    shards: int  # it owns already; each may soon have tables that were not reported yet

    @property
    def free(self) -> int:
        return self.max_tables - self.tables - self.shards


def choose(candidates: Iterable[Candidate], *, prefer_server: str = "") -> Candidate | None:
    """The host with most space, or the best of the preferred server when that has at least
    half as much. None when nobody has any."""
    ranked = sorted(
        (c for c in candidates if c.free > 0), key=lambda c: (-c.free, c.shards, c.host)
    )
    if not ranked:
        return None
    for candidate in ranked:
        if candidate.server == prefer_server and candidate.free >= ENOUGH * ranked[0].free:
            return candidate
    return ranked[0]
