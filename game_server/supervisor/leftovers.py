"""What a predecessor that was killed left behind: its children, sockets, Ray's session.

A child is known by its pid and the moment it started; a pid alone may belong to somebody
else by now. Only processes that are in the list are ended.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from collections.abc import Iterable
from pathlib import Path

import structlog

from game_server.supervisor.folders import Folders, write_json

log = structlog.get_logger()

LIST = "children.json"
END_WITHIN_S = 5.0


def started_at(pid: int) -> int:
    """Clock ticks after boot at which the process started; 0 when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text("ascii", errors="replace")
    except OSError:
        return 0
    fields = text.rpartition(")")[2].split()
    return 0 if fields[0] in "ZX" else int(fields[19])


class Record:
    """The list of processes that we started and that may still run."""

    def __init__(self, run_dir: Path) -> None:
        self._path = run_dir / LIST
        self._running: dict[int, tuple[int, str]] = {}

    def add(self, pid: int, name: str) -> None:
        self._running[pid] = (started_at(pid), name)
        self._write()

    def remove(self, pid: int) -> None:
        if self._running.pop(pid, None) is not None:
            self._write()

    def _write(self) -> None:
        write_json(
            self._path,
            {str(pid): [ticks, name] for pid, (ticks, name) in self._running.items()},
        )


def clear(folders: Folders) -> None:
    """Call it with the lock held and before anything is started."""
    end_recorded(folders.run)
    for path in (folders.run / LIST, folders.state, *folders.run.glob("*.sock")):
        path.unlink(missing_ok=True)
    _clear_ray(folders.ray_temp)


def still_running(folder: Path) -> bool:
    """Whether any process of the folder's list runs."""
    return bool(_recorded(folder / LIST))


def end_recorded(folder: Path, *, patience_s: float = 0.0) -> None:
    """Kill those of the folder's list that still run after so long."""
    alive = _recorded(folder / LIST)
    _wait_gone(alive, patience_s)
    for pid, name in alive.items():
        if started_at(pid):
            log.warning("leftover.killed", pid=pid, process=name)
            _kill(pid)
    _wait_gone(alive, END_WITHIN_S)


def _wait_gone(pids: Iterable[int], within_s: float) -> None:
    until = time.monotonic() + within_s
    while any(started_at(pid) for pid in pids) and time.monotonic() < until:
        time.sleep(0.02)


def _clear_ray(temp: Path) -> None:
    """The session's folder has the name that the head's memory holds, so it comes back; its
    sockets and files about running processes must not. The last logs are kept.
    """
    (temp / "ray_current_cluster").unlink(missing_ok=True)
    for session in temp.glob("session_*"):
        if session.is_symlink():
            session.unlink(missing_ok=True)
            continue
        kept = temp / "last-logs"
        if (session / "logs").is_dir():
            shutil.rmtree(kept, ignore_errors=True)
            (session / "logs").rename(kept)
        shutil.rmtree(session, ignore_errors=True)


def _recorded(path: Path) -> dict[int, str]:
    """Those of the list that still run."""
    try:
        entries = json.loads(path.read_text("utf-8"))
        listed = [(int(pid), int(ticks), str(name)) for pid, (ticks, name) in entries.items()]
    except (OSError, ValueError, AttributeError, TypeError):
        return {}
    return {pid: name for pid, ticks, name in listed if ticks and started_at(pid) == ticks}


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
