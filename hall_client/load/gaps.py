"""How long tables showed nothing: the longest silence of each while something was wrong."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from hall_client.events import Event, TableChanged, TableClosed


@dataclass
class Gaps:
    """`begin` at the blow; then `longest`, seconds per table that was played at by then."""

    clock: Callable[[], float] = time.monotonic
    _seen: dict[int, float] = field(default_factory=dict)  # table -> when it moved last
    _longest: dict[int, float] = field(default_factory=dict)

    def begin(self) -> None:
        """Measure from now on, the tables that are known now."""
        now = self.clock()
        self._seen = dict.fromkeys(self._seen, now)
        self._longest = dict.fromkeys(self._seen, 0.0)

    def saw(self, client: int, event: Event) -> None:
        """An event of any client."""
        if isinstance(event, TableChanged):
            now = self.clock()
            silence = now - self._seen.get(event.table, now)
            self._seen[event.table] = now
            if event.table in self._longest:
                self._longest[event.table] = max(silence, self._longest[event.table])
        elif isinstance(event, TableClosed):
            self._seen.pop(event.table, None)
            self._longest.pop(event.table, None)

    def all_since(self, moment: float) -> bool:
        """Whether each of the tables has moved since then."""
        return all(self._seen[table] > moment for table in self._longest)

    def longest(self) -> Sequence[float]:
        return list(self._longest.values())
