"""Grandchildren whose parent died: they become ours, and we end them.

Ray's agents outlive their raylet when that was killed. A process that is a subreaper becomes
the parent of all orphans below it instead of the machine's init.
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Collection
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def adopt() -> None:
    """From now on orphans below us are our children."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents() -> dict[int, int]:
    """pid -> its parent, of all processes; zombies included."""
    found = {}
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            text = (path / "stat").read_text("ascii", errors="replace")
        except OSError:
            continue
        found[int(path.name)] = int(text.rpartition(")")[2].split()[1])
    return found


def descendants(pid: int) -> list[int]:
    """Everything below a process."""
    by_parent: dict[int, list[int]] = {}
    for child, parent in parents().items():
        by_parent.setdefault(parent, []).append(child)
    found = list(by_parent.get(pid, []))
    for child in found:  # grows while we go through it
        found += by_parent.get(child, [])
    return found


def end_adopted(*, keep: Collection[int] = (), within_s: float = 3.0) -> None:
    """Kill and reap all our children but those to keep."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        children = [c for c, parent in parents().items() if parent == os.getpid()]
        unwanted = set(children) - set(keep)
        if not unwanted:
            return
        for pid in unwanted:
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, os.WNOHANG)
            except (ProcessLookupError, ChildProcessError):
                continue
        time.sleep(0.02)
