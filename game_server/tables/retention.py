"""When the journal may forget: rows of finished hands, and settlements that were booked.

A hand's rows are worth keeping while the hand runs, and while a player may still repeat an
operation of it; its record goes to the ledger. So rows before the last hand but one are
dropped `rows_keep_s` after the last hand began, all rows of a closed table as long after its
end, and answered settlements after `outbox_keep_s`: until then the ledger, restored from an
older copy, can be told again.

Owner: the journal's writer thread. Lost with the process: what was due; a new epoch finds it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from game_server.tables.journal_store import JournalStore, Row
from paiju.service import ids

PORTION = 20
"""Tables whose rows are dropped in one go, so that a commit never waits long."""


class Retention:
    """`written` notes what became old, `forget` drops what is old enough."""

    def __init__(
        self,
        *,
        rows_keep_s: float = 600.0,
        outbox_keep_s: float = 3600.0,
        every_s: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
        now_us: Callable[[], int] = ids.now_us,
    ) -> None:
        self._rows_keep_s = rows_keep_s
        self._outbox_keep_s = outbox_keep_s
        self._every_s = every_s
        self._clock = clock
        self._now_us = now_us
        self._begun: dict[int, int] = {}  # table -> number of its last hand_begin
        self._old: deque[tuple[float, int, int | None]] = deque()  # when, table, below
        self._looked_at = -every_s

    def closed(self, tables: Iterable[int]) -> None:
        """Tables of an earlier epoch that are not open any more."""
        now = self._clock()
        self._old.extend((now, table, None) for table in tables)

    def written(self, rows: Sequence[Row]) -> None:
        """Rows that are on disk now."""
        now = self._clock()
        for row in rows:
            if row.kind == "hand_begin":
                before = self._begun.get(row.table)
                if before is not None:
                    self._old.append((now, row.table, before))
                self._begun[row.table] = row.seq
            elif row.kind == "close":
                self._begun.pop(row.table, None)
                self._old.append((now, row.table, None))

    def forget(self, store: JournalStore) -> None:
        """Drop a portion of what is old. Raises what the store raises."""
        now = self._clock()
        for _ in range(PORTION):
            if not self._old or now - self._old[0][0] < self._rows_keep_s:
                break
            _, table, below = self._old[0]
            store.forget_rows(table, below=below)
            self._old.popleft()
        if now - self._looked_at >= self._every_s:
            self._looked_at = now
            store.forget_answered(before_us=self._now_us() - int(self._outbox_keep_s * 1e6))
