"""The disk under a journal: transactions that take time, fail, and hold their host's row.

One transaction of a host at a time, as on SQLite; a process that ends lets go at once; one
that is stopped in mid-transaction keeps its hold, until it goes on (SQLite) or until the
database ends the transaction (PostgreSQL, `idle_s`).
"""

from __future__ import annotations

import contextvars
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty
from random import Random
from typing import Any

import sqlalchemy as sa

from game_server.tables.journal import Journal, Pause, Queued, Steps, Take, Wait, Write
from tests.sim.clockwork import Process, SimLoop
from tests.sim.store import MemoryStore

BUSY_S = 5.0
"""So long a transaction waits for another one before it fails."""


@dataclass
class Disk:
    """Of one host. idle_s: 0 for SQLite. `slow_s`, `failing`, `lost_answers`: what is wrong."""

    loop: SimLoop
    random: Random
    idle_s: float = 0.0
    slow_s: float = 0.0
    failing: bool = False
    lost_answers: float = 0.0
    holder: Transaction | None = None
    writing: set[Process] = field(default_factory=set)
    """Between the first line of a write and its end."""
    _waiting: deque[Callable[[], None]] = field(default_factory=deque)

    def seconds(self) -> float:
        """Of one transaction."""
        return 0.0002 + (0.001 + self.slow_s) * self.random.random()

    def held_from(self, process: Process) -> bool:
        return self.holder is not None and self.holder.process is not process

    def begin(self, process: Process, then: Callable[[Transaction], None]) -> None:
        """`then` is called with the transaction once it holds the row."""
        if self.holder is None:
            self.holder = Transaction(self, process)
            then(self.holder)
        else:
            self._waiting.append(lambda: self.begin(process, then) if process.alive else None)

    def released(self) -> None:
        self.holder = None
        while self.holder is None and self._waiting:
            self._waiting.popleft()()


class Transaction:
    """Holds the host's row until `end`, or until its process or the database ends it."""

    def __init__(self, disk: Disk, process: Process) -> None:
        self.process = process
        self.ended = False
        self._disk = disk
        process.on_end.append(self.end)
        if disk.idle_s:
            self._look_again()

    def _look_again(self) -> None:
        disk = self._disk
        disk.loop.call_later(disk.idle_s, self._idle, context=contextvars.Context())

    def _idle(self) -> None:
        """The database's own clock: it ends what stands still."""
        if self.process.stopped:
            self.end()
        elif not self.ended:
            self._look_again()

    def end(self) -> None:
        if not self.ended:
            self.ended = True
            if self._disk.holder is self:
                self._disk.released()


class WriterQueue:
    """The queue of a journal whose writer is no thread."""

    def __init__(self) -> None:
        self.items: deque[Queued] = deque()
        self.wake: Callable[[], None] | None = None

    def put(self, item: Queued) -> None:
        self.items.append(item)
        if self.wake is not None:
            wake, self.wake = self.wake, None
            wake()

    def get(self, block: bool = True, timeout: float | None = None) -> Queued:
        raise NotImplementedError("the driver takes what is queued")

    def empty(self) -> bool:
        return not self.items


class Writer:
    """Drives `Journal.steps` in virtual time, as the writer's thread does in real time."""

    def __init__(self, process: Process, journal: Journal, queue: WriterQueue, disk: Disk) -> None:
        self.disk = disk
        self.store: Any = journal.store
        self._process = process
        self._loop = process.loop
        self._queue = queue
        self._steps: Steps = journal.steps()
        self._timer: Any = None

    def start(self) -> None:
        self._later(0.0, self._go)

    def _later(self, seconds: float, work: Callable[..., None], *args: Any) -> Any:
        return self._loop.call_later(seconds, work, *args, context=self._process.context)

    def _go(self, result: object = None, error: Exception | None = None) -> None:
        while True:
            try:
                wait = self._steps.send(result) if error is None else self._steps.throw(error)
            except StopIteration:
                return
            result = error = None
            if not isinstance(wait, Take):
                self._wait(wait)
                return
            if self._queue.items:
                result = self._queue.items.popleft()
            elif wait.timeout_s == 0:
                error = Empty()
            else:
                self._await(wait.timeout_s)
                return

    def _await(self, timeout_s: float | None) -> None:
        def woken() -> None:
            if self._timer is not None:
                self._timer.cancel()
            self._later(0.0, self._take)

        self._queue.wake = woken
        self._timer = None if timeout_s is None else self._later(timeout_s, self._nothing)

    def _take(self) -> None:
        self._go(self._queue.items.popleft())

    def _nothing(self) -> None:
        self._queue.wake = None
        self._go(None, Empty())

    def _wait(self, wait: Wait) -> None:
        if isinstance(wait, Pause):
            self._later(wait.seconds, self._go)
        elif isinstance(wait, Write):
            self.disk.writing.add(self._process)
            self.disk.begin(self._process, lambda held: self._begun(held, wait))

    # ---- one transaction -------------------------------------------------------------------

    def _begun(self, held: Transaction, write: Write) -> None:
        self._later(self.disk.seconds(), self._commit, held, write)

    def _commit(self, held: Transaction, write: Write) -> None:
        self.disk.writing.discard(self._process)
        if held.ended:
            self._go(None, _error("terminating connection due to idle-in-transaction timeout"))
            return
        error: Exception | None = None
        if self.disk.failing:
            error = _error("database or disk is full")
        else:
            try:
                self.store.write(write.rows, write.posted, write.answered)
            except Exception as raised:
                error = raised
            else:
                if self.disk.random.random() < self.disk.lost_answers:
                    error = _error("the connection was lost after COMMIT")
        held.end()
        self._later(self.disk.seconds() / 10, self._go, None, error)


def _error(text: str) -> sa.exc.OperationalError:
    return sa.exc.OperationalError("write", {}, Exception(text))


async def take_over(store: MemoryStore, disk: Disk, process: Process, *, at_least: int = 0) -> int:
    """A successor's first transaction; it waits for one that its predecessor holds."""
    held: Any = process.loop.create_future()
    disk.begin(process, lambda transaction: held.done() or held.set_result(transaction))
    transaction = await held
    epoch = store.take_over(at_least=at_least)
    transaction.end()
    return epoch
