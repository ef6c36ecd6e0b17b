"""The last numbered updates of a table, in every viewer's form (docs/contracts/resume.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

RING = 256


class Ring:
    """Numbers `first .. last` without gaps; each entry holds one update per viewer."""

    def __init__(self, *, size: int = RING, last: int = 0) -> None:
        self._entries: deque[Sequence[bytes]] = deque(maxlen=size)
        self.last = last

    def push(self, forms: Sequence[bytes]) -> int:
        """Store the next number's forms (index = viewer) and return the number."""
        self._entries.append(forms)
        self.last += 1
        return self.last

    def skip(self) -> None:
        """Take a number that nobody will ask for: only before the first `push`."""
        self.last += 1

    def after(self, seq: int, viewer: int) -> list[bytes] | None:
        """What a receiver that has read `seq` is missing.

        None: a snapshot is needed, because the ring no longer holds it or because `seq` is
        above the table's last number.
        """
        missing = self.last - seq
        if missing < 0 or missing > len(self._entries):
            return None
        start = len(self._entries) - missing
        return [self._entries[i][viewer] for i in range(start, len(self._entries))]
