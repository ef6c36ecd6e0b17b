"""The journal's database in memory answers like the product's own statements on SQLite."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from game_server.tables.journal_store import (
    ANSWERED,
    REFUSED,
    WAITING,
    Answered,
    JournalStore,
    Posted,
    Row,
)
from tests.sim.store import MemoryStore, Tables

STEPS = 80


class Twins:
    """The same journal twice, each with an old and a new process of the host."""

    def __init__(self, url: str, seed: int) -> None:
        self.random = Random(seed)
        tables = Tables()
        self.models = [MemoryStore(tables, "h", now=lambda: 0.0) for _ in range(2)]
        self.products = [JournalStore(url, "h") for _ in range(2)]
        self.written: list[Row] = []
        self.seq: dict[int, int] = {}

    def both(self, which: int, work: Callable[[Any], Any]) -> Any:
        """The same done to both: the same answer, or the same kind of error."""
        outcomes = []
        for store in (self.models[which], self.products[which]):
            try:
                outcomes.append(("ok", work(store)))
            except Exception as error:
                outcomes.append(("error", type(error).__name__))
        assert outcomes[0] == outcomes[1]
        return outcomes[0][1]

    def step(self) -> None:
        which = self.random.randrange(2)
        self.both(which, self._work())
        self.look(which)

    def _work(self) -> Callable[[Any], Any]:
        draw = self.random
        table, number = draw.choice((1, 2, 3)), draw.randrange(900)
        kind = draw.choice((*["write"] * 8, "take over", "mark", "strike", "rows", "answered"))
        if kind == "write":
            rows = self.rows()
            return lambda store: store.write(*rows)
        if kind == "take over":
            return lambda store: store.take_over(at_least=number // 100)
        if kind == "mark":
            return lambda store: store.mark(table, attempts=number % 3, rebuilt=number % 2)
        if kind == "strike":
            return lambda store: store.strike(table)
        if kind == "rows":
            return lambda store: store.forget_rows(table, below=5 if number % 2 else None)
        return lambda store: store.forget_answered(before_us=number)

    def rows(self) -> tuple[list[Row], list[Posted], list[Answered]]:
        draw = self.random
        rows = [self._row() for _ in range(draw.choice((0, 1, 1, 2, 3)))]
        if draw.random() < 0.1 and self.written:
            rows.append(draw.choice(self.written))  # is there already, perhaps
        self.written += rows
        posted = [
            Posted(draw.choice((1, 2)), draw.randrange(6), b"s%d" % draw.randrange(3), 100)
            for _ in range(draw.choice((0, 0, 1)))
        ]
        answered = [
            Answered(draw.choice((1, 2)), draw.randrange(6), draw.choice(("", "NO")), 500)
            for _ in range(draw.choice((0, 0, 1)))
        ]
        return rows, posted, answered

    def _row(self) -> Row:
        draw = self.random
        table = draw.choice((1, 2, 3))
        seq = self.seq[table] = self.seq.get(table, 0) + 1
        kinds = ("hand_begin", "action", "sit", "stand", "close") if seq > 1 else ("open",)
        body = {"seat": draw.randrange(3), "sitting": seq, "room": "r", "shard": table}
        return Row(table, seq, draw.choice(kinds), json.dumps(body).encode())

    def look(self, which: int) -> None:
        self.both(which, lambda s: s.epoch)
        self.both(which, lambda s: s.open_tables())
        self.both(which, lambda s: s.strikes())
        self.both(which, lambda s: s.closed_tables())
        self.both(which, lambda s: sorted(s.orphaned_sittings()))
        for state in (WAITING, ANSWERED, REFUSED):
            self.both(which, lambda s, state=state: s.settlements(state))
        for table in (1, 2, 3):
            self.both(which, lambda s, t=table: sorted(s.rows_of(t, first=3), key=str))
        self.both(which, lambda s: s.has(self.written[-2:]))


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_done_both_say_the_same(tmp_path: Path, seed: int) -> None:
    twins = Twins(f"sqlite:///{tmp_path}/journal.db", seed)
    for which in (0, 1):
        twins.both(which, lambda s: s.take_over())
    for _ in range(STEPS):
        twins.step()
    for store in twins.products:
        store.close()
