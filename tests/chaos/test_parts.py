"""The harness itself: what it cuts is cut, and what is broken it says."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from hall_client.events import Connected, TableChanged, TableClosed
from hall_client.load.booked import Booked
from hall_client.load.books import Books
from hall_client.load.evidence import Verdict
from hall_client.load.gaps import Gaps
from hall_client.load.outage import Outage, summary
from hall_client.load.result import Latency, LoadResult
from hall_client.mirror import Outcome
from paiju.cli.chaos.figures import Findings, figures
from paiju.cli.chaos.network import Proxy
from paiju.cli.chaos.poison import KINDS, Mind, Order, write_packages
from paiju.cli.databases import SLOW_S, OwnPostgres, SqliteFile
from paiju.rules.registry import Registry

RESULT = LoadResult(
    players=3,
    hands=5,
    voided=0,
    actions=9,
    latency_samples=9,
    latency_ms=Latency(1.0, 1.0, 1.0),
    resumes=0,
    resumed_by_snapshot=0,
    views_checked=9,
    view_mismatches=0,
    too_late=0,
    broke=0,
    seconds=1.0,
)
BOOKS = Books(sum=0, unbalanced=0, escrow=0, open_sittings=0, settlements=5, voided=0, records=5)


def held() -> Findings:
    """A run in which every guarantee held."""
    return Findings(
        blows=1,
        samples=[1.0],
        result=RESULT,
        books=BOOKS,
        verdict=Verdict(acknowledged=9, recorded=9),
        verified=5,
    )


def test_a_run_in_which_all_held_is_not_broken() -> None:
    told = figures("host", held())
    assert told["broken"] == []
    assert told["recovered_ms"] == {"samples": 1, "p50": 1000.0, "max": 1000.0}


@pytest.mark.parametrize(
    "fault",
    [
        {"blows": 0},
        {"samples": []},
        {"missing": 1},
        {"interrupted": {3}},
        {"verdict": Verdict(lost=["one"])},
        {"verdict": Verdict(double=["one"])},
        {"voided": {(1, 2)}},
        {"books": replace(BOOKS, sum=1)},
        {"books": replace(BOOKS, unbalanced=1)},
        {"books": replace(BOOKS, escrow=1)},
        {"books": replace(BOOKS, open_sittings=1)},
        {"books": replace(BOOKS, settlements=6)},
        {"books": replace(BOOKS, settlements=4, records=4), "verified": 4},
        {"verified": 4},
        {"wrong": ["record 1/2"]},
        {"gauges": ["sessions: 1, recounted 0"]},
        {"result": replace(RESULT, view_mismatches=1)},
        {"result": replace(RESULT, error_count=1)},
        {"broken": ["what only this scenario promises"]},
    ],
)
def test_whatever_is_broken_is_said(fault: dict[str, object]) -> None:
    found = held()
    for name, value in fault.items():
        setattr(found, name, value)
    assert figures("host", found)["broken"]


# ---- what clients saw --------------------------------------------------------------------------


def _changed(table: int) -> TableChanged:
    return TableChanged(table, 1, 1, Outcome.APPLIED, snapshot=False)


def test_clients_that_heard_nothing_are_back_when_they_hear() -> None:
    now = [10.0]
    outage = Outage(clock=lambda: now[0])
    outage.silenced([1, 2])
    now[0] += 2
    outage.saw(1, _changed(7))
    outage.saw(1, _changed(7))
    assert outage.waiting == 1
    now[0] += 1
    outage.saw(2, Connected("g", resumed=True))
    assert (outage.waiting, outage.samples) == (0, [2.0, 3.0])


def test_the_longest_silence_of_each_table_counts() -> None:
    now = [0.0]
    gaps = Gaps(clock=lambda: now[0])
    gaps.saw(1, _changed(7))
    gaps.saw(1, _changed(8))
    gaps.saw(1, _changed(9))
    now[0] = 50.0
    gaps.begin()
    now[0] = 54.0
    gaps.saw(1, _changed(7))
    gaps.saw(2, TableClosed(9, "STOOD"))
    assert not gaps.all_since(53.0)
    now[0] = 57.0
    gaps.saw(1, _changed(8))
    gaps.saw(2, _changed(7))
    assert gaps.all_since(53.0)
    assert sorted(gaps.longest()) == [4.0, 7.0]


def test_percentiles_are_nearest_ranks() -> None:
    assert summary([]) == {"samples": 0, "p50": 0.0, "max": 0.0}
    assert summary([3.0, 1.0, 2.0, 4.0]) == {"samples": 4, "p50": 2000.0, "max": 4000.0}


async def test_hands_are_waited_for_until_they_are_booked(tmp_path: Path) -> None:
    path = tmp_path / "hall.sqlite3"
    ended = [(1, 1), (1, 2)]
    engine = create_engine(f"sqlite:///{path}")
    booked = Booked(engine, lambda: ended)
    booked.mark()
    assert not await booked.all(), "there is no such table yet"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE settlement (table_id, hand)")
        database.execute("INSERT INTO settlement VALUES (1, 1)")
    assert not await booked.all()
    with sqlite3.connect(path) as database:
        database.execute("INSERT INTO settlement VALUES (1, 2)")
    ended.append((1, 3))
    assert await booked.all(), "what ended later is not waited for"
    engine.dispose()


# ---- what is cut -------------------------------------------------------------------------------


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(100):
        writer.write(data)
    writer.close()


async def test_a_silent_network_keeps_what_was_sent_and_a_refusing_one_resets() -> None:
    server = await asyncio.start_server(_echo, "127.0.0.1", 0)
    proxy = Proxy()
    address = await proxy.start(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
    port = int(address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b"one")
    assert await asyncio.wait_for(reader.readexactly(3), 10) == b"one"

    proxy.silence()
    writer.write(b"two")
    late_reader, late_writer = await asyncio.open_connection("127.0.0.1", port)
    late_writer.write(b"new")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(reader.read(1), 0.2)
    proxy.mend()
    assert await asyncio.wait_for(reader.readexactly(3), 10) == b"two"
    assert await asyncio.wait_for(late_reader.readexactly(3), 10) == b"new"

    proxy.refuse()
    with pytest.raises(ConnectionError):
        await asyncio.wait_for(reader.read(1), 10)
    with pytest.raises(ConnectionError):
        other_reader, _ = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.wait_for(other_reader.readexactly(1), 10)
    proxy.mend()
    again, again_writer = await asyncio.open_connection("127.0.0.1", port)
    again_writer.write(b"three")
    assert await asyncio.wait_for(again.readexactly(5), 10) == b"three"
    for one in (writer, late_writer, again_writer):
        one.close()
    await proxy.close()
    server.close()


def test_an_sqlite_file_that_is_struck_takes_no_writes(tmp_path: Path) -> None:
    database = SqliteFile(tmp_path)
    url = database.start().removeprefix("sqlite:///")
    with sqlite3.connect(url) as other:
        other.execute("CREATE TABLE one (number)")
    database.strike("locked")
    with sqlite3.connect(url, timeout=0.05) as other, pytest.raises(sqlite3.OperationalError):
        other.execute("INSERT INTO one VALUES (1)")
    database.come_back()
    with sqlite3.connect(url) as other:
        other.execute("INSERT INTO one VALUES (1)")


def test_a_postgresql_that_is_struck_and_keeps_what_it_had_said(tmp_path: Path) -> None:
    import psycopg

    database = OwnPostgres(tmp_path)
    url = database.start().replace("+psycopg", "")
    try:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE TABLE one (number int)")
            connection.execute("INSERT INTO one VALUES (1)")
            _is_read_only_for_a_while(database, connection)
            _is_slow_for_a_while(database, connection)
            database.strike("dead")
            with pytest.raises(psycopg.OperationalError):
                connection.execute("SELECT 1")
        with pytest.raises(psycopg.OperationalError):
            psycopg.connect(url)
        database.come_back()
        with psycopg.connect(url) as connection:
            found = connection.execute("SELECT number FROM one ORDER BY number").fetchall()
            assert found == [(1,), (2,)]
    finally:
        database.stop()


def _is_read_only_for_a_while(database: OwnPostgres, connection: Any) -> None:
    """Also for who was connected before."""
    import psycopg

    database.strike("read-only")
    _until(lambda: _reads_only(connection))
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        connection.execute("INSERT INTO one VALUES (2)")
    database.come_back()
    _until(lambda: not _reads_only(connection))
    connection.execute("INSERT INTO one VALUES (2)")


def _reads_only(connection: Any) -> bool:
    (shown,) = connection.execute("SHOW transaction_read_only").fetchone()
    return bool(shown == "on")


def _is_slow_for_a_while(database: OwnPostgres, connection: Any) -> None:
    def slowest_s() -> float:
        longest = 0.0
        for _ in range(40):
            begun = time.monotonic()
            connection.execute("SELECT 1")
            longest = max(longest, time.monotonic() - begun)
            time.sleep(0.02)
        return longest

    database.strike("slow")
    assert slowest_s() > SLOW_S[0] / 2
    database.come_back()
    _until(lambda: slowest_s() < SLOW_S[0] / 2)


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_poisoned_packages_are_games_like_others_until_somebody_says_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import games

    write_packages(tmp_path)
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path / "games")])
    registry = Registry.default()
    rooms = {room.id for room in registry.rooms()}
    assert {f"poison_{kind}.room" for kind in KINDS} <= rooms
    game = registry.latest("poison_raise")
    state = game.new_state(3)
    before = state.hash()
    with pytest.raises(RuntimeError):
        state.apply(0, game.parse(state, 0, "harm"))
    assert state.hash() == before
    while not state.is_terminal():
        (seat,) = state.to_act()
        state.apply(seat, state.default_action(seat))
    assert sum(state.outcome().deltas) == 0
    assert game.load(state.dump()).hash() == state.hash()


def test_harm_is_done_in_one_hand_by_whoever_is_asked_there() -> None:
    order = Order()
    first, second = Mind(order), Mind(order)

    def asked(mind: Mind, hand: int) -> str:
        return mind.choose({"@table": {"id": "7"}, "@hand": hand})

    assert asked(first, 3) == "pass"
    order.give()
    assert [asked(second, 4), asked(first, 4)] == ["harm", "harm"], "it may not have been heard"
    assert order.hand == (7, 4), "the hand in which it was said, not one that was looked at later"
    assert [asked(first, 5), asked(second, 5)] == ["pass", "pass"]
    order.give()  # hand 4 ended before it was heard
    assert asked(first, 6) == "harm" and order.hand == (7, 6)
    order.wanted = False
    assert asked(first, 6) == "pass"
