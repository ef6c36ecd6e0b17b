"""The database: transactions with the right locks, on SQLite and on PostgreSQL.

Owner: the process; one `Database` per process, shared by all its calls. A write runs in one
transaction that is committed before `write` returns, so whatever a caller shows afterwards
is durable. A read may be repeated at will.

A transaction is a plain function that runs in a thread, with SQLAlchemy's synchronous engine:
of 14 statements one costs 1.5 ms of CPU on SQLite and 2.4 on PostgreSQL, against 6.3 and 3.7
with the asynchronous drivers, which change threads or greenlets at each statement. Nobody can
cancel it in the middle, so no connection is ever thrown away with it.

On SQLite a write begins with BEGIN IMMEDIATE (a check made before the first write would
protect nothing otherwise) and writes of this process take turns in one thread, in order of
arrival. On PostgreSQL writes run at READ COMMITTED and lock rows, in the order of their ids.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

import structlog
from sqlalchemy import create_engine, event, make_url
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, IntegrityError

from data_server.errors import Again
from paiju.service import logs

log = structlog.get_logger()

T = TypeVar("T")
Work = Callable[[Connection], T]

BUSY_MS = 5_000
ATTEMPTS = 4
SQLITE_READERS = 4
# deadlock_detected, serialization_failure, lock_not_available
_AGAIN = {"40P01", "40001", "55P03"}


class Database:
    """pool: how many transactions may run at once on PostgreSQL."""

    def __init__(self, url: str, *, pool: int = 16) -> None:
        target = make_url(url)
        self.is_sqlite = target.get_backend_name() == "sqlite"
        if self.is_sqlite:
            target = target.set(drivername="sqlite+pysqlite")
            readers = min(pool, SQLITE_READERS)
            pool = readers + 1
            self._reading = ThreadPoolExecutor(readers, thread_name_prefix="sqlite-read")
            self._writing = ThreadPoolExecutor(1, thread_name_prefix="sqlite-write")
        else:
            target = target.set(drivername="postgresql+psycopg")
            self._reading = ThreadPoolExecutor(pool, thread_name_prefix="postgresql")
            self._writing = self._reading
        self.pool_size = pool
        self.engine = create_engine(
            target,
            pool_size=pool,
            max_overflow=0,
            pool_timeout=10,
            pool_recycle=1800,
            hide_parameters=True,  # errors go into logs; names, addresses and hashes do not
        )
        if self.is_sqlite:
            event.listen(self.engine, "connect", _on_connect)
            event.listen(self.engine, "begin", _on_begin)

    async def write(self, work: Work[T]) -> T:
        """Run `work` in one transaction and commit it.

        When the database refuses because another transaction came first (unique key,
        deadlock, lost connection), everything is rolled back and `work` runs again: it then
        sees what the other one wrote. So `work` must decide from what it reads and change
        nothing outside its transaction. It runs in another thread.
        """
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writing, copy_context().run, self._run, work, True)

    async def read(self, work: Work[T]) -> T:
        """Run `work` in one transaction that writes nothing."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._reading, copy_context().run, self._run, work, False)

    def _run(self, work: Work[T], write: bool) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                with self.engine.connect() as connection:
                    connection.execution_options(paiju_write=write)
                    with connection.begin():
                        return work(connection)
            except (Again, DBAPIError) as error:
                if attempt == ATTEMPTS or not _worth_another(error):
                    raise
                if not isinstance(error, Again | IntegrityError):  # those are everyday races
                    log.warning("database.again", **logs.of_database(error, attempt=attempt))
            time.sleep(0.002 * attempt)
        raise AssertionError("unreachable")

    def pool_in_use(self) -> int:
        checked_out: Callable[[], int] = getattr(self.engine.pool, "checkedout", lambda: 0)
        return checked_out()

    async def close(self) -> None:
        """Waits for transactions that still run."""
        await asyncio.to_thread(self._reading.shutdown)
        await asyncio.to_thread(self._writing.shutdown)
        self.engine.dispose()


def _worth_another(error: Again | DBAPIError) -> bool:
    if isinstance(error, Again | IntegrityError):
        return True
    return error.connection_invalidated or getattr(error.orig, "sqlstate", None) in _AGAIN


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
