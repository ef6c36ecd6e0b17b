"""The journal: what tables did, on disk before anyone sees it (docs/contracts/journal.md).

Owner: one host. A single writer thread takes everything that is queued, writes it in one
transaction, and only then hands the batches back to the host's loop, in order; a batch
without rows waits its turn like any other, so nothing overtakes.

Fencing: the row `journal_owner(host, epoch)` is checked inside each transaction, which
begins with BEGIN IMMEDIATE on SQLite and takes the row FOR SHARE elsewhere. A host that
finds a higher epoch has been replaced: nothing more is written or shown.

What may be lost: with SQLite's `synchronous=NORMAL` the last transactions when the machine
(not the process) dies.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa
import structlog

log = structlog.get_logger()

FORMAT = 1
MAX_BATCH_ROWS = 5_000

_schema = sa.MetaData()
owners = sa.Table(
    "journal_owner",
    _schema,
    sa.Column("host", sa.String(128), primary_key=True),
    sa.Column("epoch", sa.BigInteger, nullable=False),
)
rows = sa.Table(
    "journal_row",
    _schema,
    sa.Column("host", sa.String(128), primary_key=True),
    sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("epoch", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("format", sa.Integer, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
)


class Row(NamedTuple):
    """One number of a table."""

    table: int
    seq: int
    kind: str
    body: bytes


class Fenced(Exception):
    """A higher epoch owns this journal: this host must stop."""


@dataclass(eq=False, slots=True)
class Batch:
    """Rows of one tick and what to do once they are written."""

    rows: list[Row] = field(default_factory=list)
    release: Callable[[], None] = lambda: None


def _engine(url: str) -> sa.Engine:
    engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"))
    if engine.dialect.name == "sqlite":

        @sa.event.listens_for(engine, "connect")
        def _on_connect(connection: Any, _: object) -> None:
            connection.isolation_level = None  # the driver would begin too late
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute("PRAGMA busy_timeout=5000")

        @sa.event.listens_for(engine, "begin")
        def _on_begin(connection: sa.Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


class Journal:
    """Open with `take_over`, then `start`; `submit` from the loop, `close` at the end.

    deliver: called in the writer thread with the batches just written, the seconds it took
    and the number of rows; it must hand the batches to the loop.
    spacing_ms: least time between two commits under load.
    """

    def __init__(
        self,
        *,
        url: str,
        host: str,
        deliver: Callable[[Sequence[Batch], float, int], None],
        on_stopped: Callable[[], None],
        spacing_ms: float = 4.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.host = host
        self.epoch = 0
        self._engine = _engine(url)
        self._deliver = deliver
        self._on_stopped = on_stopped
        self._spacing_s = spacing_ms / 1000
        self._clock = clock
        self._queue: queue.SimpleQueue[tuple[float, Batch] | None] = queue.SimpleQueue()
        self._oldest: float | None = None  # when the oldest unwritten batch was submitted
        self._thread: threading.Thread | None = None

    def take_over(self, *, at_least: int = 0) -> int:
        """Raise this host's epoch above all before it (and to `at_least`) and return it."""
        _schema.create_all(self._engine)
        with self._engine.begin() as connection:
            query = sa.select(owners.c.epoch).where(owners.c.host == self.host)
            if self._engine.dialect.name != "sqlite":
                query = query.with_for_update()
            before = connection.execute(query).scalar()
            epoch = max((before or 0) + 1, at_least)
            if before is None:
                connection.execute(owners.insert().values(host=self.host, epoch=epoch))
            else:
                connection.execute(
                    owners.update().where(owners.c.host == self.host).values(epoch=epoch)
                )
        self.epoch = epoch
        return epoch

    def open_sittings_before_epoch(self) -> list[int]:
        """Sittings that earlier epochs of this host opened and did not close."""
        query = (
            sa.select(rows.c.table_id, rows.c.kind, rows.c.body)
            .where(rows.c.host == self.host, rows.c.epoch < self.epoch)
            .where(rows.c.kind.in_(("sit", "stand")))
            .order_by(rows.c.table_id, rows.c.epoch, rows.c.seq)
        )
        held: dict[tuple[int, int], int] = {}
        with self._engine.begin() as connection:
            for table_id, kind, body in connection.execute(query):
                row = msgspec.json.decode(body)
                if kind == "sit":
                    held[table_id, row["seat"]] = row["sitting"]
                else:
                    held.pop((table_id, row["seat"]), None)
        return list(held.values())

    def start(self) -> None:
        """Start the writer thread."""
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> None:
        """Queue a batch; its `release` is called after it is on disk, batches in order."""
        now = self._clock()
        if self._oldest is None:
            self._oldest = now
        self._queue.put((now, batch))

    def unwritten_age_s(self) -> float:
        """Age of the oldest batch that is not on disk yet, seconds."""
        oldest = self._oldest
        return 0.0 if oldest is None else max(0.0, self._clock() - oldest)

    def close(self) -> None:
        """Write what is queued and stop the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout=10)
        self._engine.dispose()

    # ---- writer thread ---------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            first = self._queue.get()
            if first is None:
                return
            taken, ends = self._drain(first)
            self._oldest = taken[0][0]
            begun = self._clock()
            try:
                self._write([batch for _, batch in taken])
            except Exception as error:
                # Fenced, or a fault that repeating cannot mend: show nothing more.
                log.error("journal.stopped", host=self.host, epoch=self.epoch, error=repr(error))
                self._on_stopped()
                return
            seconds = self._clock() - begun
            # What was queued meanwhile is younger than this commit's begin.
            self._oldest = None if self._queue.empty() else begun
            self._deliver(
                [batch for _, batch in taken], seconds, sum(len(b.rows) for _, b in taken)
            )
            if ends:
                return
            if not self._queue.empty():
                time.sleep(max(0.0, self._spacing_s - (self._clock() - begun)))

    def _drain(self, first: tuple[float, Batch]) -> tuple[list[tuple[float, Batch]], bool]:
        taken, count = [first], len(first[1].rows)
        while count < MAX_BATCH_ROWS:
            try:
                item = self._queue.get_nowait()
            except queue.Empty:
                return taken, False
            if item is None:
                return taken, True
            taken.append(item)
            count += len(item[1].rows)
        return taken, False

    def _write(self, batches: Sequence[Batch]) -> None:
        values = [
            {
                "host": self.host,
                "table_id": row.table,
                "epoch": self.epoch,
                "seq": row.seq,
                "kind": row.kind,
                "format": FORMAT,
                "body": row.body,
            }
            for batch in batches
            for row in batch.rows
        ]
        if not values:
            return
        pause_s = 0.05
        while True:
            try:
                with self._engine.begin() as connection:
                    self._check_owner(connection)
                    connection.execute(rows.insert(), values)
                break
            except sa.exc.IntegrityError:
                # Either a commit whose answer was lost, or two writers with one epoch.
                if not self._is_written(values):
                    raise
                log.warning("journal.repeated", rows=len(values))
                break
            except sa.exc.DBAPIError as error:
                log.error("journal.write_failed", error=str(error.orig), pause_s=pause_s)
                time.sleep(pause_s)
                pause_s = min(2.0, pause_s * 2)

    def _is_written(self, values: Sequence[dict[str, Any]]) -> bool:
        key = (rows.c.host, rows.c.table_id, rows.c.epoch, rows.c.seq)
        with self._engine.begin() as connection:
            return all(
                connection.execute(
                    sa.select(rows.c.body).where(*(column == v[column.name] for column in key))
                ).scalar()
                == v["body"]
                for v in values
            )

    def _check_owner(self, connection: sa.Connection) -> None:
        query = sa.select(owners.c.epoch).where(owners.c.host == self.host)
        if self._engine.dialect.name != "sqlite":
            query = query.with_for_update(read=True)
        if connection.execute(query).scalar() != self.epoch:
            raise Fenced
