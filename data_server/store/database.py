"""The database: transactions with the right locks, on SQLite and on PostgreSQL.

Owner: the process; one `Database` per process, shared by all its calls. A write runs in one
transaction that is committed before `write` returns, so whatever a caller shows afterwards
is durable. A read may be repeated at will.

On SQLite a write begins with BEGIN IMMEDIATE (a check made before the first write would
protect nothing otherwise) and writes of this process take turns in order of arrival instead
of polling for the file's lock. On PostgreSQL writes run at READ COMMITTED and lock rows, in
the order of their ids.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from sqlalchemy import event
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from data_server.errors import Again

T = TypeVar("T")
Work = Callable[[AsyncConnection], Awaitable[T]]

BUSY_MS = 5_000
ATTEMPTS = 4
# deadlock_detected, serialization_failure, lock_not_available
_AGAIN = {"40P01", "40001", "55P03"}


class Database:
    def __init__(self, url: str, *, pool: int = 16) -> None:
        self.is_sqlite = url.startswith("sqlite")
        self._turn = asyncio.Lock() if self.is_sqlite else None
        self.engine = create_async_engine(
            url, pool_size=pool, max_overflow=0, pool_timeout=10, pool_recycle=1800
        )
        if self.is_sqlite:
            event.listen(self.engine.sync_engine, "connect", _on_connect)
            event.listen(self.engine.sync_engine, "begin", _on_begin)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction and commit it.

        When the database refuses because another transaction came first (unique key,
        deadlock, lost connection), everything is rolled back and `work` runs again: it then
        sees what the other one wrote. So `work` must decide from what it reads and change
        nothing outside its transaction.
        """
        if self._turn is None:
            return await self._run(work, write=True)
        async with self._turn:
            return await self._run(work, write=True)

    async def read(self, work: Work[T]) -> T:
        """Run `work` in one transaction that writes nothing."""
        return await self._run(work, write=False)

    async def _run(self, work: Work[T], *, write: bool) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                async with self.engine.connect() as connection:
                    await connection.execution_options(paiju_write=write)
                    async with connection.begin():
                        return await work(connection)
            except (Again, DBAPIError) as error:
                if attempt == ATTEMPTS or not _worth_another(error):
                    raise
            await asyncio.sleep(0.002 * attempt)
        raise AssertionError("unreachable")

    def pool_in_use(self) -> int:
        checked_out: Callable[[], int] = getattr(self.engine.pool, "checkedout", lambda: 0)
        return checked_out()

    async def close(self) -> None:
        await self.engine.dispose()


def _worth_another(error: Again | DBAPIError) -> bool:
    if isinstance(error, Again):
        return True
    if isinstance(error, IntegrityError) or error.connection_invalidated:
        return True
    return getattr(error.orig, "sqlstate", None) in _AGAIN


def _on_connect(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours, see _on_begin
    cursor = connection.cursor()
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",  # what was answered survives a power cut
        "foreign_keys=ON",
        f"busy_timeout={BUSY_MS}",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _on_begin(connection: Connection) -> None:
    write = connection.get_execution_options().get("paiju_write", True)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")
