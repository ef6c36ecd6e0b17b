"""The journal's tables and statements (docs/contracts/journal.md). Synchronous.

Five tables, all keyed by host, so that hosts may share a database:

* `journal_owner`: the host's epoch, the fence of every write;
* `journal_row`: the numbers of tables;
* `journal_table`: the tables that are open, where a replay begins, and how often one was
  begun without coming to an end;
* `journal_strike`: how often the process died in a step of a table, in its present hand;
* `journal_outbox`: settlements, with what became of them.

Each transaction that writes checks the epoch inside: it begins with BEGIN IMMEDIATE on SQLite
and holds the owner's row FOR SHARE elsewhere. A process that stops between check and commit
keeps its successor waiting on SQLite until it goes on or is killed; PostgreSQL ends its
transaction after IDLE_IN_TRANSACTION_MS.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa
import structlog
from sqlalchemy.dialects import postgresql, sqlite

from game_server.tables.replay import StoredRow

log = structlog.get_logger()

FORMAT = 2
IDLE_IN_TRANSACTION_MS = 5_000
WAITING, ANSWERED, REFUSED = 0, 1, 2
_DIRECTORY_KINDS = frozenset({"open", "hand_begin", "close"})
"""Rows that change `journal_table`."""
T = TypeVar("T")

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
tables = sa.Table(
    "journal_table",
    _schema,
    sa.Column("host", sa.String(128), primary_key=True),
    sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("room", sa.String(128), nullable=False),
    sa.Column("shard", sa.Integer, nullable=False),
    sa.Column("begin_seq", sa.BigInteger, nullable=False),
    sa.Column("before_seq", sa.BigInteger, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False),
)
strikes = sa.Table(
    "journal_strike",
    _schema,
    sa.Column("host", sa.String(128), primary_key=True),
    sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("strikes", sa.Integer, nullable=False),
)
outbox = sa.Table(
    "journal_outbox",
    _schema,
    sa.Column("host", sa.String(128), primary_key=True),
    sa.Column("table_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("hand", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("state", sa.SmallInteger, nullable=False),
    sa.Column("changed_us", sa.BigInteger, nullable=False),
    sa.Column("code", sa.String(64), nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Index("ix_journal_outbox_state", "host", "state", "changed_us"),
)


class Row(NamedTuple):
    """One number of a table, as it is written."""

    table: int
    seq: int
    kind: str
    body: bytes


class Posted(NamedTuple):
    """A settlement as the outbox keeps it; body is the serialized message."""

    table: int
    hand: int
    body: bytes
    at_us: int


class Answered(NamedTuple):
    """What the ledger said: code "" when it is booked."""

    table: int
    hand: int
    code: str
    at_us: int


class OpenTable(NamedTuple):
    """begin: the number a replay begins with. before: the same, one hand earlier."""

    table: int
    room: str
    shard: int
    begin: int
    before: int
    attempts: int


class Fenced(Exception):
    """A higher epoch owns this journal: this host must stop."""


class JournalStore:
    """One host's part of a journal database. `epoch` is 0 until `take_over`."""

    def __init__(self, url: str, host: str) -> None:
        self.host = host
        self.epoch = 0
        self.engine = _engine(url)
        self._struck: set[int] = set()  # tables with strikes
        self._sqlite = self.engine.dialect.name == "sqlite"
        # What each commit does goes to the driver as it is: building it costs more than doing it.
        hole = "?" if self._sqlite else "%s"
        names = [column.name for column in rows.columns]
        holes = ", ".join(hole for _ in names)
        self._insert = f"INSERT INTO {rows.name} ({', '.join(names)}) VALUES ({holes})"
        share = "" if self._sqlite else " FOR SHARE"
        self._owner = f"SELECT epoch FROM {owners.name} WHERE host = {hole}{share}"

    def close(self) -> None:
        self.engine.dispose()

    # ---- ownership -------------------------------------------------------------------------

    def take_over(self, *, at_least: int = 0, patience_s: float = 30.0) -> int:
        """Raise this host's epoch above all before it (and to `at_least`) and return it.

        A predecessor that holds the database in mid-transaction is waited for; DBAPIError
        when it still does after `patience_s`.
        """
        self.epoch = patiently(lambda: self._take_over(at_least), patience_s)
        return self.epoch

    def _take_over(self, at_least: int) -> int:
        _schema.create_all(self.engine)
        with self.engine.begin() as connection:
            query = sa.select(owners.c.epoch).where(owners.c.host == self.host)
            if not self._sqlite:
                query = query.with_for_update()
            before = connection.execute(query).scalar()
            epoch = max((before or 0) + 1, at_least)
            if before is None:
                connection.execute(owners.insert().values(host=self.host, epoch=epoch))
            else:
                connection.execute(
                    owners.update().where(owners.c.host == self.host).values(epoch=epoch)
                )
        return epoch

    def check_owner(self, connection: sa.Connection) -> None:
        """Fenced when a successor has taken over; until the transaction ends none can."""
        if connection.exec_driver_sql(self._owner, (self.host,)).scalar() != self.epoch:
            raise Fenced

    # ---- writing ---------------------------------------------------------------------------

    def write(
        self, written: Sequence[Row], posted: Sequence[Posted], answered: Sequence[Answered]
    ) -> None:
        """All of it in one transaction, or nothing. Fenced; DBAPIError."""
        with self.engine.begin() as connection:
            self.check_owner(connection)
            if written:
                host, epoch = self.host, self.epoch
                connection.exec_driver_sql(
                    self._insert,
                    [(host, r.table, epoch, r.seq, r.kind, FORMAT, r.body) for r in written],
                )
                self._keep_directory(connection, written)
            if posted:
                self._post(connection, posted)
            if answered:
                self._answer(connection, answered)

    def has(self, written: Sequence[Row]) -> bool:
        """Whether exactly these rows are there: a commit whose answer was lost."""
        key = (rows.c.host, rows.c.table_id, rows.c.epoch, rows.c.seq)
        with self.engine.begin() as connection:
            return all(
                connection.execute(
                    sa.select(rows.c.body).where(*(column == v[column.name] for column in key))
                ).scalar()
                == v["body"]
                for v in map(self._values, written)
            )

    def _values(self, row: Row) -> dict[str, Any]:
        return {
            "host": self.host,
            "table_id": row.table,
            "epoch": self.epoch,
            "seq": row.seq,
            "kind": row.kind,
            "format": FORMAT,
            "body": row.body,
        }

    def _keep_directory(self, connection: sa.Connection, written: Iterable[Row]) -> None:
        for row in written:
            if row.kind not in _DIRECTORY_KINDS:
                continue  # nearly all of them
            mine = (tables.c.host == self.host, tables.c.table_id == row.table)
            if row.kind == "open":
                body = msgspec.json.decode(row.body)
                connection.execute(
                    tables.insert().values(
                        host=self.host,
                        table_id=row.table,
                        room=body["room"],
                        shard=body["shard"],
                        begin_seq=row.seq,
                        before_seq=row.seq,
                        attempts=0,
                    )
                )
            elif row.kind == "hand_begin":
                connection.execute(
                    tables.update()
                    .where(*mine)
                    .values(before_seq=tables.c.begin_seq, begin_seq=row.seq)
                )
            elif row.kind == "close":
                connection.execute(tables.delete().where(*mine))
            if row.table in self._struck and row.kind in ("hand_begin", "close"):
                self._struck.discard(row.table)
                connection.execute(
                    strikes.delete().where(
                        strikes.c.host == self.host, strikes.c.table_id == row.table
                    )
                )

    def _post(self, connection: sa.Connection, posted: Iterable[Posted]) -> None:
        dialect = sqlite if self._sqlite else postgresql
        connection.execute(
            dialect.insert(outbox).on_conflict_do_nothing(),
            [
                {
                    "host": self.host,
                    "table_id": one.table,
                    "hand": one.hand,
                    "state": WAITING,
                    "changed_us": one.at_us,
                    "code": "",
                    "body": one.body,
                }
                for one in posted
            ],
        )

    def _answer(self, connection: sa.Connection, answered: Iterable[Answered]) -> None:
        connection.execute(
            outbox.update()
            .where(
                outbox.c.host == self.host,
                outbox.c.table_id == sa.bindparam("_table"),
                outbox.c.hand == sa.bindparam("_hand"),
            )
            .values(
                state=sa.bindparam("_state"),
                code=sa.bindparam("_code"),
                changed_us=sa.bindparam("_at"),
            ),
            [
                {
                    "_table": one.table,
                    "_hand": one.hand,
                    "_state": REFUSED if one.code else ANSWERED,
                    "_code": one.code[:64],
                    "_at": one.at_us,
                }
                for one in answered
            ],
        )

    # ---- reading at a start ----------------------------------------------------------------

    def open_tables(self) -> list[OpenTable]:
        """The tables that were open when the last epoch ended."""
        query = (
            sa.select(*list(tables.c)[1:])
            .where(tables.c.host == self.host)
            .order_by(tables.c.table_id)
        )
        with self.engine.begin() as connection:
            return [OpenTable(*row) for row in connection.execute(query)]

    def rows_of(self, table: int, *, first: int) -> list[StoredRow]:
        """The table's rows from number `first` on. ValueError for a newer format."""
        query = (
            sa.select(rows.c.seq, rows.c.kind, rows.c.body, rows.c.format)
            .where(rows.c.host == self.host, rows.c.table_id == table, rows.c.seq >= first)
            .order_by(rows.c.seq)
        )
        with self.engine.begin() as connection:
            found = connection.execute(query).all()
        if any(row.format > FORMAT for row in found):
            raise ValueError(f"table {table} has rows of a newer format than {FORMAT}")
        return [StoredRow(r.seq, r.kind, msgspec.json.decode(r.body)) for r in found]

    def mark(self, table: int, *, attempts: int, rebuilt: int = 0) -> None:
        """The table is about to be replayed, for that time; table `rebuilt` was, and stands."""
        with self.engine.begin() as connection:
            self.check_owner(connection)
            for table_id, value in ((table, attempts), (rebuilt, 0)):
                if table_id:
                    connection.execute(
                        tables.update()
                        .where(tables.c.host == self.host, tables.c.table_id == table_id)
                        .values(attempts=value)
                    )

    def strike(self, table: int, *, times: int = 1) -> None:
        """The former process died in a step of this table; counted as so many deaths."""
        dialect = sqlite if self._sqlite else postgresql
        statement = dialect.insert(strikes).values(host=self.host, table_id=table, strikes=times)
        with self.engine.begin() as connection:
            self.check_owner(connection)
            connection.execute(
                statement.on_conflict_do_update(
                    index_elements=["host", "table_id"],
                    set_={"strikes": strikes.c.strikes + times},
                )
            )

    def strikes(self) -> dict[int, int]:
        """Table -> how often the process died in one of its steps, during its present hand."""
        query = sa.select(strikes.c.table_id, strikes.c.strikes)
        with self.engine.begin() as connection:
            found = connection.execute(query.where(strikes.c.host == self.host))
            counts = {row.table_id: row.strikes for row in found}
        self._struck = set(counts)
        return counts

    def orphaned_sittings(self) -> list[int]:
        """Sittings that were opened and not closed at tables that are not open any more."""
        is_open = sa.select(tables.c.table_id).where(tables.c.host == self.host)
        query = (
            sa.select(rows.c.table_id, rows.c.kind, rows.c.body)
            .where(rows.c.host == self.host, rows.c.epoch < self.epoch)
            .where(rows.c.kind.in_(("sit", "stand", "close")), rows.c.table_id.not_in(is_open))
            .order_by(rows.c.table_id, rows.c.epoch, rows.c.seq)
        )
        held: dict[tuple[int, int], int] = {}
        closed: set[int] = set()
        with self.engine.begin() as connection:
            for table_id, kind, body in connection.execute(query):
                row = msgspec.json.decode(body)
                if kind == "sit":
                    held[table_id, row["seat"]] = row["sitting"]
                elif kind == "stand":
                    held.pop((table_id, row["seat"]), None)
                else:
                    closed.add(table_id)
        return [sitting for (table_id, _), sitting in held.items() if table_id not in closed]

    def settlements(self, state: int) -> list[tuple[bytes, str]]:
        """Settlements in that state with the ledger's code, the oldest first."""
        query = (
            sa.select(outbox.c.body, outbox.c.code)
            .where(outbox.c.host == self.host, outbox.c.state == state)
            .order_by(outbox.c.changed_us, outbox.c.table_id, outbox.c.hand)
        )
        with self.engine.begin() as connection:
            return [(row.body, row.code) for row in connection.execute(query)]

    # ---- retention -------------------------------------------------------------------------

    def forget_rows(self, table: int, *, below: int | None) -> int:
        """Drop a table's rows below that number, or all of them; how many there were."""
        with self.engine.begin() as connection:
            self.check_owner(connection)
            found = rows.delete().where(rows.c.host == self.host, rows.c.table_id == table)
            if below is not None:
                found = found.where(rows.c.seq < below)
            return connection.execute(found).rowcount

    def forget_answered(self, *, before_us: int) -> int:
        """Drop settlements that were booked before that time; how many there were."""
        with self.engine.begin() as connection:
            self.check_owner(connection)
            return connection.execute(
                outbox.delete().where(
                    outbox.c.host == self.host,
                    outbox.c.state == ANSWERED,
                    outbox.c.changed_us < before_us,
                )
            ).rowcount

    def closed_tables(self) -> list[int]:
        """Tables that have rows and are not open."""
        is_open = sa.select(tables.c.table_id).where(tables.c.host == self.host)
        query = (
            sa.select(rows.c.table_id)
            .where(rows.c.host == self.host, rows.c.table_id.not_in(is_open))
            .distinct()
        )
        with self.engine.begin() as connection:
            return list(connection.execute(query).scalars())


def _engine(url: str) -> sa.Engine:
    engine = sa.create_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
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

    elif engine.dialect.name == "postgresql":

        @sa.event.listens_for(engine, "connect")
        def _on_connect_postgresql(connection: Any, _: object) -> None:
            with connection.cursor() as cursor:
                cursor.execute(
                    f"SET idle_in_transaction_session_timeout = {IDLE_IN_TRANSACTION_MS}"
                )
            connection.commit()

    return engine


def patiently(work: Callable[[], T], patience_s: float) -> T:
    """Try again while the database refuses: it is held, or somebody makes the same tables."""
    until = time.monotonic() + patience_s
    while True:
        try:
            return work()
        except sa.exc.DBAPIError as error:
            if time.monotonic() > until:
                raise
            log.warning("journal.takeover_waits", error=str(error.orig))
            time.sleep(0.1)
