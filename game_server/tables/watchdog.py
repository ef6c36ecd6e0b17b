"""Which table is being stepped, for whoever comes after us; and the end of a loop that hangs.

`StepWord` is eight bytes of a file in memory: set before each step of a table, zero after it.
When the process dies in a step - rules that end it, that take all memory, or that never
return - the word stays, and the next process knows which table to suspect. Eight more bytes
say that the step hung: then it is no suspicion, for a machine that dies kills at any moment,
but only rules keep a loop from going on while another thread of it does.

`Watchdog` is a thread that ends the process when its loop stands still: rules that never
return would take all tables of the host with them.
"""

from __future__ import annotations

import mmap
import os
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path

import structlog

log = structlog.get_logger()

HANGS_S = 5.0
_WORD = struct.Struct("<q")
_HUNG_AT = _WORD.size


class StepWord:
    """`left`: the table that the former process was stepping when it died, 0 for none.

    `hung`: it did not die by chance there, the step did not end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(file, 2 * _WORD.size)
            self._memory = mmap.mmap(file, 2 * _WORD.size)
        finally:
            os.close(file)
        self.left = self.now()
        self.hung = self.left != 0 and _WORD.unpack_from(self._memory, _HUNG_AT) != (0,)
        self.set(0)
        _WORD.pack_into(self._memory, _HUNG_AT, 0)

    def set(self, table: int) -> None:
        """The table that is stepped from now on; 0: none."""
        _WORD.pack_into(self._memory, 0, table)

    def hangs(self) -> None:
        """The present step does not end; the process is about to."""
        _WORD.pack_into(self._memory, _HUNG_AT, 1)

    def now(self) -> int:
        return int(_WORD.unpack_from(self._memory, 0)[0])


class Watchdog:
    """`beat` from the loop, more often than every `hangs_s`; on_hang is called in the thread."""

    def __init__(
        self,
        *,
        stepping: Callable[[], int],
        on_hang: Callable[[], None],
        hangs_s: float = HANGS_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stepping = stepping
        self._on_hang = on_hang
        self._hangs_s = hangs_s
        self._clock = clock
        self._beaten = clock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        self.beat()
        self._thread.start()

    def beat(self) -> None:
        self._beaten = self._clock()

    def stop(self) -> None:
        self._end.set()

    def _watch(self) -> None:
        looked = self._clock()
        while not self._end.wait(self._hangs_s / 10):
            now = self._clock()
            if now - looked > self._hangs_s / 2:
                self.beat()  # the whole process stood still (SIGSTOP): not the loop's fault
            looked = now
            if now - self._beaten > self._hangs_s:
                log.error("host.hangs", table=self._stepping(), seconds=now - self._beaten)
                self._on_hang()
                return
