"""A full disk, a read-only or a slow database: RETRY, clocks stop, and it goes on by itself."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from game_server.tables.journal_store import ANSWERED, Row
from game_server.tables.retention import Retention
from paiju.service import ids
from paiju.wire.v1 import hall_pb2
from tests.unit.tables.host_rig import Rig, until
from tests.unit.tables.test_recovery import hint, play_out, three_play

STALL_S = 0.2


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(f"sqlite:///{tmp_path}/journal.db", stall_s=STALL_S)
    yield rig
    await rig.kill()


class Fault:
    """What is wrong with the database, while it is."""

    def __init__(self, rig: Rig, kind: str, path: Path) -> None:
        self._kind = kind
        self._path = path
        self._on = False
        self._release = threading.Event()
        self._files, self._most = resource.getrlimit(resource.RLIMIT_FSIZE)
        self._holder: threading.Thread | None = None
        sa.event.listen(rig.store.engine, "checkout", self._set)

    def _set(self, connection: sqlite3.Connection, *_: object) -> None:
        if self._kind == "full":
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            connection.execute(f"PRAGMA max_page_count = {pages if self._on else 2**30}")
        elif self._kind == "read-only":
            connection.execute(f"PRAGMA query_only = {int(self._on)}")

    def begin(self) -> None:
        self._on = True
        if self._kind == "no space":  # the kernel refuses: files of this process grow no more
            size = self._path.with_name(f"{self._path.name}-wal").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, self._most))
        if self._kind == "slow":
            held = threading.Event()
            self._holder = threading.Thread(target=self._hold, args=(held,))
            self._holder.start()
            assert held.wait(10)

    def _hold(self, held: threading.Event) -> None:
        with sqlite3.connect(self._path, isolation_level=None) as other:
            other.execute("BEGIN IMMEDIATE")
            held.set()
            self._release.wait(30)
            other.execute("ROLLBACK")

    def end(self) -> None:
        self._on = False
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._files, self._most))
        self._release.set()
        if self._holder is not None:
            self._holder.join(10)


@pytest.mark.parametrize("kind", ["full", "no space", "read-only", "slow"])
async def test_nothing_is_shown_nothing_is_lost_and_nobody_pays_with_time(
    rig: Rig, tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    fault = Fault(rig, kind, tmp_path / "journal.db")
    ref, link = await three_play(rig)
    await until(lambda: rig.journal.unwritten_age_s() == 0)
    table = rig.table(ref)
    player, act = hint(rig, ref)
    seen = len(link.updates(player))
    request.addfinalizer(fault.end)
    fault.begin()
    if kind in ("full", "no space"):  # an action alone may still find room
        rig.host.out.row(Row(1, 1, "filler", bytes(1_000_000)))
    asked = asyncio.ensure_future(rig.ask(link, player, act=act))
    await until(lambda: rig.host.stall)
    answer = await rig.ask(link, player, watch=hall_pb2.Watch(table=ref))
    assert answer.refusal.code == "RETRY"
    assert answer.refusal.retry_after_ms > 0
    due = table.next_due()
    assert due is not None
    if kind != "slow":  # a lock is waited for; it is no failure yet
        await until(lambda: rig.failing and rig.failing[-1])
    assert len(link.updates(player)) == seen, "shown before it is on disk"
    assert not asked.done()
    fault.end()
    assert (await asked).HasField("acted")
    await until(lambda: not rig.host.stall)
    assert table.next_due() >= due + int(STALL_S * 1000), "the stall was charged to somebody"
    assert not (rig.failing and rig.failing[-1]), "the alert is over"
    await play_out(rig, link, ref)
    await until(lambda: rig.ledger.settled)


async def test_retention_keeps_what_a_restart_needs(tmp_path: Path) -> None:
    now, wall = [0.0], [10**15]
    retention = Retention(
        rows_keep_s=60.0,
        outbox_keep_s=3600.0,
        every_s=0.0,
        clock=lambda: now[0],
        now_us=lambda: wall[0],
    )
    url = f"sqlite:///{tmp_path}/journal.db"
    rig = Rig(url, retention=retention)
    ref, link = await three_play(rig)
    for _ in range(3):
        await play_out(rig, link, ref)
        for player in (1, 2, 3):
            await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    await rig.outbox.empty()
    await rig.host.out.written()
    kinds = [row.kind for row in rig.store.rows_of(ref.table, first=0)]
    assert kinds.count("hand_begin") == 4
    await asyncio.to_thread(retention.forget, rig.store)
    assert len(rig.store.rows_of(ref.table, first=0)) == len(kinds), "not old enough"
    now[0] += 61.0
    await asyncio.to_thread(retention.forget, rig.store)
    left = rig.store.rows_of(ref.table, first=0)
    assert [row.kind for row in left].count("hand_begin") == 2, "the last hand and the one before"
    assert left[0].kind == "hand_begin"
    assert len(rig.store.settlements(ANSWERED)) == 3
    wall[0] = ids.now_us() + 3601 * 10**6
    await asyncio.to_thread(retention.forget, rig.store)
    assert rig.store.settlements(ANSWERED) == []
    before = rig.table(ref)
    await rig.kill()

    rig = Rig(url, ledger=rig.ledger)
    await rig.recover()
    assert rig.table(ref).hand.state.hash() == before.hand.state.hash()
    await rig.host.stand_all_up()
    again = Retention(rows_keep_s=0.0)
    again.closed(rig.store.closed_tables())
    await asyncio.to_thread(again.forget, rig.store)
    assert rig.store.rows_of(ref.table, first=0) == [], "a closed table leaves nothing behind"
    await rig.kill()
