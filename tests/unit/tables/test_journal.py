"""The journal: written before released, in order, fenced where the write lands."""

from __future__ import annotations

import queue
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa

from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import JournalStore, Row, rows

DEADLINE_S = 10


class Harness:
    def __init__(self, url: str, *, spacing_ms: float = 0.0) -> None:
        self.released: queue.Queue[str] = queue.Queue()
        self.stopped = threading.Event()
        self.store = JournalStore(url, "h")
        self.journal = Journal(
            store=self.store,
            deliver=self._deliver,
            on_stopped=self.stopped.set,
            spacing_ms=spacing_ms,
        )

    @staticmethod
    def _deliver(batches: Sequence[Batch], seconds: float, count: int) -> None:
        for batch in batches:
            batch.release()

    def submit(self, name: str, *written: Row) -> None:
        self.journal.submit(Batch(list(written), lambda: self.released.put(name)))

    def next(self) -> str:
        return self.released.get(timeout=DEADLINE_S)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/journal.db"


def _read(url: str) -> list[tuple[int, int, int, str]]:
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        found = connection.execute(
            sa.select(rows.c.epoch, rows.c.table_id, rows.c.seq, rows.c.kind).order_by(
                rows.c.epoch, rows.c.table_id, rows.c.seq
            )
        ).all()
    engine.dispose()
    return [tuple(row) for row in found]


def test_a_batch_is_released_after_its_rows_are_on_disk_and_in_order(url: str) -> None:
    harness = Harness(url)
    assert harness.store.take_over() == 1
    harness.journal.start()
    seen_at_release: list[int] = []
    for number in range(1, 30):
        harness.journal.submit(
            Batch(
                [Row(5, number, "action", b"{}")] if number % 3 else [],
                lambda n=number: (seen_at_release.append(len(_read(url))), harness.released.put(n)),
            )
        )
    assert [harness.released.get(timeout=DEADLINE_S) for _ in range(1, 30)] == list(range(1, 30))
    for number, there in enumerate(seen_at_release, start=1):
        assert there >= number - number // 3
    harness.journal.close()


def test_an_owner_that_was_replaced_writes_and_releases_nothing(url: str) -> None:
    old, new = Harness(url), Harness(url)
    assert old.store.take_over() == 1
    old.journal.start()
    old.submit("before", Row(1, 1, "action", b"{}"))
    assert old.next() == "before"
    assert new.store.take_over() == 2
    old.submit("after", Row(1, 2, "action", b"{}"))
    assert old.stopped.wait(DEADLINE_S)
    assert old.released.empty()
    assert _read(url) == [(1, 1, 1, "action")]


def test_a_proposed_epoch_is_a_lower_bound(url: str) -> None:
    harness = Harness(url)
    assert harness.store.take_over(at_least=7) == 7
    assert harness.store.take_over() == 8


def test_a_database_that_fails_delays_and_loses_nothing(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness(url)
    harness.store.take_over()
    real, failures = harness.store.check_owner, iter([True, True])

    def failing(connection: sa.Connection) -> None:
        if next(failures, False):
            raise sa.exc.OperationalError("insert", {}, Exception("disk full"))
        real(connection)

    monkeypatch.setattr(harness.store, "check_owner", failing)
    harness.journal.start()
    harness.submit("one", Row(1, 1, "action", b"{}"))
    assert harness.next() == "one"
    assert _read(url) == [(1, 1, 1, "action")]
    harness.journal.close()


def test_a_lost_answer_of_a_commit_is_looked_for_until_the_database_says(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    harness = Harness(url)
    harness.store.take_over()
    real_write, real_has = harness.store.write, harness.store.has
    writes, looks = iter([True]), iter([True])

    def write(*what: object) -> None:
        real_write(*what)  # type: ignore[arg-type]
        if next(writes, False):
            raise sa.exc.OperationalError("commit", {}, Exception("the connection was lost"))

    def has(rows: Sequence[Row]) -> bool:
        if next(looks, False):
            raise sa.exc.OperationalError("select", {}, Exception("it is still away"))
        return real_has(rows)

    monkeypatch.setattr(harness.store, "write", write)
    monkeypatch.setattr(harness.store, "has", has)
    harness.journal.start()
    harness.submit("one", Row(1, 1, "action", b"{}"))
    assert harness.next() == "one"
    assert not harness.stopped.is_set()
    assert _read(url) == [(1, 1, 1, "action")]
    harness.journal.close()


def test_sittings_that_an_earlier_epoch_left_are_found(url: str) -> None:
    first = Harness(url)
    first.store.take_over()
    first.journal.start()
    first.submit(
        "rows",
        Row(1, 1, "sit", b'{"seat":0,"sitting":100}'),
        Row(1, 2, "sit", b'{"seat":1,"sitting":101}'),
        Row(1, 3, "stand", b'{"seat":0}'),
        Row(2, 1, "sit", b'{"seat":0,"sitting":102}'),
    )
    assert first.next() == "rows"
    first.journal.close()
    second = Harness(url)
    second.store.take_over()
    assert sorted(second.store.orphaned_sittings()) == [101, 102]
