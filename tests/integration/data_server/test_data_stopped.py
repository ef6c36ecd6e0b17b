"""A hand that the ledger refused: listed, made void once, and its host told when it asks again."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from data_hall import Client, hand
from typer.testing import CliRunner

from paiju.cli.admin import app
from paiju.rules import record as records
from paiju.rules.record import Record, RecordedOutcome
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2


def _record(table: int, number: int) -> bytes:
    return records.encode(
        Record(
            game="doudizhu",
            version=1,
            package="1.0.0",
            parameters="{}",
            table=str(table),
            hand=number,
            seats=["1", "2"],
            bots=[False, False],
            wealth=None,
            carry={},
            commitment="",
            contributions=["", ""],
            secret="",
            actions=[],
            started_us=1,
            ended_us=2,
            outcome=RecordedOutcome("finished", [5, -4], [0, 0]),
        )
    )


async def test_a_refused_hand_is_made_void_once_and_its_host_is_told(hall: Client) -> None:
    host, table = await hall.host(), await hall.table()
    players = [await hall.guest(), await hall.guest()]
    sat = [(await host.sit(p, table, seat)).sitting for seat, p in enumerate(players)]
    changes = list(zip(players, range(2), sat, (5, -4), strict=True))
    wrong, right = hand(table, 1, changes), hand(table, 2, [(*c[:3], 0) for c in changes])
    wrong.record = _record(table.table, 1)
    for _ in range(2):
        reply = await host.settle(wrong, right)
        assert [r.refusal.code for r in reply.results] == ["NOT_ZERO_SUM", ""]
    listed = await hall.admin.RefusedHands(data_pb2.RefusedHandsRequest())
    (one,) = listed.hands
    assert (one.table, one.hand, one.code) == (table, 1, "NOT_ZERO_SUM")
    assert list(one.players) == [player.id for player in players]

    request = data_pb2.VoidHandRequest(op=new_op(), table=table.table, hand=1, reason="test")
    for _ in range(2):
        assert not (await hall.admin.VoidHand(request)).HasField("refusal")
    request.op = new_op()
    assert (await hall.admin.VoidHand(request)).refusal.code == "NO_SUCH_HAND", "decided once"
    request.op, request.hand = new_op(), 2
    assert (await hall.admin.VoidHand(request)).refusal.code == "NO_SUCH_HAND", "it is booked"
    assert not (await hall.admin.RefusedHands(data_pb2.RefusedHandsRequest())).hands

    reply = await host.settle(wrong, right)
    assert [(r.refusal.code, r.repeated, r.voided) for r in reply.results] == [
        ("", True, True),
        ("", True, False),
    ]
    for sitting in sat:
        await host.stand(sitting)
    assert [await hall.coins(player) for player in players] == [10_000, 10_000]
    checked = await hall.check()
    assert (checked.settlements, checked.escrow) == (2, 0)
    audit = await hall.admin.ListAudit(data_pb2.ListAuditRequest())
    assert [row.what for row in audit.rows] == ["void"]


async def test_a_hand_of_seats_that_are_not_known_any_more_can_be_void(small: Client) -> None:
    host, table = await small.host(), await small.table()
    players = [await small.guest(), await small.guest()]
    lost = hand(table, 1, [(players[0], 0, 77, 5), (players[1], 1, 78, -5)])
    lost.record = b"no record at all"
    reply = await host.settle(lost)
    assert reply.results[0].refusal.code == "NO_SUCH_SITTING"
    request = data_pb2.VoidHandRequest(op=new_op(), table=table.table, hand=1, reason="restored")
    assert not (await small.admin.VoidHand(request)).HasField("refusal")
    assert (await host.settle(lost)).results[0].voided
    await small.check()


async def test_the_commands_about_tables(small: Client, tmp_path: Path) -> None:
    host, table = await small.host(), await small.table()
    lost = hand(table, 3, [(await small.guest(), 0, 77, 5), (await small.guest(), 1, 78, -5)])
    await host.settle(lost)
    (tmp_path / "admin-key").write_text(small.server.secrets.admin_key)
    given = ("--data-dir", str(tmp_path), "--address", small.addresses.admin)

    async def run(*arguments: str) -> tuple[int, str]:
        result = await asyncio.to_thread(CliRunner().invoke, app, ["tables", *arguments, *given])
        return result.exit_code, result.stdout

    code, out = await run("list", "--json", "-")
    assert code == 0 and json.loads(out)["hands"][0]["code"] == "NO_SUCH_SITTING"
    code, out = await run("list")
    assert code == 0 and str(table.table) in out
    code, _ = await run("void", str(table.table), "3", "--reason", "restored from a copy")
    assert code == 0
    code, out = await run("list", "--json", "-")
    assert code == 0 and json.loads(out).get("hands", []) == []
    code, _ = await run("void", str(table.table), "3", "--reason", "again")
    assert code == 1
