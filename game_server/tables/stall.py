"""Whether the journal stands still, so that nobody can act, and for how long it did.

Owner: the host, which looks every `every_s`.
"""

from __future__ import annotations

from collections.abc import Callable

import structlog

log = structlog.get_logger()


class Stall:
    """age_s: of the oldest unwritten row; above `patience_s` the journal stands still.

    clock: the tables' (play_clock.py), which does not know what the process slept through. So a
    stall cannot have begun earlier than the last look allows, however old the row is.
    """

    def __init__(
        self,
        *,
        age_s: Callable[[], float],
        patience_s: float,
        every_s: float,
        clock: Callable[[], float],
    ) -> None:
        self._age_s = age_s
        self._patience_s = patience_s
        self._every_s = every_s
        self._clock = clock
        self._since: float | None = None

    def __bool__(self) -> bool:
        return self._since is not None

    def look(self) -> int:
        """Milliseconds of a stall that has just ended, which nobody is to be charged; else 0."""
        age_s = self._age_s()
        if age_s > self._patience_s and self._since is None:
            self._since = self._clock() - min(age_s, self._patience_s + self._every_s)
            log.error("journal.stalled", age_s=age_s)
        elif age_s <= self._patience_s and self._since is not None:
            stalled_ms = int((self._clock() - self._since) * 1000)
            self._since = None
            log.warning("journal.flows", stalled_ms=stalled_ms)
            return stalled_ms
        return 0
