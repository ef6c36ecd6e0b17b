"""When each table has something to do: one timer for all, nothing per idle table."""

from __future__ import annotations

import heapq


class Wheel:
    """Keys with a due time (monotonic ms). Setting a key again replaces its time."""

    def __init__(self) -> None:
        self._due: dict[int, int] = {}
        self._heap: list[tuple[int, int]] = []

    def set(self, key: int, due: int | None) -> None:
        """The key's next due time; None takes it off."""
        if due is None:
            self._due.pop(key, None)
        elif self._due.get(key) != due:
            self._due[key] = due
            heapq.heappush(self._heap, (due, key))

    def next(self) -> int | None:
        """The earliest due time."""
        while self._heap and self._due.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def pop(self, now: int) -> list[int]:
        """Keys that are due; each is off the wheel until it is set again."""
        out = []
        while (due := self.next()) is not None and due <= now:
            _, key = heapq.heappop(self._heap)
            del self._due[key]
            out.append(key)
        return out
