"""The last numbered updates of a table, in every viewer's form (docs/contracts/resume.md)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

RING = 256
RING_BYTES = 48 * 1024
"""Above so many bytes of forms the oldest are forgotten earlier: a snapshot is smaller by then."""


class Ring:
    """Numbers `first .. last` without gaps; each entry holds one update per viewer."""

    __slots__ = ("_entries", "_held", "_size", "last")

    def __init__(self, *, size: int = RING, last: int = 0) -> None:
        self._entries: deque[tuple[Sequence[bytes], int]] = deque()
        self._size = size
        self._held = 0  # bytes
        self.last = last

    def push(self, forms: Sequence[bytes], *, size: int = 0) -> int:
        """Store the next number's forms (index = viewer) and return the number.

        size: bytes that they hold.
        """
        entries = self._entries
        entries.append((forms, size))
        self._held += size
        while len(entries) > self._size or (self._held > RING_BYTES and len(entries) > 1):
            self._held -= entries.popleft()[1]
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
        return [self._entries[i][0][viewer] for i in range(start, len(self._entries))]
