"""Two processes on one journal: nothing of the old epoch is acknowledged after the takeover.

The old one is stopped (SIGSTOP) between its check of the epoch and its commit. What it
acknowledges is what it prints; what the new one knows is what it reads after its takeover.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa

from game_server.tables import journal_store
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import Fenced, JournalStore, Row

DEADLINE_S = 30.0

_OLD = """
import queue, signal, sys, threading
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import JournalStore, Row

store = JournalStore(sys.argv[1], "h")
store.take_over()
real = store.check_owner
stop_at = int(sys.argv[2])
checks = 0

def check(connection):
    global checks
    real(connection)
    checks += 1
    if checks == stop_at:
        # To this very thread: one for the process goes to its main thread, and the writer may
        # have committed before that has been scheduled and stops them all.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

store.check_owner = check
said = queue.Queue()

def deliver(batches, seconds, rows):
    for batch in batches:
        batch.release()

journal = Journal(
    store=store, deliver=deliver, on_stopped=lambda: said.put("stopped"), spacing_ms=0
)
journal.start()
number = 0
while True:
    number += 1
    here = number
    row = Row(1, here, "action", b'{"by":"old"}')
    journal.submit(Batch([row], lambda: said.put(f"acknowledged {here}")))
    heard = said.get()
    print(heard, flush=True)
    if heard == "stopped":
        break
"""


class Old:
    """The process of the old epoch; `lines` is what it has said."""

    def __init__(self, url: str, *, stop_at: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _OLD, url, str(stop_at)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.lines.append(line.strip())

    def wait_stopped(self) -> None:
        """Until it lies stopped in the middle of its transaction."""
        status = Path(f"/proc/{self._process.pid}/stat")
        _until(lambda: status.read_text().rpartition(")")[2].split()[0] == "T")

    def go_on(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    def end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join(DEADLINE_S)

    @property
    def acknowledged(self) -> set[int]:
        return {int(line.split()[1]) for line in self.lines if line.startswith("acknowledged")}


def _until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.01)


def test_a_host_that_lay_stopped_acknowledges_nothing_its_successor_does_not_know(
    url: str,
) -> None:
    old = Old(url, stop_at=20)
    try:
        old.wait_stopped()
        before = set(old.acknowledged)
        assert before == set(range(1, 20))
        new = JournalStore(url, "h")
        result: queue.Queue[object] = queue.Queue()

        def take_over() -> None:
            try:
                new.take_over(patience_s=DEADLINE_S)
                result.put({row.seq for row in new.rows_of(1, first=0)})
            except BaseException as error:
                result.put(error)

        taking = threading.Thread(target=take_over, daemon=True)
        taking.start()
        if url.startswith("sqlite"):
            # The stopped process holds the file: its successor waits until it goes on or dies.
            taking.join(0.3)
            assert taking.is_alive()
            old.go_on()
        known = result.get(timeout=DEADLINE_S)
        assert isinstance(known, set), known
        if not url.startswith("sqlite"):
            old.go_on()  # its transaction was ended by the database meanwhile
        _until(lambda: "stopped" in old.lines)
        assert before <= known
        assert old.acknowledged <= known, "acknowledged, and the successor does not know of it"
        new.write([Row(1, max(known) + 1, "action", b'{"by":"new"}')], [], [])
        after = {row.seq: row.body["by"] for row in new.rows_of(1, first=0)}
        assert [seq for seq, by in after.items() if by == "new"] == [max(known) + 1]
        assert set(after) == known | {max(known) + 1}
        new.close()
    finally:
        old.end()


def test_on_sqlite_a_killed_predecessor_lets_go_at_once(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/journal.db"
    old = Old(url, stop_at=5)
    old.wait_stopped()
    old.end()
    new = JournalStore(url, "h")
    assert new.take_over(patience_s=DEADLINE_S) == 2
    assert {row.seq for row in new.rows_of(1, first=0)} == old.acknowledged == {1, 2, 3, 4}
    new.close()


def test_whatever_the_moment_of_the_takeover(url: str) -> None:
    """Writers of one epoch after the other, each overtaken while it writes as fast as it can."""
    acknowledged: dict[int, set[int]] = {}
    stores: list[JournalStore] = []
    known: set[int] = set()
    for epoch in range(1, 9):
        store = JournalStore(url, "h")
        assert store.take_over(patience_s=DEADLINE_S) == epoch
        stores.append(store)
        known = {row.seq for row in store.rows_of(1, first=0)}
        for earlier, numbers in acknowledged.items():
            assert numbers <= known, f"epoch {earlier} acknowledged what epoch {epoch} lacks"
        mine = acknowledged[epoch] = set()
        stopped = threading.Event()

        def deliver(batches: object, seconds: float, rows: int) -> None:
            for batch in batches:  # type: ignore[attr-defined]
                batch.release()

        journal = Journal(store=store, deliver=deliver, on_stopped=stopped.set, spacing_ms=0)
        journal.start()
        for number in range(max(known, default=0) + 1, max(known, default=0) + 200):
            journal.submit(
                Batch([Row(1, number, "action", b"{}")], lambda n=number, m=mine: m.add(n))
            )
        _until(lambda m=mine: len(m) > 5)
    with pytest.raises(Fenced):
        stores[0].write([Row(1, 10**6, "action", b"{}")], [], [])
    for store in stores:
        store.close()


def test_a_transaction_that_stands_still_is_ended_by_postgresql(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_store, "IDLE_IN_TRANSACTION_MS", 200)
    url = postgres.replace("postgresql://", "postgresql+psycopg://")
    old, new = JournalStore(url, "stands"), JournalStore(url, "stands")
    old.take_over()
    with pytest.raises(sa.exc.DBAPIError), old.engine.begin() as connection:
        old.check_owner(connection)
        assert new.take_over(patience_s=DEADLINE_S) == 2
        connection.execute(sa.text("SELECT 1"))
    old.close()
    new.close()
