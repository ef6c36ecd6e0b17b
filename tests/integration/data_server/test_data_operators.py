"""What operators type about players and machines: who is here, send away, keep out, look."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
import typer
from data_hall import Client, bearer
from typer.testing import CliRunner

from paiju.cli.admin import app
from paiju.service.build import VERSION
from paiju.service.ids import new_op, now_us
from paiju.wire.v1 import data_pb2, packages_pb2

Run = Callable[..., Awaitable[tuple[int, Any]]]


@pytest.fixture
def run(small: Client, tmp_path: Path) -> Run:
    """A command with `--json`: exit code, and what it wrote or said."""
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "data-server.json").write_text(json.dumps({"admin": small.addresses.admin}))
    key = folder / "admin-key"
    key.write_text(small.server.secrets.admin_key)
    key.chmod(0o600)

    async def command(*arguments: str) -> tuple[int, Any]:
        given = [*arguments, "--json", "-", "--data-dir", str(folder)]
        result = await asyncio.to_thread(CliRunner().invoke, app, given)
        said = json.loads(result.stdout) if result.stdout.startswith("{") else result.stderr
        return result.exit_code, said

    return command


async def _arrives(client: Client, player: Any, server: str) -> None:
    change = data_pb2.PresenceChange(player=player.id, session_epoch=player.epoch, online=True)
    request = data_pb2.PresenceRequest(server=server, gateway=f"{server}/gateway-0")
    request.changes.append(change)
    await client.cluster.Presence(request)


async def test_sessions_are_listed_and_ended(small: Client, run: Run) -> None:
    await small.host()
    here, gone = await small.guest(), await small.guest()
    await _arrives(small, here, "gs1")
    code, told = await run("sessions")
    assert code == 0
    listed = {one["player"]: one["session"] for one in told["sessions"]}
    assert listed[str(here.id)]["present"] and not listed[str(gone.id)]["present"]
    assert listed[str(here.id)]["gateway"] == "gs1/gateway-0"
    for flags, expected in (
        (("--present",), [here.id]),
        (("--server", "gs2"), []),
        (("--after", str(here.id)), [gone.id]),
        (("--limit", "1"), [here.id]),
    ):
        _, told = await run("sessions", *flags)
        assert [int(one["player"]) for one in told["sessions"]] == expected, flags

    stream = small.cluster.Follow(data_pb2.FollowRequest(server="gs1"))
    code, told = await run("kick", str(here.id), "--reason", "stolen device")
    assert (code, told["ended_epoch"]) == (0, here.epoch)
    event = await asyncio.wait_for(_ended(stream), 10)
    assert (event.player, event.reason) == (here.id, "KICKED")
    stream.cancel()
    assert small.server.metrics.red.calls.labels("Follow")._value.get() == 1
    # Twice is no mistake, a player that is none is one, and a reason is needed.
    code, told = await run("kick", str(here.id), "--reason", "again")
    assert (code, told["ended_epoch"]) == (0, 0)
    assert (await run("kick", "1", "--reason", "x"))[0] == 1
    assert (await run("kick", str(here.id), "--reason", " "))[0] == 1
    _, told = await run("sessions")
    assert [int(one["player"]) for one in told["sessions"]] == [gone.id]
    _, told = await run("audit")
    rows = [(row["what"], row["target"], row["why"]) for row in told["rows"]]
    assert rows == [
        ("kick", f"player {here.id}", "again"),
        ("kick", f"player {here.id}", "stolen device"),
    ]


async def _ended(stream: Any) -> Any:
    while True:
        event = await stream.read()
        if event.HasField("session_ended"):
            return event.session_ended


async def test_a_kick_that_is_repeated_ends_no_later_session(small: Client) -> None:
    secret = b"d" * 32
    player = await small.guest(secret=secret)
    request = data_pb2.KickRequest(op=new_op(), player=player.id, reason="x")
    assert (await small.admin.Kick(request)).ended_epoch == player.epoch
    again = await small.guest(secret=secret)
    assert again.id == player.id
    assert (await small.admin.Kick(request)).ended_epoch == player.epoch
    reply = await small.admin.Sessions(data_pb2.SessionsRequest())
    assert [one.session.epoch for one in reply.sessions] == [again.epoch]


async def test_freeze_and_void_are_their_longer_forms(small: Client, run: Run) -> None:
    player = await small.guest()
    code, told = await run("freeze", str(player.id), "--hours", "24", "--reason", "abuse")
    assert code == 0 and told["penalty"]["action"] == "freeze"
    assert (await run("void", "1", "2", "--reason", "x"))[0] == 1  # there is no such hand
    _, told = await run("audit")
    assert [row["what"] for row in told["rows"]] == ["punish"]


async def test_the_doctor_looks_at_clocks_versions_and_ray(small: Client, run: Run) -> None:
    async def beat(apart_s: float, *, epoch: int, **facts: Any) -> None:
        sent = data_pb2.NodeFacts(now_us=now_us() + round(apart_s * 1e6), **facts)
        request = data_pb2.HeartbeatRequest(server="gs1", lease_epoch=epoch, facts=sent)
        assert not (await small.cluster.Heartbeat(request)).HasField("refusal")

    async def wrong() -> dict[str, tuple[str, str]]:
        _, told = await run("doctor")
        bad = {c["name"]: (c["detail"], c["advice"]) for c in told["checks"] if not c["ok"]}
        assert all(advice for _, advice in bad.values()), bad
        assert {"configuration", "database", "ticket keys", "ledger", "versions"} <= {
            c["name"] for c in told["checks"]
        }
        return bad

    await small.host()
    await beat(0.0, epoch=1, node_ip="127.0.0.1", ray_token=True)
    assert await wrong() == {}
    await beat(-5.0, epoch=1, node_ip="127.0.0.1", ray_token=True)
    found = await wrong()
    assert list(found) == ["clocks of machines"] and "gs1 -5.0" in found["clocks of machines"][0]
    assert "NTP" in found["clocks of machines"][1]
    await beat(0.0, epoch=1, node_ip="10.0.0.2", ray_address="127.0.0.1:1", ray_token=False)
    found = await wrong()
    assert list(found) == ["Ray's token"] and "gs1 without" in found["Ray's token"][0]
    register = data_pb2.RegisterServerRequest(
        server="gs1", cell="c", max_players=9, games=["doudizhu"], address="x:1", build="0.0.1"
    )
    epoch = (await small.cluster.RegisterServer(register)).lease_epoch
    await beat(0.0, epoch=epoch, node_ip="127.0.0.1", ray_token=True)
    found = await wrong()
    assert list(found) == ["versions"] and f"data server's {VERSION}: gs1 0.0.1" in str(found)


async def test_the_doctor_says_when_the_schema_is_another(small: Client, run: Run) -> None:
    await small.host()
    small.server.services.selfcheck.__dict__["newest"] = "m9999"
    _, told = await run("doctor")
    bad = {c["name"]: c for c in told["checks"] if not c["ok"]}
    assert list(bad) == ["database"] and "paiju migrate" in bad["database"]["advice"]


async def test_no_call_of_operators_is_answered_without_their_key(small: Client) -> None:
    """Whatever is added to these services: not even what it would say to an empty request."""
    services = [
        data_pb2.DESCRIPTOR.services_by_name["Admin"],
        packages_pb2.DESCRIPTOR.services_by_name["PackageAdmin"],
    ]
    paths = [f"/{s.full_name}/{m.name}" for s in services for m in s.methods]
    assert len(paths) > 25
    for path in paths:
        for metadata in ((), bearer("wrong"), bearer(small.server.secrets.cluster_token)):
            call = small.admin_channel.unary_unary(path)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await call(b"", metadata=metadata)
            assert error.value.code() == grpc.StatusCode.UNAUTHENTICATED, path


def _commands(group: Any, name: str = "") -> dict[str, Any]:
    """Every command with its whole name."""
    found = {}
    for own, command in group.commands.items():
        if hasattr(command, "commands"):
            found |= _commands(command, f"{name}{own} ")
        else:
            found[name + own] = command
    return found


def test_every_command_has_json_and_those_that_change_something_have_a_reason() -> None:
    commands = _commands(typer.main.get_command(app))
    assert len(commands) > 30
    without = {
        name
        for name, command in commands.items()
        if not any("--json" in parameter.opts for parameter in command.params)
    }
    files = {"certificates init", "certificates issue", "secrets make", "secrets rotate-tickets"}
    assert without == files, "what these do is in the files that they write"
    changing = {
        name
        for name, command in commands.items()
        if any("--reason" in parameter.opts for parameter in command.params)
    }
    assert changing >= {
        *("drain", "roll", "grant", "kick", "freeze", "void", "tables void", "punish", "appeal"),
        *("uphold", "lift", "policy set", "restore", "restored"),
    }
