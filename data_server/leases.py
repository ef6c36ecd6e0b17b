"""Leases: who is silent for too long. Pure; `now` is a monotonic time in seconds.

A lease is measured on the clock of the one who watches, from the last sign of life that
reached it or from the moment it began to watch, whichever is later. Signs of life are
numbers that change (`beat`), so clocks of different machines are never compared. Absence of
the watcher itself is charged to nobody: `forgive` starts all leases anew.

Owner: the registry of one data server. Lost with the process: nothing; after a start every
lease that is in the database runs anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

NEVER_AGAIN = 2**62
"""No sign of life that is still on its way is newer."""


@dataclass(slots=True)
class _Watched:
    beat: int
    seen: float


class Leases:
    def __init__(self, *, lease_s: float) -> None:
        self.lease_s = lease_s
        self._watched: dict[str, _Watched] = {}

    def beat(self, name: str, beat: int, now: float) -> None:
        """A sign of life that came to us."""
        self._watched[name] = _Watched(beat, now)

    def observe(self, beats: Mapping[str, int], now: float) -> None:
        """What stands in the database: a changed number is a sign of life that came to
        another data server. Who is seen for the first time is watched from now on."""
        for name, beat in beats.items():
            watched = self._watched.get(name)
            if watched is None or beat > watched.beat:
                self._watched[name] = _Watched(beat, now)

    def forgive(self, now: float) -> None:
        """We were away ourselves: nobody can have told us anything."""
        for watched in self._watched.values():
            if watched.beat != NEVER_AGAIN:
                watched.seen = now

    def end(self, name: str) -> None:
        """It has said goodbye: silent from now on, until it begins anew with `beat`."""
        self._watched[name] = _Watched(NEVER_AGAIN, -math.inf)

    def __iter__(self) -> Iterator[str]:
        return iter(self._watched)

    def knows(self, name: str) -> bool:
        return name in self._watched

    def beat_of(self, name: str) -> int:
        watched = self._watched.get(name)
        return 0 if watched is None else watched.beat

    def silent_s(self, name: str, now: float) -> float:
        """How long we have heard nothing; 0 for one we do not watch yet."""
        watched = self._watched.get(name)
        return 0.0 if watched is None else max(0.0, now - watched.seen)

    def alive(self, name: str, now: float) -> bool:
        return name in self._watched and self.silent_s(name, now) < self.lease_s

    def count_alive(self, now: float) -> int:
        return sum(1 for name in self._watched if self.alive(name, now))

    def oldest_s(self, now: float) -> float:
        """The longest silence among those that are alive."""
        ages = (now - watched.seen for watched in self._watched.values())
        return max((age for age in ages if age < self.lease_s), default=0.0)
