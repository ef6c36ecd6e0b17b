"""Folders below /tmp whose owner died without taking them along.

Whoever makes such a folder says in it who it is. A folder is taken away only when that process
is provably dead (on this machine, and in this namespace of pids, nothing runs under its pid that
began at its moment; or the machine was booted since) and none of the processes that it started
runs any more.
A folder that says nothing is left alone.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import structlog

from game_server.supervisor.folders import machine
from game_server.supervisor.leftovers import started_at, still_running

log = structlog.get_logger()

OWNER = "owner.json"
PATTERN = "paiju-*"
TEMPORARY = Path("/tmp")


def claim(folder: Path) -> None:
    """This process owns the folder."""
    owner = {"pid": os.getpid(), "started": started_at(os.getpid()), **_place()}
    draft = folder / f".{OWNER}"
    draft.write_text(json.dumps(owner), "utf-8")
    draft.replace(folder / OWNER)


def sweep(parent: Path = TEMPORARY) -> list[Path]:
    """Take away what the dead left there; what was."""
    gone = []
    for folder in sorted(parent.glob(PATTERN)):
        if _ours(folder) and owner_is_dead(folder) and not still_running(folder):
            shutil.rmtree(folder, ignore_errors=True)
            log.info("leftover.swept", folder=str(folder))
            gone.append(folder)
    return gone


def owner_is_dead(folder: Path) -> bool:
    """False also when nobody can tell."""
    try:
        owner = json.loads((folder / OWNER).read_text("utf-8"))
        pid, started = int(owner["pid"]), int(owner["started"])
        place = {"machine": str(owner["machine"]), "pids": str(owner["pids"])}
    except (OSError, ValueError, KeyError, TypeError):
        return False
    here = _place()
    (host, _, boot), (our_host, _, our_boot) = (
        where["machine"].rpartition("/") for where in (place, here)
    )
    if host == our_host and boot != our_boot:
        return True
    return place == here and started > 0 and started_at(pid) != started


def _place() -> dict[str, str]:
    """Where a pid means what it means here."""
    return {"machine": machine(), "pids": str(Path("/proc/self/ns/pid").readlink())}


def _ours(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return folder.is_dir() and not folder.is_symlink() and status.st_uid == os.geteuid()
