"""What becomes of a database that fails: its own trouble passes, a fault of ours is told as one."""

from __future__ import annotations

from typing import Any

import grpc
import psycopg
import pytest
from sqlalchemy.exc import DBAPIError, InternalError, OperationalError, ProgrammingError

from data_server.calls.guard import answered
from data_server.lanes import Lane
from paiju.wire.v1 import data_pb2


class Stopped(Exception):
    pass


class Context:
    """`abort` ends the handler with an exception, as grpc's does."""

    def __init__(self) -> None:
        self.status: Any = None

    async def abort(self, status: grpc.StatusCode, *_: object) -> None:
        self.status = status
        raise Stopped


async def _ends_with(error: Exception) -> Any:
    """The status of a call whose work raises that; None: the error itself came through."""

    async def work() -> data_pb2.HeartbeatReply:
        raise error

    context, lane = Context(), Lane("lane", at_once=1, waiting=1)
    with pytest.raises((Stopped, type(error))):
        await answered(context, lane, data_pb2.HeartbeatReply, work)  # type: ignore[arg-type]
    return context.status


@pytest.mark.parametrize(
    "error",
    [
        InternalError("UPDATE", None, psycopg.errors.ReadOnlySqlTransaction("read-only")),
        OperationalError("UPDATE", None, psycopg.errors.DiskFull("no space")),
        OperationalError("UPDATE", None, psycopg.errors.AdminShutdown("terminating")),
    ],
    ids=["read-only", "full", "gone"],
)
async def test_trouble_of_the_database_asks_the_caller_to_try_again(error: DBAPIError) -> None:
    assert await _ends_with(error) is grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    "error",
    [
        ProgrammingError("UPDATE", None, psycopg.errors.UndefinedColumn("no such column")),
        InternalError("UPDATE", None, psycopg.errors.InFailedSqlTransaction("aborted")),
        ValueError("ours"),
    ],
    ids=["statement", "transaction", "code"],
)
async def test_a_fault_of_ours_is_no_reason_to_try_again(error: Exception) -> None:
    assert await _ends_with(error) is None
