"""Copies of a running hall, and the drill: a minute is lost, hosts send it again."""

from __future__ import annotations

import asyncio
import json
import os
import sqlite3
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from data_hall import Client, Host, Player, hand
from typer.testing import CliRunner

from paiju.cli.admin import app
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2


class Wall:
    def __init__(self) -> None:
        self.now = time.time_ns() // 1000

    def __call__(self) -> int:
        return self.now


async def command(*arguments: str) -> tuple[int, dict[str, Any], str]:
    """(exit code, JSON, what was said to the operator)"""
    result = await asyncio.to_thread(CliRunner().invoke, app, [*arguments, "--json", "-"])
    return result.exit_code, json.loads(result.stdout or "{}"), result.stderr


def where(folder: Path) -> list[str]:
    return ["--data-dir", str(folder), "--database-url", f"sqlite:///{folder}/hall.sqlite3"]


async def play(
    client: Client, host: Host, hands: int, *, first: int = 1, seats: Any = None
) -> tuple[Any, list[data_pb2.Settlement]]:
    """Two players and so many hands; (table, players, sittings) and the settlements."""
    if seats is None:
        table = await client.table()
        players = [await client.guest() for _ in range(2)]
        sittings = [(await host.sit(p, table, i, 4000)).sitting for i, p in enumerate(players)]
        seats = (table, players, sittings)
    table, (a, b), (x, y) = seats
    settled = [
        hand(table, number, [(a, 0, x, 10), (b, 1, y, -10)])
        for number in range(first, first + hands)
    ]
    for one in settled:
        reply = await host.settle(one)
        assert not reply.results[0].HasField("refusal"), reply
    return seats, settled


async def test_a_copy_taken_while_hands_are_settled_is_one_even_moment(
    start: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "hall"
    client: Client = await start(data_dir=folder)
    host = await client.host()
    playing = asyncio.ensure_future(play(client, host, 150))
    made = []
    for number in range(4):
        code, found, _ = await command("backup", str(tmp_path / f"{number}.db"), *where(folder))
        assert code == 0
        made.append(found)
    assert not playing.done(), "the copies were to be taken under play"
    await playing
    counts = [found["settlements"] for found in made]
    assert counts == sorted(counts)
    assert stat.S_IMODE((tmp_path / "0.db").stat().st_mode) == 0o600
    names = {path.name for path in tmp_path.iterdir()}
    assert {"0.db", "1.db", "2.db", "3.db"} <= names
    assert not any(name.endswith(("-wal", "-shm")) or name.startswith(".") for name in names)
    assert (await client.check()).settlements == 150
    code, _, err = await command("backup", str(tmp_path / "0.db"), *where(folder))
    assert code == 1 and "exists" in err


async def test_the_drill(start: Any, tmp_path: Path) -> None:
    """A copy, then a minute of play that the database forgets; hosts remember."""
    folder, saved = tmp_path / "hall", tmp_path / "saved.db"
    wall = Wall()
    client: Client = await start(data_dir=folder, server={"clock": wall})
    host = await client.host()
    staying, sent = await play(client, host, 5)
    leaving, more = await play(client, host, 5)
    sent += more
    assert (await command("backup", str(saved), *where(folder)))[0] == 0
    wall.now += 60 * 10**6

    # the minute: one table plays on, one is left, a new one is opened
    _, more = await play(client, host, 5, first=6, seats=staying)
    sent += more
    _, more = await play(client, host, 2, first=6, seats=leaving)
    sent += more
    for sitting in leaving[2]:
        await host.stand(sitting)
    young, lost = await play(client, host, 3)
    before = await client.check()
    newest_id = young[2][1]

    code, _, err = await command("restore", str(saved), "--reason", "drill", *where(folder))
    assert code == 1 and "stop it first" in err
    await client.server.stop()
    code, found, err = await command("restore", str(saved), "--reason", "drill", *where(folder))
    assert code == 0, err
    assert found["settlements"] == 10 and Path(found["aside"]).exists()
    assert (folder / "hall.sqlite3").stat().st_mode & 0o077 == 0

    again: Client = await start(data_dir=folder, server={"clock": wall})
    assert (await again.check()).settlements == 10
    await restored_host(again, host)
    shown = data_pb2.HostEpoch(host=host.name, epoch=host.epoch)
    reply = await again.ledger.Settle(
        data_pb2.SettleRequest(host=shown, settlements=[*sent, *lost])
    )
    codes = [result.refusal.code for result in reply.results]
    assert codes == [""] * 17 + ["NO_SUCH_SITTING"] * 3  # the young table never was
    assert [result.repeated for result in reply.results[:17]] == [True] * 10 + [False] * 7
    assert (await again.check()).settlements == 17 == before.settlements - 3
    for player, won in zip(staying[1] + leaving[1], [100, -100, 70, -70], strict=True):
        wallet = (await again.ledger.GetWallet(data_pb2.GetWalletRequest(player=player.id))).wallet
        assert wallet.coin + wallet.escrow == 10_000 + won

    # what was signed before opens nothing, ids are not given twice
    for player in staying[1]:
        renew = data_pb2.RenewRequest(op=new_op(), refresh_token=player.session.refresh_token)
        assert (await again.accounts.Renew(renew)).refusal.code == "BAD_TICKET"
    ids = await again.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=1))
    assert ids.first > newest_id + 2**31
    audited = (await again.admin.ListAudit(data_pb2.ListAuditRequest())).rows
    assert [(row.what, row.why) for row in audited] == [("restore", "drill")]


async def restored_host(client: Client, host: Host) -> None:
    """The host's machine registers again; its own epoch goes on."""
    await client.cluster.RegisterServer(data_pb2.RegisterServerRequest(server="gs1", cell="c"))
    beat = data_pb2.HostCounts(host=host.name, epoch=host.epoch)
    await client.cluster.Heartbeat(
        data_pb2.HeartbeatRequest(server="gs1", lease_epoch=1, hosts=[beat])
    )


async def test_sittings_that_no_host_remembers_are_closed_after_a_restore(
    start: Any, tmp_path: Path
) -> None:
    folder, saved = tmp_path / "hall", tmp_path / "saved.db"
    wall = Wall()
    client: Client = await start(data_dir=folder, server={"clock": wall})
    host = await client.host()
    staying, _ = await play(client, host, 1)
    leaving, _ = await play(client, host, 1)
    assert (await command("backup", str(saved), *where(folder)))[0] == 0
    for sitting in leaving[2]:
        await host.stand(sitting)
    await client.server.stop()
    assert (await command("restore", str(saved), "--reason", "drill", *where(folder)))[0] == 0
    again: Client = await start(
        data_dir=folder, escrow_release_s=600, server={"clock": wall, "monotonic": lambda: 5.0}
    )
    await restored_host(again, host)
    assert (await again.check()).open_sittings == 4
    await again.server.jobs.sweep()
    assert (await again.check()).open_sittings == 4  # not before the longest hand is over
    wall.now += 900 * 10**6
    there = Host(again, host.name, host.epoch)
    await play(again, there, 1, first=2, seats=staying)
    await again.server.jobs.sweep()
    left = await again.check()
    assert (left.open_sittings, left.escrow) == (2, 8000)
    for player, coins in zip(leaving[1], (10_010, 9_990), strict=True):
        assert await again.coins(Player(player.id, player.session)) == coins
    for sitting in staying[2]:
        assert not (await there.stand(sitting)).HasField("refusal")
    assert (await again.check()).escrow == 0


async def test_a_bad_copy_is_not_put_back(start: Any, tmp_path: Path) -> None:
    folder, saved = tmp_path / "hall", tmp_path / "saved.db"
    client: Client = await start(data_dir=folder)
    await play(client, await client.host(), 3)
    assert (await command("backup", str(saved), *where(folder)))[0] == 0
    await client.server.stop()
    present = (folder / "hall.sqlite3").read_bytes()

    def refused(path: Path) -> None:
        arguments = ["restore", str(path), "--reason", "x", *where(folder)]
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code == 1 and result.stderr.count("\n") == 1, result.stderr
        assert (folder / "hall.sqlite3").read_bytes() == present

    whole = saved.read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.db").write_text("no database at all " * 100)
    (tmp_path / "empty.db").write_bytes(b"")
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE t (x)")
    other.close()
    uneven = tmp_path / "uneven.db"
    uneven.write_bytes(whole)
    books = sqlite3.connect(uneven)
    books.execute("UPDATE account SET balance = balance + 1 WHERE kind = 'mint'")
    books.commit()
    books.close()
    newer = tmp_path / "newer.db"
    newer.write_bytes(whole)
    books = sqlite3.connect(newer)
    books.execute("UPDATE alembic_version SET version_num = '9999'")
    books.commit()
    books.close()
    for name in ("cut", "text", "empty", "other", "uneven", "newer", "nowhere"):
        await asyncio.to_thread(refused, tmp_path / f"{name}.db")


async def test_a_postgresql_that_was_put_back_is_made_fit_to_run(
    start: Any, postgres_url: str
) -> None:
    client: Client = await start(database_url=postgres_url)
    (_, players, sittings), _ = await play(client, await client.host(), 2)
    code, found, err = await command(
        "restored", "--database-url", postgres_url, "--reason", "drill"
    )
    assert code == 0 and "s old" in err and found["last_us"] > 0
    ids = await client.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=1))
    assert ids.first > sittings[1] + 2**31
    renew = data_pb2.RenewRequest(op=new_op(), refresh_token=players[0].session.refresh_token)
    assert (await client.accounts.Renew(renew)).refusal.code == "BAD_TICKET"
    (row,) = (await client.admin.ListAudit(data_pb2.ListAuditRequest())).rows
    assert (row.what, row.why) == ("restore", "drill")
    nowhere = "postgresql://nobody@127.0.0.1:1/x"
    code, _, err = await command("restored", "--database-url", nowhere, "--reason", "drill")
    assert code == 1 and err.count("\n") == 1


@pytest.mark.parametrize("name", ["backup", "restore"])
def test_only_sqlite_is_copied_here(name: str, tmp_path: Path) -> None:
    reason = ["--reason", "x"] if name == "restore" else []
    url = ["--database-url", "postgresql://x@y/z"]
    result = CliRunner().invoke(app, [name, str(tmp_path / "x"), *reason, *url])
    assert result.exit_code == 1 and "PostgreSQL" in result.stderr
    assert os.listdir(tmp_path) == []  # noqa: PTH208
