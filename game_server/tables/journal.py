"""The journal: what tables did, on disk before anyone sees it (docs/contracts/journal.md).

Owner: one host. A single writer thread takes everything that is queued, writes it in one
transaction, and only then hands the batches back to the host's loop, in order; a batch
without rows waits its turn like any other, so nothing overtakes. When it has nothing to
write, the same thread forgets what nobody will read again.

A host that finds a higher epoch in the database has been replaced: nothing more is written
or shown. A database that fails is tried again for ever; meanwhile nothing is shown.

What the writer decides (`Journal.steps`) is apart from what it waits for (`Wait`): the thread
carries out one wait after the other, and so does a simulation, in its own time.

What may be lost: with SQLite's `synchronous=NORMAL` the last transactions when the machine
(not the process) dies.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, Protocol

import sqlalchemy as sa
import structlog

from game_server.tables.journal_store import Answered, JournalStore, Posted, Row
from game_server.tables.retention import Retention
from paiju.service import logs

log = structlog.get_logger()

MAX_BATCH_ROWS = 5_000
LONGEST_PAUSE_S = 1.0


@dataclass(eq=False, slots=True)
class Batch:
    """What one tick has to write, and what to do once it is written.

    posted: settlements of hands whose end is among the rows. answered: what the ledger said.
    """

    rows: list[Row] = field(default_factory=list)
    release: Callable[[], None] = lambda: None
    posted: list[Posted] = field(default_factory=list)
    answered: list[Answered] = field(default_factory=list)


Queued = tuple[float, Batch] | None
"""When it was submitted, and the batch; None: nothing comes after it."""


class Take(NamedTuple):
    """The next of the queue (`Queued`), waiting for so long (None: for ever). queue.Empty."""

    timeout_s: float | None


class Write(NamedTuple):
    """One transaction; raises what `JournalStore.write` raises."""

    rows: Sequence[Row]
    posted: Sequence[Posted]
    answered: Sequence[Answered]


class Pause(NamedTuple):
    """So long, doing nothing."""

    seconds: float


Wait = Take | Write | Pause
Steps = Generator[Wait, Any, None]


class Queue(Protocol):
    """What is used of queue.SimpleQueue."""

    def put(self, item: Queued) -> None: ...

    def get(self, block: bool = True, timeout: float | None = None) -> Queued: ...

    def empty(self) -> bool: ...


class Journal:
    """`start` after the store was taken over; `submit` from the loop, `close` at the end.

    deliver: called in the writer thread with the batches just written, the seconds it took
    and the number of rows; it must hand the batches to the loop.
    on_stopped: called in the writer thread when nothing will be written any more.
    on_failing: called in the writer thread when writing begins to fail and when it works again.
    spacing_ms: least time between two commits under load.
    queue: of what is submitted.
    """

    def __init__(
        self,
        *,
        store: JournalStore,
        deliver: Callable[[Sequence[Batch], float, int], None],
        on_stopped: Callable[[], None],
        on_failing: Callable[[bool], None] = lambda failing: None,
        retention: Retention | None = None,
        spacing_ms: float = 4.0,
        queue: Queue | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.store = store
        self._deliver = deliver
        self._on_stopped = on_stopped
        self._on_failing = on_failing
        self._retention = retention
        self._spacing_s = spacing_ms / 1000
        self._clock = clock
        self._queue: Queue = queue or SimpleQueue()
        self._oldest: float | None = None  # when the oldest unwritten batch was submitted
        self._forgot_at = clock()
        self._thread: threading.Thread | None = None

    @property
    def epoch(self) -> int:
        return self.store.epoch

    def start(self) -> None:
        """Start the writer thread."""
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def submit(self, batch: Batch) -> None:
        """Queue a batch; its `release` is called after it is on disk, batches in order."""
        now = self._clock()
        if self._oldest is None:
            self._oldest = now
        self._queue.put((now, batch))

    def unwritten_age_s(self) -> float:
        """Age of the oldest batch that is not on disk yet, seconds."""
        oldest = self._oldest
        return 0.0 if oldest is None else max(0.0, self._clock() - oldest)

    def close(self) -> None:
        """Write what is queued and stop the thread."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join(timeout=10)
        self.store.close()

    # ---- writer thread ---------------------------------------------------------------------

    def _run(self) -> None:
        steps = self.steps()
        result: object = None
        error: Exception | None = None
        while True:
            try:
                wait = steps.send(result) if error is None else steps.throw(error)
            except StopIteration:
                return
            result = error = None
            try:
                result = self._carry_out(wait)
            except Exception as raised:
                error = raised

    def _carry_out(self, wait: Wait) -> object:
        match wait:
            case Take(timeout_s):
                return self._queue.get(timeout_s != 0, timeout_s)
            case Write(rows, posted, answered):
                self.store.write(rows, posted, answered)
            case Pause(seconds):
                time.sleep(seconds)
        return None

    # ---- what the writer decides -----------------------------------------------------------

    def steps(self) -> Steps:
        """All that the writer does until the end; whoever drives it carries out each Wait."""
        try:
            yield from self._work()
        except Exception as error:
            # Fenced, or a fault that repeating cannot mend: show nothing more.
            log.error("journal.stopped", host=self.store.host, epoch=self.epoch, error=repr(error))
            self._on_stopped()

    def _work(self) -> Steps:
        while True:
            first = yield from self._next()
            if first is None:
                return
            taken, ends = yield from self._drain(first)
            self._oldest = taken[0][0]
            begun = self._clock()
            yield from self._write([batch for _, batch in taken])
            seconds = self._clock() - begun
            # What was queued meanwhile is younger than this commit's begin.
            self._oldest = None if self._queue.empty() else begun
            self._deliver(
                [batch for _, batch in taken], seconds, sum(len(b.rows) for _, b in taken)
            )
            if ends:
                return
            self._forget()
            if not self._queue.empty():
                yield Pause(max(0.0, self._spacing_s - (self._clock() - begun)))

    def _drain(
        self, first: tuple[float, Batch]
    ) -> Generator[Wait, Queued, tuple[list[tuple[float, Batch]], bool]]:
        taken, count = [first], len(first[1].rows)
        while count < MAX_BATCH_ROWS:
            try:
                item = yield Take(0)
            except Empty:
                return taken, False
            if item is None:
                return taken, True
            taken.append(item)
            count += len(item[1].rows)
        return taken, False

    def _next(self) -> Generator[Wait, Queued, Queued]:
        """The next batch; while there is none, old rows are forgotten."""
        while True:
            try:
                return (yield Take(None if self._retention is None else 1.0))
            except Empty:
                self._forget()

    def _forget(self) -> None:
        """Once a second, whether there is much to write or nothing."""
        if self._retention is None or self._clock() - self._forgot_at < 1.0:
            return
        self._forgot_at = self._clock()
        try:
            self._retention.forget(self.store)
        except sa.exc.DBAPIError as error:
            log.warning("journal.not_forgotten", **logs.of_database(error))

    def _write(self, batches: Sequence[Batch]) -> Steps:
        rows = [row for batch in batches for row in batch.rows]
        posted = [one for batch in batches for one in batch.posted]
        answered = [one for batch in batches for one in batch.answered]
        if not rows and not posted and not answered:
            return
        pause_s, attempt = 0.05, 0
        while True:
            attempt += 1
            try:
                yield from self._write_once(rows, posted, answered)
                break
            except sa.exc.IntegrityError:
                raise  # two writers with one epoch: repeating cannot mend it
            except sa.exc.DBAPIError as error:
                told = logs.of_database(error, attempt=attempt)
                log.error("journal.write_failed", pause_s=pause_s, **told)
                self._on_failing(True)
                yield Pause(pause_s)
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
        if pause_s > 0.05:
            self._on_failing(False)
        if self._retention is not None:
            self._retention.written(rows)

    def _write_once(
        self, rows: Sequence[Row], posted: Sequence[Posted], answered: Sequence[Answered]
    ) -> Steps:
        try:
            yield Write(rows, posted, answered)
        except sa.exc.IntegrityError:
            # Perhaps a commit whose answer was lost.
            if not rows or not self.store.has(rows):
                raise
            log.warning("journal.repeated", rows=len(rows))
