"""Locked tables: only who says the key sits down or looks on; others learn no names."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from game_server.tables.lock import KNOCKS, KNOCKS_PER_S, Lock, lock_of
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2
from tests.unit.tables.harness import ROOM
from tests.unit.tables.host_rig import FakeLink, Ledger, Rig

KEY = "plum blossom"


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    made = Rig(f"sqlite:///{tmp_path}/journal.db")
    yield made
    await made.kill()


async def own_table(rig: Rig, link: FakeLink, player: int, key: str = KEY) -> common_pb2.TableRef:
    asked = hall_pb2.QuickJoin(room=ROOM.id, own=True, key=key)
    return (await rig.ask(link, player, quick_join=asked)).seated.table


def sit(ref: common_pb2.TableRef, key: str) -> hall_pb2.Sit:
    return hall_pb2.Sit(table=ref, seat=1, key=key)


async def test_only_the_key_opens_seats_and_the_board(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = await own_table(rig, link, 1)
    for key in ("", "plum", KEY + " "):
        for body in ({"sit": sit(ref, key)}, {"watch": hall_pb2.Watch(table=ref, key=key)}):
            answer = await rig.ask(link, 2, **body)
            assert answer.refusal.code == "TABLE_LOCKED", (key, body)
    assert link.updates(2) == []
    answer = await rig.ask(link, 2, sit=sit(ref, KEY))
    assert answer.seated.seat == 1
    answer = await rig.ask(link, 3, watch=hall_pb2.Watch(table=ref, key=KEY))
    assert answer.HasField("done")
    (seen,) = link.updates(3)
    assert seen.snapshot.seat == protocol.SPECTATOR


async def test_a_key_is_not_found_by_trying(rig: Rig) -> None:
    """People take short ones. With guests that cost nothing all of four digits were tried in
    minutes; now a table hears so many, whoever asks. Who is in already is not held up."""
    link = rig.link("gateway-0")
    ref = await own_table(rig, link, 1, "1234")
    await rig.ask(link, 3, watch=hall_pb2.Watch(table=ref, key="1234"))
    heard = 0
    for number in range(200):
        watch = hall_pb2.Watch(table=ref, key=f"{number:04}")
        answer = await rig.ask(link, 1_000 + number, watch=watch)
        heard += answer.refusal.code == "TABLE_LOCKED"
        assert answer.refusal.code in ("TABLE_LOCKED", "TOO_FAST")
    assert heard <= KNOCKS + 20 * KNOCKS_PER_S
    again = await rig.ask(link, 3, watch=hall_pb2.Watch(table=ref))
    assert again.HasField("done")
    late = await rig.ask(link, 4, sit=sit(ref, "1234"))
    assert late.refusal.code == "TOO_FAST" and late.refusal.retry_after_ms > 0


async def test_who_said_the_key_once_comes_back_without_it(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = await own_table(rig, link, 1)
    await rig.ask(link, 3, watch=hall_pb2.Watch(table=ref, key=KEY))
    again = await rig.ask(link, 3, watch=hall_pb2.Watch(table=ref))
    own = await rig.ask(link, 1, watch=hall_pb2.Watch(table=ref))
    assert again.HasField("done") and own.HasField("done")


async def test_quick_join_never_leads_to_a_locked_table(rig: Rig) -> None:
    link = rig.link("gateway-0")
    locked = await own_table(rig, link, 1)
    other = (await rig.join(link, 2)).seated.table
    assert other.table != locked.table
    own = await own_table(rig, link, 3, key="")
    assert own.table not in (locked.table, other.table), "a table of one's own, open to all"
    assert (await rig.join(link, 4)).seated.table.table in (own.table, other.table)


async def test_the_grid_tells_no_names_of_a_locked_table(rig: Rig) -> None:
    link = rig.link("gateway-0")
    locked = await own_table(rig, link, 1)
    await rig.ask(link, 9, watch_grid=hall_pb2.WatchGrid(room=ROOM.id))
    grids = [
        hall_pb2.Update.FromString(event.deliver.update).grid
        for event in link.events
        if 9 in event.deliver.players
    ]
    (table,) = [table for grid in grids for table in grid.tables if table.table == locked.table]
    assert table.locked
    assert [(seat.seat, seat.player, seat.name) for seat in table.seats] == [(0, 0, "")]


async def test_an_empty_locked_table_is_closed(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = await own_table(rig, link, 1)
    await rig.ask(link, 1, stand=hall_pb2.Stand(table=ref))
    rig.host.desk.close_spare_tables()
    assert ref.table not in rig.host.desk.shards[ref.room, ref.shard].tables


async def test_a_lock_survives_its_host(tmp_path: Path) -> None:
    url, ledger = f"sqlite:///{tmp_path}/journal.db", Ledger()
    first = Rig(url, ledger=ledger)
    ref = await own_table(first, first.link("gateway-0"), 1)
    await first.kill()
    second = Rig(url, ledger=ledger, first_table=2000)
    await second.recover()
    link = second.link("gateway-0")
    refused = await second.ask(link, 2, sit=sit(ref, "guess"))
    taken = await second.ask(link, 2, sit=sit(ref, KEY))
    await second.kill()
    assert refused.refusal.code == "TABLE_LOCKED"
    assert taken.seated.seat == 1
    assert isinstance(taken, host_pb2.HostAnswer)


def test_a_lock_is_bound_to_its_table() -> None:
    assert lock_of(1, "") == "" and not Lock(1, "")
    Lock(1, "").admit(7, "anything", now=0.0)
    assert lock_of(1, KEY) != lock_of(2, KEY)
    Lock(1, lock_of(1, KEY)).admit(7, KEY, now=0.0)
    with pytest.raises(Refused, match="TABLE_LOCKED"):
        Lock(2, lock_of(1, KEY)).admit(7, KEY, now=0.0)
    assert KEY not in lock_of(1, KEY)
