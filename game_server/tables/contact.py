"""When a data server answered last, and whether new hands may still begin.

A host that nobody hears from keeps its escrow for `release_s`; then its players get it back
and may stake it elsewhere. So a host that has had no answer for that long, less the longest
hand, begins no other: its hands end while their stakes still lie there (contract 5). Counted
from when an answered call was *sent*, on a monotonic clock. Pure, owned by the host.
"""

from __future__ import annotations

import time
from collections.abc import Callable

LONGEST_HAND_S = 900.0


class Contact:
    """release_s: as the data server says; 0 until it has said so."""

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.release_s = 0.0
        self._clock = clock
        self._last = clock()

    def sent(self) -> float:
        """The moment to give to `answered`."""
        return self._clock()

    def answered(self, sent: float) -> None:
        """A call that was sent then has been answered."""
        self._last = max(self._last, sent)

    def may_deal(self) -> bool:
        """Whether a hand that begins now ends before its escrow can be released."""
        if not self.release_s:
            return True
        silence = self._clock() - self._last
        return silence <= max(self.release_s - LONGEST_HAND_S, self.release_s / 2)
