"""What every RPC goes through: its lane, and what becomes of each kind of failure.

Idempotence: none of its own; each servicer says what its calls are.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import grpc
import structlog
from google.protobuf.message import Message
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from data_server.errors import Again, NotDone, Unreachable
from data_server.lanes import Lane
from paiju.service.refusals import Refused

log = structlog.get_logger()

M = TypeVar("M", bound=Message)
DATABASE_RETRY_MS = 500
READ_ONLY = "25006"
"""PostgreSQL's read_only_sql_transaction; SQLite says the same with an OperationalError."""


async def answered(
    context: grpc.aio.ServicerContext[Any, Any],
    lane: Lane,
    answer: type[M],
    work: Callable[[], Awaitable[M]],
) -> M:
    """Run `work` in `lane`. A refusal becomes the answer's field, all else a status."""

    async def guarded() -> M:
        try:
            return await work()
        except Refused as refused:
            refusal: Any = answer(refusal=refused.message())
            reply: M = refusal
            return reply
        except Exception as error:
            if not _ails(error):
                log.exception("call.failed", lane=lane.name)
                raise
            log.warning("database.failed", lane=lane.name, error=str(error))
            raise Unreachable("database", retry_after_ms=DATABASE_RETRY_MS) from error

    try:
        return await lane.run(guarded)
    except NotDone as error:
        await stop(context, error)
    raise AssertionError("unreachable")


def _ails(error: Exception) -> bool:
    """Whether it is the database's trouble, which passes, and no fault of ours."""
    if isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) == READ_ONLY:
        return True
    return isinstance(error, OperationalError | InterfaceError | PoolTimeout | Again)


async def stop(context: grpc.aio.ServicerContext[Any, Any], error: NotDone) -> None:
    """End the call with the status of `error`; the caller may try again after its time."""
    await context.abort(error.status, str(error), (("retry-after-ms", str(error.retry_after_ms)),))
