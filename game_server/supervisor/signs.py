"""When each host of this machine was heard of last, and what it said. Pure."""

from __future__ import annotations

import time
from collections.abc import Callable

from paiju.wire.v1 import data_pb2

FRESH_S = 5.0
"""As long as the watchdog lets a loop stand still."""


class Signs:
    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last: dict[str, tuple[float, data_pb2.HostCounts]] = {}

    def heard(self, counts: data_pb2.HostCounts) -> None:
        """A host said that it lives; of an older epoch than known: it is on its way out."""
        known = self._last.get(counts.host)
        if known is None or counts.epoch >= known[1].epoch:
            self._last[counts.host] = (self._clock(), counts)

    def alive(self, host: str) -> bool:
        """Whether it has been heard of lately."""
        found = self._last.get(host)
        return found is not None and self._clock() - found[0] < FRESH_S

    def counts(self) -> list[data_pb2.HostCounts]:
        """For the heartbeat: of those that have been heard of lately."""
        return [said for name, (_, said) in sorted(self._last.items()) if self.alive(name)]

    def forget(self, host: str) -> None:
        """It does not run here any more."""
        self._last.pop(host, None)
