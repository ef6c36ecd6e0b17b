"""The whole life of a host's journal on SQLite and on a PostgreSQL that two hosts share."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from game_server.tables.journal_identity import shared_journal
from game_server.tables.journal_store import ANSWERED, WAITING, JournalStore
from game_server.tables.retention import Retention
from paiju.wire.v1 import hall_pb2
from tests.unit.tables.host_rig import Rig, until
from tests.unit.tables.test_recovery import move, play_out, three_play


async def test_killed_in_a_hand_rebuilt_settled_and_forgotten(url: str) -> None:
    rig = Rig(url)
    neighbour = JournalStore(url, "another host")
    neighbour.take_over()
    ref, link = await three_play(rig, moves=3)
    before = rig.table(ref)
    await rig.kill()

    assert neighbour.open_tables() == []
    rig = Rig(url, ledger=rig.ledger, seed="second life", first_table=2000)
    await rig.recover()
    table = rig.table(ref)
    assert table.hand.state.hash() == before.hand.state.hash()
    assert table.stream.seq == before.stream.seq
    link = rig.link("gateway-0")
    await move(rig, link, ref)
    rig.ledger.gate.clear()
    await play_out(rig, link, ref)
    await rig.host.out.written()
    assert len(rig.store.settlements(WAITING)) == 1
    await rig.kill()

    rig.ledger.gate.set()
    rig = Rig(url, ledger=rig.ledger, seed="third life", first_table=3000)
    await rig.recover()
    await until(lambda: rig.ledger.settled)
    await rig.outbox.empty()
    await rig.host.out.written()
    assert rig.store.settlements(WAITING) == []
    assert len(rig.store.settlements(ANSWERED)) == 1
    link = rig.link("gateway-0")
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    assert rig.table(ref).hand_number == 2
    await rig.host.stand_all_up()
    assert rig.ledger.open == {}
    assert rig.store.open_tables() == []
    retention = Retention(rows_keep_s=0.0, outbox_keep_s=-60.0)
    retention.closed(rig.store.closed_tables())
    await asyncio.to_thread(retention.forget, rig.store)
    assert rig.store.rows_of(ref.table, first=0) == []
    assert rig.store.settlements(ANSWERED) == []
    await rig.kill()
    neighbour.close()


def test_hosts_know_whether_they_share_a_journal(url: str) -> None:
    stores = [JournalStore(url, f"h{number}") for number in range(6)]
    with ThreadPoolExecutor(6) as threads:  # the first who come make the table, all at once
        marks = set(threads.map(lambda store: shared_journal(store.engine, b"key"), stores))
    if url.startswith("sqlite"):
        assert marks == {""}, "a file is nobody else's"
    else:
        (mark,) = marks
        assert len(mark) == 64
        assert shared_journal(stores[0].engine, b"another key") != mark
    for store in stores:
        store.close()
