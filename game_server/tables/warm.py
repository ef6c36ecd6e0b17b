"""Everything that a host needs, imported: Ray's workers import this module before they work.

So a host that is started again begins with replaying, not with importing. The games are another
second of CPU, of which most hosts need little at first: they are loaded by workers that wait, when
they have waited for a while. What fails here fails again, and is told, where it is needed.
"""

from __future__ import annotations

import contextlib
import os
import threading

IDLE_S = 3.0
NICE = 15
taken = threading.Event()
"""Set by who has become a host: it loads what it needs itself."""


def _load_games() -> None:
    from paiju.rules.registry import Registry
    from paiju.service.process import tune_gc

    registry = Registry.default()
    for room in registry.rooms():
        if taken.is_set():
            return
        with contextlib.suppress(Exception):
            registry.latest(room.game, dict(room.parameters))
    tune_gc()


def _wait() -> None:
    """Of this thread alone: those who play at other processes' tables come first."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICE)
    if not taken.wait(IDLE_S):
        with contextlib.suppress(Exception):
            _load_games()


with contextlib.suppress(Exception):
    import game_server.tables.process  # noqa: F401
threading.Thread(target=_wait, name="warm", daemon=True).start()
