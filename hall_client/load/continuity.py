"""Whether each client was told every number of its tables exactly once.

One observer per client. On one connection a table's updates must follow each other without
gap or repeat; across a lost connection the first update must be the very next number, or a
snapshot if the host's epoch or the client's seat has changed (or the host's ring no longer
reached back).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hall_client.events import Connected, Disconnected, Event, TableChanged, TableClosed
from hall_client.mirror import Outcome

RING = 256
"""Numbers a host keeps; a snapshot for fewer missed ones is a broken promise."""


@dataclass
class Continuity:
    """`verified`, `by_snapshot`: resumes whose first updates have come and were right."""

    complain: Callable[[str], None]
    verified: int = 0
    by_snapshot: int = 0
    _last: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # epoch, seq, seat
    _open: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # nothing came yet

    def __call__(self, event: Event) -> None:
        if isinstance(event, TableChanged):
            self._changed(event)
        elif isinstance(event, Connected) and event.resumed:
            self._open = dict(self._last)
        elif isinstance(event, Disconnected):
            self._open = {}
        elif isinstance(event, TableClosed):
            self._last.pop(event.table, None)
            self._open.pop(event.table, None)

    def _changed(self, event: TableChanged) -> None:
        if event.outcome is not Outcome.APPLIED:
            self.complain(f"table {event.table}: number {event.seq} {event.outcome.value}")
            return
        cursor = (event.epoch, event.seq, event.seat)
        before = self._last.get(event.table)
        self._last[event.table] = cursor
        resumed_at = self._open.pop(event.table, None)
        if resumed_at is None:
            return
        if not event.snapshot:
            self.verified += 1  # the mirror takes nothing but the next number
            return
        self.by_snapshot += 1
        same = before is not None and (before[0], before[2]) == (event.epoch, event.seat)
        if same and before is not None and event.seq - before[1] <= RING:
            self.complain(
                f"table {event.table}: a snapshot at {event.seq} for a cursor at {before[1]}"
            )
