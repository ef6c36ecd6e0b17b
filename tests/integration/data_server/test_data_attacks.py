"""What a cheat, or a thief of logs, may try at a data server. Each was a hole once."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest
from data_hall import Client, bearer
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from structlog.testing import capture_logs
from typer.testing import CliRunner

from paiju.cli.admin import app
from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, data_pb2, data_pb2_grpc, hall_pb2

SECRET_PARAMETER = "192.0.2.77"


async def test_reports_that_no_row_can_hold_are_refused_not_tripped_over(hall: Client) -> None:
    me, other = await hall.guest(), await hall.guest()
    reports = [
        hall_pb2.Report(kind="abuse", player=2**63, detail="x"),
        hall_pb2.Report(kind="abuse", player=other.id, detail="a\0b"),
        hall_pb2.Report(
            kind="abuse", player=other.id, table=common_pb2.TableRef(room="r", table=2**64 - 1)
        ),
    ]
    with capture_logs() as logs:
        for report in reports:
            reply = await hall.cluster.Report(
                data_pb2.ReportRequest(op=new_op(), server="gs1", reporter=me.id, report=report)
            )
            assert reply.refusal.code in ("NO_SUCH_PLAYER", "BAD_REPORT")
    assert not [line for line in logs if line["log_level"] in ("error", "warning")]


async def test_a_login_with_a_null_in_the_name_is_like_any_wrong_name(hall: Client) -> None:
    reply = await hall.accounts.Login(data_pb2.LoginRequest(name="a\0b", password="password"))
    assert reply.refusal.code == "BAD_CREDENTIALS"


async def test_what_the_database_complains_of_does_not_go_into_logs(hall: Client) -> None:
    """Its errors told the parameters of the statement: addresses, names, hashes."""

    def wrong(tx: Any) -> None:
        tx.execute(
            text("INSERT INTO player_address (nothing) VALUES (:a)"), {"a": SECRET_PARAMETER}
        )

    with pytest.raises(DBAPIError) as error:
        await hall.server.database.write(wrong)
    assert SECRET_PARAMETER not in str(error.value)


@pytest.mark.parametrize("words", ["[/]", "[bold red]hello[/bold red]", "\x1b]0;owned\x07\x1b[2J"])
async def test_a_report_cannot_break_or_command_the_operators_screen(
    small: Client, tmp_path: Any, words: str
) -> None:
    """`[/]` in a report made `paiju admin reports list` fail for all reports."""
    me, other = await small.guest(), await small.guest()
    report = hall_pb2.Report(kind="abuse", player=other.id, detail=words)
    await small.cluster.Report(
        data_pb2.ReportRequest(op=new_op(), server="gs1", reporter=me.id, report=report)
    )
    rows = (await small.admin.ListReports(data_pb2.ListReportsRequest())).rows
    key = tmp_path / "admin-key"
    key.write_text(small.server.secrets.admin_key)
    reach = ["--address", small.addresses.admin, "--key-file", str(key)]
    for command in (["list"], ["show", str(rows[0].id)]):
        result = await asyncio.to_thread(
            CliRunner().invoke, app, ["reports", *command, *reach], env={"COLUMNS": "300"}
        )
        assert result.exit_code == 0, result.output
        assert "\x1b" not in result.output and "\x07" not in result.output
        if words.startswith("["):
            assert words in result.output


async def test_health_and_reflection_need_no_token_but_nothing_else_does(small: Client) -> None:
    async with grpc.aio.insecure_channel(small.addresses.address) as channel:
        for name in ("Accounts", "Ledger", "Cluster"):
            stub = getattr(data_pb2_grpc, f"{name}Stub")(channel)
            for method in data_pb2.DESCRIPTOR.services_by_name[name].methods:
                request = getattr(data_pb2, method.input_type.name)()
                for shown in ((), bearer("x" * 43), bearer(small.server.secrets.admin_key)):
                    call = getattr(stub, method.name)(request, metadata=shown, timeout=5)
                    with pytest.raises(grpc.aio.AioRpcError) as refused:
                        await (call.read() if method.server_streaming else call)
                    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED, method.name


async def test_nothing_is_unpacked_for_whoever_shows_no_token(small: Client) -> None:
    """16 KiB of gzip were 16 MiB, for anybody who reaches the port."""
    async with grpc.aio.insecure_channel(
        small.addresses.address, compression=grpc.Compression.Gzip
    ) as channel:
        stub = data_pb2_grpc.ClusterStub(channel)
        asked = data_pb2.FindPlayerRequest(name="x" * 1_000_000)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await stub.FindPlayer(asked, timeout=5)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
