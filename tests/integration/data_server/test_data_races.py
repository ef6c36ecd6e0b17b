"""Many at once, and callers that go away: each thing happens once, nothing leaks."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import Any

import grpc
import psycopg
import pytest
from data_hall import Client, Host, Player, eventually, hand
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, data_pb2


async def seated(hall: Client, count: int = 2) -> tuple[Host, Any, list[Player], list[int]]:
    host, table = await hall.host(), await hall.table()
    players = [await hall.guest() for _ in range(count)]
    sittings = [(await host.sit(p, table, i)).sitting for i, p in enumerate(players)]
    return host, table, players, sittings


async def test_fifty_equal_settlements_at_once_book_one(hall: Client) -> None:
    host, table, (a, b), sat = await seated(hall)
    one = hand(table, 1, [(a, 0, sat[0], 40), (b, 1, sat[1], -50)], fee=5)
    replies = await asyncio.gather(*(host.settle(one) for _ in range(50)))
    results = [reply.results[0] for reply in replies]
    assert {r.refusal.code for r in results} == {""}
    assert len({r.entry for r in results}) == 1
    assert sum(not r.repeated for r in results) == 1
    checked = await hall.check()
    assert (checked.settlements, checked.escrow) == (1, 1990)


async def test_fifty_sit_downs_under_one_operation_take_one_seat(hall: Client) -> None:
    host, table = await hall.host(), await hall.table()
    player = await hall.guest()
    op = new_op()
    replies = await asyncio.gather(*(host.sit(player, table, 0, op=op) for _ in range(50)))
    assert len({r.SerializeToString(deterministic=True) for r in replies}) == 1
    assert replies[0].sitting and await hall.coins(player) == 9_000


async def test_of_many_who_want_a_seat_one_gets_it(hall: Client) -> None:
    host, table = await hall.host(), await hall.table()
    players = [await hall.guest() for _ in range(20)]
    replies = await asyncio.gather(*(host.sit(p, table, 0) for p in players))
    codes = sorted(r.refusal.code for r in replies)
    assert codes == [""] + ["SEAT_TAKEN"] * 19
    assert (await hall.check()).escrow == 1000


async def test_hosts_share_the_house_without_a_dead_lock(hall: Client) -> None:
    hosts, work = [], []
    for n in range(6):
        host, table = await hall.host(f"gs1/h{n}"), await hall.table()
        a, b = await hall.guest(), await hall.guest()
        sat = [(await host.sit(p, table, i)).sitting for i, p in enumerate([a, b])]
        hosts.append(host)
        for number in range(1, 11):
            batch = [
                hand(table, number * 10 + k, [(a, 0, sat[0], -1), (b, 1, sat[1], -1)], fee=1)
                for k in range(3)
            ]
            work.append(host.settle(*batch))
    replies = await asyncio.gather(*work)
    assert not any(x.HasField("refusal") for reply in replies for x in reply.results)
    checked = await hall.check()
    assert checked.settlements == 180 and checked.escrow == 6 * (2000 - 60)


async def test_callers_that_go_away_leave_the_pool_as_it_was(hall: Client) -> None:
    host, table, (a, b), sat = await seated(hall)
    database = hall.server.database

    async def cut(number: int) -> None:
        one = hand(table, number, [(a, 0, sat[0], 1), (b, 1, sat[1], -1)])
        call = hall.ledger.Settle(
            data_pb2.SettleRequest(host=host.shown, settlements=[one]),
            timeout=None,
        )
        await asyncio.sleep(0.0005 * (number % 7))
        call.cancel()

    await asyncio.gather(*(cut(number) for number in range(1, 201)))

    async def quiet() -> bool:
        return database.pool_in_use() == 0 and hall.server.lanes.settlements.working == 0

    await eventually(quiet)
    pool: Any = database.engine.pool
    assert 0 < pool.checkedin() + pool.checkedout() <= pool.size()
    replies = await asyncio.gather(
        *(
            host.settle(hand(table, n, [(a, 0, sat[0], 1), (b, 1, sat[1], -1)]))
            for n in range(1, 201)
        )
    )
    assert not any(reply.results[0].HasField("refusal") for reply in replies)
    assert (await hall.check()).settlements == 200
    assert (await host.stand(sat[0])).returned == 1200


async def test_a_database_that_drops_its_connections_is_used_again(
    start, postgres_url: str
) -> None:  # type: ignore[no-untyped-def]
    client: Client = await start(database_url=postgres_url)
    player = await client.guest()
    with psycopg.connect(postgres_url.replace("+psycopg", ""), autocommit=True) as connection:
        for _ in range(3):
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
            assert await client.coins(player) == 10_000
            await client.guest()


async def test_a_locked_database_is_told_as_unavailable(
    start: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("data_server.store.database.BUSY_MS", 20)
    client: Client = await start()
    player = await client.guest()
    file = client.server.settings.url().removeprefix("sqlite:///")
    other = sqlite3.connect(file, isolation_level=None, check_same_thread=False)
    await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
    host_call = client.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=1))
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await host_call
    assert error.value.code() == grpc.StatusCode.UNAVAILABLE
    assert dict(error.value.trailing_metadata() or ())["retry-after-ms"]
    other.execute("ROLLBACK")
    other.close()
    assert await client.coins(player) == 10_000
    await client.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=1))


FORBIDDEN = (
    "UPDATE posting SET amount = amount + 1",
    "DELETE FROM posting",
    "DELETE FROM journal_entry",
    "UPDATE settlement SET hand = hand + 1",
    "UPDATE account SET balance = -1 WHERE kind = 'wallet'",
    # without an entry
    "INSERT INTO posting (entry_id, account_id, amount) "
    "SELECT 1, id, 5 FROM account WHERE kind = 'wallet'",
    # added to an entry that is sealed
    "INSERT INTO posting (entry_id, account_id, amount) SELECT (SELECT MIN(id) FROM "
    "journal_entry), id, 5 FROM account WHERE kind = 'house' AND owner = 0 AND currency = 1",
)


async def test_the_database_itself_keeps_the_books(hall: Client) -> None:
    host, table, (a, b), sat = await seated(hall)
    await host.settle(hand(table, 1, [(a, 0, sat[0], 1), (b, 1, sat[1], -1)]))
    for statement in FORBIDDEN:
        with pytest.raises(DBAPIError):
            await hall.server.database.write(lambda tx, s=statement: tx.execute(text(s)))
    await hall.check()


async def test_an_entry_that_does_not_sum_to_zero_is_refused(hall: Client) -> None:
    await seated(hall, 1)

    def forge(tx: Any) -> None:
        tx.execute(
            text(
                "INSERT INTO posting (entry_id, account_id, amount) "
                "SELECT 1, id, 5 FROM account WHERE kind = 'wallet'"
            )
        )
        tx.execute(
            text(
                "INSERT INTO journal_entry (id, kind, currency, reason, created_us) "
                "VALUES (1, 'grant', 1, '', 0)"
            )
        )

    with pytest.raises(DBAPIError, match="sum to zero"):
        await hall.server.database.write(forge)
    await hall.check()


async def test_amounts_beyond_the_limit_are_refused(hall: Client) -> None:
    host, table, (a, b), sat = await seated(hall)
    huge = hand(table, 1, [(a, 0, sat[0], 2**62), (b, 1, sat[1], -(2**62))])
    strange = hand(table, 2, [(a, 0, sat[0], 1), (b, 1, sat[1], -1)], currency=common_pb2.SCORE)
    reply = await host.settle(huge, strange)
    assert [r.refusal.code for r in reply.results] == ["BAD_AMOUNT", "NO_SUCH_SITTING"]
