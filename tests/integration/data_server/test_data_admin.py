"""Operators: keys, grants, audit, drain, and the commands that people type."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import grpc
import pytest
from data_hall import Client, bearer, eventually
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from typer.testing import CliRunner

from paiju.cli.admin import app
from paiju.cli.admin_policy import format_rule, parse_rule
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2, data_pb2_grpc


async def test_neither_port_answers_without_its_token(small: Client) -> None:
    ledger = data_pb2_grpc.LedgerStub(small.channel)
    admin = data_pb2_grpc.AdminStub(small.admin_channel)
    wrong = bearer(small.server.secrets.cluster_token)
    for call in (
        ledger.GetWallet(data_pb2.GetWalletRequest(player=1)),
        admin.Nodes(data_pb2.NodesRequest()),
        admin.Nodes(data_pb2.NodesRequest(), metadata=wrong),
    ):
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call
        assert error.value.code() == grpc.StatusCode.UNAUTHENTICATED
    stream = data_pb2_grpc.ClusterStub(small.channel).Follow(data_pb2.FollowRequest(server="x"))
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await stream.read()
    assert error.value.code() == grpc.StatusCode.UNAUTHENTICATED


async def test_grants_are_audited_once_and_never_go_below_zero(hall: Client) -> None:
    player = await hall.guest()
    request = data_pb2.GrantRequest(op=new_op(), player=player.id, amount=-4000, reason="test")
    assert (await hall.admin.Grant(request)).wallet.coin == 6000
    assert (await hall.admin.Grant(request)).wallet.coin == 6000
    request = data_pb2.GrantRequest(op=new_op(), player=player.id, amount=-6001, reason="test")
    assert (await hall.admin.Grant(request)).refusal.code == "NOT_ENOUGH"
    request = data_pb2.GrantRequest(op=new_op(), player=player.id, amount=5, reason=" ")
    assert (await hall.admin.Grant(request)).refusal.code == "MALFORMED"
    rows = (await hall.admin.ListAudit(data_pb2.ListAuditRequest())).rows
    assert [(r.what, r.target, r.before, r.after) for r in rows] == [
        ("grant", f"player {player.id}", "10000", "6000")
    ]
    older = await hall.admin.ListAudit(data_pb2.ListAuditRequest(before=rows[0].id))
    assert not older.rows
    await hall.check()


@pytest.mark.parametrize("statement", ["UPDATE audit SET why = 'x'", "DELETE FROM audit"])
async def test_the_database_keeps_audit_rows(hall: Client, statement: str) -> None:
    player = await hall.guest()
    request = data_pb2.GrantRequest(op=new_op(), player=player.id, amount=1, reason="test")
    await hall.admin.Grant(request)
    with pytest.raises(DBAPIError):
        await hall.server.database.write(lambda tx: tx.execute(text(statement)))


async def test_drain_reaches_the_server_by_stream_and_heartbeat(small: Client) -> None:
    await small.host()
    stream = small.cluster.Follow(data_pb2.FollowRequest(server="gs1"))

    async def followed() -> bool:
        return small.server.followers.count() == 1

    await eventually(followed)
    request = data_pb2.DrainServerRequest(op=new_op(), server="gs1", on=True, reason="test")
    await small.admin.DrainServer(request)
    assert (await asyncio.wait_for(stream.read(), 5)).drain.on
    beat = data_pb2.HeartbeatRequest(server="gs1", lease_epoch=1)
    assert (await small.cluster.Heartbeat(beat)).drain
    opened = await small.cluster.OpenShard(
        data_pb2.OpenShardRequest(room="doudizhu.novice", game="doudizhu")
    )
    assert opened.refusal.code == "NO_HOST" and opened.refusal.retry_after_ms
    stream.cancel()
    unknown = data_pb2.DrainServerRequest(op=new_op(), server="nobody", on=True, reason="t")
    assert (await small.admin.DrainServer(unknown)).refusal.code == "NO_SUCH_SERVER"


async def test_the_commands(small: Client, tmp_path: Path) -> None:
    await small.host()
    player = await small.guest()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "data-server.json").write_text(json.dumps({"admin": small.addresses.admin}))
    (folder / "admin-key").write_text(small.server.secrets.admin_key)
    runner = CliRunner()

    async def run(*arguments: str, data_dir: Path = folder) -> tuple[int, str, str]:
        result = await asyncio.to_thread(
            runner.invoke, app, [*arguments, "--data-dir", str(data_dir)]
        )
        return result.exit_code, result.stdout, result.stderr

    code, out, _ = await run("nodes", "--json", "-")
    assert code == 0 and json.loads(out)["nodes"][0]["server"] == "gs1"
    code, out, _ = await run("grant", str(player.id), "-25", "--reason", "typed wrong")
    assert code == 0 and "9975" in out
    code, out, _ = await run("audit", "--json", str(tmp_path / "audit.json"))
    assert code == 0
    (row,) = json.loads((tmp_path / "audit.json").read_text())["rows"]
    assert row["why"] == "typed wrong" and isinstance(row["id"], str)
    code, out, _ = await run("ledger")
    assert code == 0 and "checked_us" not in out and " UTC, 0 s ago" in out
    assert (await run("drain", "gs1", "--reason", "test"))[0] == 0
    assert (await run("drain", "gs1", "--off", "--reason", "test"))[0] == 0

    code, _, err = await run("nodes", "--json", str(tmp_path / "nowhere" / "x"))
    assert code == 2 and "Errno" not in err and "no such file" in err
    code, _, err = await run("nodes", "--address", "127.0.0.1:1")
    assert code == 1 and err.strip() == "no data server answers at 127.0.0.1:1"
    code, _, err = await run("nodes", data_dir=tmp_path / "nowhere")
    assert code == 1 and "cannot read the operator key" in err
    (folder / "admin-key").write_text("not the key at all")
    code, _, err = await run("nodes")
    assert code == 1 and "does not take the key" in err and err.count("\n") == 1


async def test_the_commands_about_conduct(small: Client, tmp_path: Path) -> None:
    player = await small.guest()
    key = tmp_path / "key"
    key.write_text(small.server.secrets.admin_key)
    runner = CliRunner()

    async def run(*arguments: str) -> tuple[int, str, str]:
        where = ["--address", small.addresses.admin, "--key-file", str(key)]
        wide = {"COLUMNS": "250"}
        result = await asyncio.to_thread(runner.invoke, app, [*arguments, *where], env=wide)
        return result.exit_code, result.stdout, result.stderr

    async def answer(*arguments: str) -> Any:
        code, out, err = await run(*arguments, "--json", "-")
        assert code == 0, err
        return json.loads(out)

    rules = ["--rule", "1/1d warn", "--rule", "2/90m fine 300"]
    found = await answer("policy", "set", "vault", *rules, "--reason", "test")
    assert [(r["count"], r["window_s"], r["amount"]) for r in found["rules"]] == [
        (1, 86_400, 0),
        (2, 5_400, 300),
    ]
    code, out, _ = await run("policy", "show")
    assert code == 0 and "1/1d warn" in out and "2/90m fine 300" in out
    assert (await run("policy", "set", "vault", "--rule", "often", "--reason", "x"))[0] == 2
    code, _, err = await run("policy", "set", "cheat", "--rule", "1/1d ban", "--reason", "x")
    assert code == 1 and "BAD_POLICY" in err

    for _ in range(2):
        await small.cluster.Signal(
            data_pb2.SignalRequest(
                op=new_op(),
                source=data_pb2.SIGNAL_CLIENT,
                player=player.id,
                session_epoch=player.epoch,
                kind="vault",
                evidence=b"slot 3",
            )
        )
    listed = (await answer("reports", "list", "--player", str(player.id)))["rows"]
    assert [row["action"] for row in listed] == ["fine", "warn"]
    shown = await answer("reports", "show", listed[0]["id"])
    assert bytes.fromhex(shown["evidence_hex"]) == b"slot 3"
    fine = shown["penalty"]["id"]
    assert (await run("reports", "show", listed[0]["id"]))[0] == 0
    assert (await run("reports", "show", "5"))[0] == 1

    seen = await answer("player", str(player.id))
    assert [row["action"] for row in seen["penalties"]] == ["fine", "warn"]
    assert seen["wallet"]["coin"] == 9_700
    assert (await run("player", "nobody of that name"))[0] == 1

    await answer("appeal", fine, "--reason", "a mail")
    await answer("lift", fine, "--reason", "a fault of ours")
    assert await small.coins(player) == 10_000
    frozen = await answer(
        "punish", str(player.id), "freeze", "--hours", "2", "--reason", "t", "--report", "0"
    )
    assert frozen["penalty"]["action"] == "freeze"
    code, out, _ = await run("player", seen["profile"]["name"].upper())
    assert code == 0 and "from 2" in out
    assert "10000 free, 0 on tables" in out and "ended" in out
    assert (await run("uphold", frozen["penalty"]["id"], "--reason", "x"))[0] == 1
    code, out, _ = await run("penalties", "--player", str(player.id))
    assert code == 0 and "a fault of ours" in out and "300 of 300 coins" in out
    audited = [row["what"] for row in (await answer("audit"))["rows"]]
    assert audited == ["punish", "lift", "appeal", "policy"]


async def test_the_doctor_names_what_is_wrong(start: Any, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    moved = {"by": 0.0}
    client: Client = await start(
        database_url=f"sqlite:///{tmp_path / 'd.sqlite3'}",
        server={"monotonic": lambda: 1000.0 + moved["by"]},
    )
    (folder / "data-server.json").write_text(json.dumps({"admin": client.addresses.admin}))
    key = folder / "admin-key"
    key.write_text(client.server.secrets.admin_key)
    key.chmod(0o600)
    runner = CliRunner()

    async def bad() -> dict[str, str]:
        out = tmp_path / "doctor.json"
        arguments = ["doctor", "--json", str(out), "--data-dir", str(folder)]
        result = await asyncio.to_thread(runner.invoke, app, arguments)
        found = json.loads(out.read_text())
        wrong = {check["name"]: check["detail"] for check in found["checks"] if not check["ok"]}
        assert found["ok"] == (not wrong) == (result.exit_code == 0)
        assert all(("BAD" in result.output) == bool(wrong) for _ in wrong)
        return wrong

    assert await bad() == {"game servers": "0 alive with 0 players"}
    await client.host()
    assert await bad() == {}
    player = await client.guest()
    request = data_pb2.PunishRequest(op=new_op(), player=player.id, action="warn", reason="x")
    penalty = (await client.admin.Punish(request)).penalty.id
    step = data_pb2.StepPenaltyRequest(op=new_op(), penalty=penalty, step="appeal", reason="x")
    await client.admin.StepPenalty(step)
    key.chmod(0o644)
    assert await bad() == {"appeals": f"unanswered: {penalty}", "secret files": "open: admin-key"}
    step = data_pb2.StepPenaltyRequest(op=new_op(), penalty=penalty, step="uphold", reason="x")
    await client.admin.StepPenalty(step)
    key.chmod(0o600)
    await client.server.registry.poll()
    for _ in range(4):
        moved["by"] += 5
        await client.server.registry.poll()
    assert await bad() == {"game servers": "0 alive with 0 players; gone: gs1"}

    def steal(tx: Any) -> None:
        tx.execute(text("UPDATE account SET balance = balance - 1 WHERE kind = 'wallet'"))

    await client.server.database.write(steal)
    wrong = await bad()
    assert wrong["ledger"] == "sum -1, unbalanced 0, mismatched 1"


@pytest.mark.parametrize("text", ["1/1d warn", "3/90m fine 500", "10/7d freeze 24", "2/59s ban"])
def test_a_rule_is_written_as_it_is_read(text: str) -> None:
    assert format_rule(parse_rule("vault", text)) == text


@pytest.mark.parametrize(
    "command",
    [
        *("nodes", "drain", "grant", "ledger", "audit", "roll", "sessions", "kick", "freeze"),
        *("void", "tables list", "tables void", "trace", "log-level", "player"),
        *("reports list", "reports show", "penalties", "punish", "appeal", "uphold", "lift"),
        *("policy show", "policy set", "collusion", "backup", "restore", "restored", "doctor"),
        *("certificates init", "certificates issue", "certificates show"),
    ],
)
def test_every_help_has_an_example(command: str) -> None:
    result = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0 and f"Example: paiju admin {command}" in result.output
