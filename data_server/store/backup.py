"""Copies of an SQLite hall, taken while it runs, and putting one back.

PostgreSQL has its own tools for both (docs/operations.md); only `prepare` and `orphans` are
for it, too.

A copy is one moment: the online backup of SQLite in a single step. It is checked before it
counts: the file as a whole, and the ledger.

What a hall learned after the copy is lost to the database, not to the world: ids were given
out, tickets signed, epochs raised, stakes moved. So putting one back (`prepare`) leaves a gap
of ids, ends every session under an epoch far above any that was given, and notes the moment;
hosts then send their last hour of settlements again, and sittings that no host remembers are
closed by the sweeper (`orphans`).
"""

from __future__ import annotations

import os
import sqlite3
import time
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import func, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store import audits, checks, migrate
from data_server.store.database import Database
from data_server.store.tables import (
    Entry,
    IdBlock,
    Player,
    PlayerSession,
    Posting,
    Restore,
    Sitting,
)

ID_GAP = 2**32  # more than a hall gives out between two copies
EPOCH_GAP = 2**20
_ONE_FILE = "PRAGMA journal_mode=DELETE"  # nothing beside it; readable where nothing is writable


@dataclass(frozen=True, slots=True)
class Copy:
    """A checked copy. last_us: of its last ledger entry, 0 without any."""

    file: str
    bytes: int
    revision: str
    last_us: int
    players: int
    settlements: int
    open_sittings: int
    escrow: int


class BadCopy(ValueError):
    """The file is no sound copy of a hall; the message says why."""


def copy(source: Path, target: Path) -> None:
    """The database as it is now, at `target`, whole or not at all; `source` may be in use.

    FileExistsError: nothing is ever overwritten. BadCopy: the source cannot be read. Mode 0600:
    it holds persons.
    """
    if target.exists():
        raise FileExistsError(f"{target} exists")
    if not source.exists():
        raise FileNotFoundError(f"there is no {source}")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with _open(source) as live, _open(draft) as made:
            live.backup(made, pages=-1)
            made.execute(_ONE_FILE)
        _sync(draft)
        os.link(draft, target)  # fails if somebody was quicker
        _sync(target.parent)
    except sqlite3.DatabaseError as error:
        raise BadCopy(f"{source} cannot be read: {error}") from None
    finally:
        draft.unlink(missing_ok=True)


def in_use(path: Path) -> bool:
    """Whether another process has the database open. One that is damaged is in nobody's use."""
    if not path.exists():
        return False
    with _open(path, timeout_s=0) as opened:
        try:
            opened.execute("PRAGMA locking_mode=EXCLUSIVE")
            opened.execute("BEGIN IMMEDIATE")
            opened.execute("ROLLBACK")
        except sqlite3.OperationalError as error:
            return error.sqlite_errorcode in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
        except sqlite3.DatabaseError:
            return False
    return False


class _open:
    """A connection that is closed at the end of the block (sqlite3's own only commits)."""

    def __init__(self, path: Path, *, timeout_s: float = 30) -> None:
        self._connection = sqlite3.connect(path, timeout=timeout_s, isolation_level=None)

    def __enter__(self) -> sqlite3.Connection:
        return self._connection

    def __exit__(self, *_: object) -> None:
        self._connection.close()


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


async def check(path: Path) -> Copy:
    """Look through a copy. BadCopy when it is damaged, of a newer version, or not even."""
    try:
        with _open(path) as opened:
            verdict = opened.execute("PRAGMA integrity_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise BadCopy(f"{path} cannot be read: {error}") from None
    if verdict != "ok":
        raise BadCopy(f"{path} is damaged: {verdict}")
    database = Database(f"sqlite:///{path}", pool=1)
    try:
        revision = await migrate.revision(database)
        if revision is None:
            raise BadCopy(f"{path} is no hall")
        if revision > migrate.newest():
            raise BadCopy(f"{path} is of revision {revision}, newer than this program")
        found = await database.read(lambda tx: checks.check_ledger(tx, now_us=0))
        players, last_us = await database.read(_counts)
    finally:
        await database.close()
        with _open(path) as opened:
            opened.execute(_ONE_FILE)
    if found.sum or found.unbalanced or found.mismatched:
        raise BadCopy(f"{path}: the ledger is not even")
    return Copy(
        file=str(path),
        bytes=path.stat().st_size,
        revision=revision,
        last_us=last_us,
        players=players,
        settlements=found.settlements,
        open_sittings=found.open_sittings,
        escrow=found.escrow,
    )


def _counts(tx: Connection) -> tuple[int, int]:
    players = tx.scalar(select(func.count()).select_from(Player))
    return players or 0, tx.scalar(select(func.max(Entry.created_us))) or 0


async def prepare(url: str, *, who: str, why: str) -> int:
    """Make a database that was put back fit to be run: newest schema, gap of ids, no session,
    a note. Returns the moment of its last ledger entry (microseconds UTC, 0 without any)."""
    database = Database(url, pool=1)
    try:
        await migrate.upgrade(database)
        now = time.time_ns() // 1000

        def work(tx: Connection) -> int:
            _, last_us = _counts(tx)
            tx.execute(update(IdBlock).values(next_id=IdBlock.next_id + ID_GAP))
            tx.execute(
                update(PlayerSession).values(
                    epoch=PlayerSession.epoch + EPOCH_GAP, live=False, refresh_hash=None
                )
            )
            tx.execute(insert(Restore).values(restored_us=now, last_us=last_us))
            audits.append(
                tx,
                who=who,
                what="restore",
                target="hall",
                why=why,
                before=None,
                after={"last_us": last_us},
                now_us=now,
            )
            return last_us

        return await database.write(work)
    finally:
        await database.close()


def orphans(tx: Connection, *, quiet_us: int, now_us: int, limit: int) -> list[int]:
    """Open sittings of before a restore whose stake has not moved since, long after it.

    Their host closed them after the copy was taken, or they play on and will settle: so only
    what is quiet for `quiet_us`, the longest hand included, is an orphan.
    """
    restored = tx.scalar(select(func.max(Restore.restored_us)))
    if restored is None or restored + quiet_us > now_us:
        return []
    moved = (
        select(Posting.entry_id)
        .join(Entry, Entry.id == Posting.entry_id)
        .where(Posting.account_id == Sitting.account_id, Entry.created_us >= restored)
        .exists()
    )
    rows = tx.execute(
        select(Sitting.id)
        .where(
            Sitting.closed_us == 0,
            Sitting.opened_us < restored,
            ~moved,
        )
        .order_by(Sitting.id)
        .limit(limit)
    )
    return [row.id for row in rows]
