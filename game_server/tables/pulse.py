"""How long this process stood still: stopped, swapped out, starved, or busy with one step.

Every clock of a table runs on through that, though nobody could act. Pure, owned by the
host's loop, which beats whenever it does something, and every `every_s` at least.
"""

from __future__ import annotations

import time
from collections.abc import Callable

STILL_S = 1.0
"""A shorter gap is no standstill: a busy loop is late now and then."""


class Pulse:
    """every_s: a gap of that length is normal."""

    def __init__(self, *, every_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._every_s = every_s
        self._clock = clock
        self._beaten = clock()

    def beat(self) -> float:
        """Seconds of standstill that have just ended; 0 for none."""
        now = self._clock()
        gap, self._beaten = now - self._beaten, now
        return gap - self._every_s if gap > STILL_S else 0.0
