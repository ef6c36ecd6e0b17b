"""A journal's database in memory: what `JournalStore` offers, over dictionaries.

The rules are those of the statements in game_server/tables/journal_store.py, transaction by
transaction; `test_store.py` holds the two against each other. One `Tables` is one database
of one host; it outlives the processes that write to it, and remembers every commit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec
import sqlalchemy as sa

from game_server.tables.journal_store import (
    ANSWERED,
    REFUSED,
    WAITING,
    Answered,
    Fenced,
    OpenTable,
    Posted,
    Row,
)
from game_server.tables.replay import StoredRow


class Commit(NamedTuple):
    """A row that was committed: by which epoch, and when (true time, seconds)."""

    epoch: int
    row: Row
    at: float


@dataclass
class Tables:
    """What is on disk. `log` is the observer's: it is never forgotten."""

    epoch: int = 0
    rows: dict[tuple[int, int, int], tuple[str, bytes]] = field(default_factory=dict)
    """(table, number, epoch) -> kind, body."""
    open: dict[int, OpenTable] = field(default_factory=dict)
    strikes: dict[int, int] = field(default_factory=dict)
    outbox: dict[tuple[int, int], tuple[int, int, str, bytes]] = field(default_factory=dict)
    log: list[Commit] = field(default_factory=list)
    takeovers: list[tuple[int, float]] = field(default_factory=list)


class MemoryStore:
    """One process's hold on the tables. now: true time, for the log."""

    def __init__(self, tables: Tables, host: str, *, now: Callable[[], float]) -> None:
        self.tables = tables
        self.host = host
        self.epoch = 0
        self._now = now
        self._struck: set[int] = set()

    def close(self) -> None:
        """Nothing to close."""

    # ---- ownership -------------------------------------------------------------------------

    def take_over(self, *, at_least: int = 0, patience_s: float = 0.0) -> int:
        tables = self.tables
        self.epoch = tables.epoch = max(tables.epoch + 1, at_least)
        tables.takeovers.append((self.epoch, self._now()))
        return self.epoch

    def check_owner(self) -> None:
        if self.tables.epoch != self.epoch:
            raise Fenced

    # ---- writing ---------------------------------------------------------------------------

    def write(
        self, written: Sequence[Row], posted: Sequence[Posted], answered: Sequence[Answered]
    ) -> None:
        self.check_owner()
        self.apply(written, posted, answered)

    def apply(
        self, written: Sequence[Row], posted: Sequence[Posted], answered: Sequence[Answered]
    ) -> None:
        """What a transaction does after its check."""
        tables = self.tables
        if any(self._stored(row) is not None for row in written):
            raise sa.exc.IntegrityError("insert", {}, Exception("UNIQUE constraint failed"))
        now = self._now()
        for row in written:
            tables.rows[row.table, row.seq, self.epoch] = (row.kind, row.body)
            tables.log.append(Commit(self.epoch, row, now))
        self._keep_directory(written)
        for one in posted:
            key = one.table, one.hand
            tables.outbox.setdefault(key, (WAITING, one.at_us, "", one.body))
        for done in answered:
            key = done.table, done.hand
            if key in tables.outbox:
                state = REFUSED if done.code else ANSWERED
                tables.outbox[key] = (state, done.at_us, done.code, tables.outbox[key][3])

    def _stored(self, row: Row) -> bytes | None:
        found = self.tables.rows.get((row.table, row.seq, self.epoch))
        return None if found is None else found[1]

    def has(self, written: Sequence[Row]) -> bool:
        return all(self._stored(row) == row.body for row in written)

    def _keep_directory(self, written: Iterable[Row]) -> None:
        directory = self.tables.open
        for row in written:
            if row.kind == "open":
                body = msgspec.json.decode(row.body)
                directory[row.table] = OpenTable(
                    row.table, body["room"], body["shard"], row.seq, row.seq, 0
                )
            elif row.kind == "hand_begin" and row.table in directory:
                old = directory[row.table]
                directory[row.table] = old._replace(before=old.begin, begin=row.seq)
            elif row.kind == "close":
                directory.pop(row.table, None)
            if row.table in self._struck and row.kind in ("hand_begin", "close"):
                self._struck.discard(row.table)
                self.tables.strikes.pop(row.table, None)

    # ---- reading at a start ----------------------------------------------------------------

    def open_tables(self) -> list[OpenTable]:
        return [self.tables.open[table] for table in sorted(self.tables.open)]

    def rows_of(self, table: int, *, first: int) -> list[StoredRow]:
        return [
            StoredRow(seq, kind, msgspec.json.decode(body))
            for (_, seq, _), (kind, body) in sorted(
                item for item in self.tables.rows.items() if item[0][0] == table
            )
            if seq >= first
        ]

    def mark(self, table: int, *, attempts: int, rebuilt: int = 0) -> None:
        self.check_owner()
        for table_id, value in ((table, attempts), (rebuilt, 0)):
            if table_id in self.tables.open:
                old = self.tables.open[table_id]
                self.tables.open[table_id] = old._replace(attempts=value)

    def strike(self, table: int) -> None:
        self.check_owner()
        self.tables.strikes[table] = self.tables.strikes.get(table, 0) + 1

    def strikes(self) -> dict[int, int]:
        self._struck = set(self.tables.strikes)
        return dict(self.tables.strikes)

    def orphaned_sittings(self) -> list[int]:
        held: dict[tuple[int, int], int] = {}
        closed: set[int] = set()
        in_order = sorted(self.tables.rows.items(), key=lambda item: _by_epoch(item[0]))
        for (table, _, epoch), (kind, body) in in_order:
            if epoch >= self.epoch or table in self.tables.open:
                continue
            if kind not in ("sit", "stand", "close"):
                continue
            row = msgspec.json.decode(body)
            if kind == "sit":
                held[table, row["seat"]] = row["sitting"]
            elif kind == "stand":
                held.pop((table, row["seat"]), None)
            else:
                closed.add(table)
        return [sitting for (table, _), sitting in held.items() if table not in closed]

    def settlements(self, state: int) -> list[tuple[bytes, str]]:
        found = [
            (changed, key, body, code)
            for key, (is_in, changed, code, body) in self.tables.outbox.items()
            if is_in == state
        ]
        return [(body, code) for _, _, body, code in sorted(found)]

    # ---- retention -------------------------------------------------------------------------

    def forget_rows(self, table: int, *, below: int | None) -> int:
        self.check_owner()
        old = [
            key for key in self.tables.rows if key[0] == table and (below is None or key[1] < below)
        ]
        for key in old:
            del self.tables.rows[key]
        return len(old)

    def forget_answered(self, *, before_us: int) -> int:
        self.check_owner()
        old = [
            key
            for key, (state, changed, _, _) in self.tables.outbox.items()
            if state == ANSWERED and changed < before_us
        ]
        for key in old:
            del self.tables.outbox[key]
        return len(old)

    def closed_tables(self) -> list[int]:
        return sorted({table for table, _, _ in self.tables.rows} - self.tables.open.keys())


def _by_epoch(key: tuple[int, int, int]) -> tuple[int, int, int]:
    table, seq, epoch = key
    return table, epoch, seq
