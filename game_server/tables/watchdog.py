"""Which table is being stepped, for whoever comes after us; and the end of a loop that hangs.

`StepWord` is eight bytes of a file in memory: set before each step of a table, zero after it.
When the process dies in a step - rules that end it, that take all memory, or that never
return - the word stays, and the next process knows which table to suspect. Eight more bytes
say that the step hung: then it is no suspicion, for a machine that dies kills at any moment,
but only rules keep a loop from going on while another thread of it does.

`Watchdog` is a thread that ends the process when its loop stands still: rules that never
return would take all tables of the host with them. Rules that never return use the processor; a
loop that stands and uses none waits for a machine that is slow, and is given much longer.
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
BUSY_SHARE = 0.3
"""Of the time in which it stands still: so much of it a loop that hangs has computed."""
WAITS = 6
"""So many times as long may a loop stand that computes less: others have the processor, or its
memory comes from a disk."""
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
    """`start` and `beat` from the loop, the latter more often than every `hangs_s`; on_hang is
    called in the thread. cpu: CPU seconds of the loop's thread; by default of whoever starts.
    """

    def __init__(
        self,
        *,
        stepping: Callable[[], int],
        on_hang: Callable[[], None],
        hangs_s: float = HANGS_S,
        clock: Callable[[], float] = time.monotonic,
        cpu: Callable[[], float] | None = None,
    ) -> None:
        self._cpu = cpu or time.thread_time
        self._own = cpu is None
        self._stepping = stepping
        self._on_hang = on_hang
        self._hangs_s = hangs_s
        self._clock = clock
        self._beaten = (clock(), self._cpu())
        self._looked = clock()
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)

    def start(self) -> None:
        if self._own:
            of_loop = time.pthread_getcpuclockid(threading.get_ident())
            self._cpu = lambda: time.clock_gettime(of_loop)
        self.beat()
        self._thread.start()

    def beat(self) -> None:
        self._beaten = (self._clock(), self._cpu())

    def stop(self) -> None:
        self._end.set()

    def look(self) -> bool:
        """Whether the loop hangs; asked often, by the thread."""
        now = self._clock()
        if now - self._looked > self._hangs_s / 2:
            self.beat()  # the whole process stood still (SIGSTOP): not the loop's fault
        self._looked = now
        at, cpu = self._beaten
        stands, computed = now - at, self._cpu() - cpu
        limit_s = self._hangs_s if computed > self._hangs_s * BUSY_SHARE else self._hangs_s * WAITS
        if stands <= limit_s:
            return False
        log.error("host.hangs", table=self._stepping(), seconds=stands, cpu_s=computed)
        return True

    def _watch(self) -> None:
        self._looked = self._clock()
        while not self._end.wait(self._hangs_s / 10):
            if self.look():
                self._on_hang()
                return
