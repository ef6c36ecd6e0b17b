"""Time as tables count it: it stands still while the whole process does.

A process that was stopped (SIGSTOP, a machine that was suspended) finds its timers overdue
when it goes on, though nobody could act meanwhile. So time that passed unseen does not
count: not for turns, not for seats that wait or are away (DESIGN: a crash may delay, never
decide). Owner: the host, which looks at it several times in `STILL_S`.
"""

from __future__ import annotations

from collections.abc import Callable

STILL_S = 0.5
"""Two looks further apart than this: the process stood still in between."""


class PlayClock:
    """clock: monotonic seconds, which go on while the process is stopped."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen = clock()
        self._stood = 0.0

    def now(self) -> float:
        """Monotonic seconds without those in which nobody looked."""
        seen, self._seen = self._seen, self._clock()
        if self._seen - seen > STILL_S:
            self._stood += self._seen - seen
        return self._seen - self._stood
