"""Two processes with one host name on one journal, and nothing else: the fence by itself.

The old one writes and acknowledges; it is stopped between its check of the epoch and its
commit; a new one takes over, some time or other, reads, and writes; the old one goes on.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import Row
from tests.sim.clockwork import Process, SimLoop
from tests.sim.disk import Disk, Writer, WriterQueue, take_over
from tests.sim.stage import monotonic
from tests.sim.store import MemoryStore, Tables

TABLE = 1
ROWS = 20


@dataclass
class Owner:
    """A process that owns the journal, or thinks so."""

    process: Process
    store: MemoryStore
    journal: Journal
    acknowledged: dict[int, float] = field(default_factory=dict)  # number -> when
    ended: bool = False


class Fence:
    """One interleaving. writer: what drives the journals."""

    def __init__(self, seed: int, *, writer: type[Writer] = Writer) -> None:
        self._random = Random(seed)
        self.loop = SimLoop(Random(seed))
        self._writer = writer
        self.tables = Tables()
        idle_s = self._random.choice((0.0, 5.0))
        self.disk = Disk(self.loop, Random(seed + 1), idle_s=idle_s, slow_s=0.01)
        self.known: set[int] = set()
        """What the new one has read after its takeover."""
        self.taken_at = 0.0

    def run(self) -> list[str]:
        """What is wrong; nothing is right."""
        draw = self._random
        old, new = self._owner("old"), self._owner("new")
        old.process.spawn(self._own(old))
        self._keep_writing(old, 0.0)
        stops = draw.uniform(0.02, 0.3)
        self._at(stops, lambda: self._stop_in_transaction(old))
        self._at(stops + draw.uniform(0.0, 0.2), lambda: new.process.spawn(self._succeed(new)))
        self._at(stops + draw.choice((0.05, 0.5, 8.0)) * draw.random() + 0.01, old.process.go_on)
        self.loop.run_until(20.0)
        complaints = list(self._wrong(old, new))
        self.loop.close()
        return complaints

    def _at(self, when: float, work: object) -> None:
        self.loop.call_at(when, work)  # type: ignore[arg-type]

    def _owner(self, name: str) -> Owner:
        process = Process(self.loop, name, base_s=self._random.uniform(0, 1e5))
        store = MemoryStore(self.tables, "h", now=lambda: self.loop.now)
        queue = WriterQueue()

        def deliver(batches: object, seconds: float, rows: int) -> None:
            for batch in batches:  # type: ignore[attr-defined]
                batch.release()

        def stopped() -> None:
            owner.ended = True
            process.kill()

        journal = Journal(
            store=store,  # type: ignore[arg-type]
            deliver=deliver,
            on_stopped=stopped,
            queue=queue,
            clock=monotonic,
        )
        owner = Owner(process, store, journal)
        self._writer(process, journal, queue, self.disk).start()
        return owner

    async def _own(self, owner: Owner) -> None:
        await take_over(owner.store, self.disk, owner.process)

    async def _succeed(self, owner: Owner) -> None:
        await self._own(owner)
        self.known = {row.seq for row in owner.store.rows_of(TABLE, first=0)}
        self.taken_at = self.loop.now
        self._keep_writing(owner, 0.0)

    def _keep_writing(self, owner: Owner, after_s: float) -> None:
        """A row, and the next one when it is acknowledged."""

        def write() -> None:
            number = max((seq for _, seq, _ in self.tables.rows), default=0) + 1
            body = f'{{"by":"{owner.process.name}"}}'.encode()

            def acknowledged() -> None:
                owner.acknowledged[number] = self.loop.now
                if len(owner.acknowledged) < ROWS:
                    self._keep_writing(owner, self._random.uniform(0.0, 0.01))

            if owner.store.epoch:
                owner.journal.submit(Batch([Row(TABLE, number, "action", body)], acknowledged))
            else:
                self._keep_writing(owner, 0.001)

        self.loop.call_later(after_s, write, context=owner.process.context)

    def _stop_in_transaction(self, old: Owner) -> None:
        if old.process in self.disk.writing:
            old.process.stop()
        elif self.loop.now < 2.0:
            self._at(self.loop.now + 0.0005, lambda: self._stop_in_transaction(old))

    def _wrong(self, old: Owner, new: Owner) -> object:
        if not self.taken_at:
            yield "nobody took over"
            return
        lost = set(old.acknowledged) - self.known
        if lost:
            yield f"acknowledged by the old one and unknown to the new one: {sorted(lost)}"
        late = [seq for seq, at in old.acknowledged.items() if at > self.taken_at]
        late = [seq for seq in late if seq not in self.known]
        if late:
            yield f"acknowledged by the old one after the takeover: {late}"
        epochs = [commit.epoch for commit in self.tables.log]
        if epochs != sorted(epochs):
            yield "the old one wrote after the new one"
        if len(new.acknowledged) < ROWS:
            yield f"the new one wrote {len(new.acknowledged)} of {ROWS}"
        if not old.ended and len(old.acknowledged) < ROWS:
            yield "the old one has not noticed that it was replaced"


def interleave(seed: int, *, writer: type[Writer] = Writer) -> list[str]:
    """The complaints about one interleaving. Call it with the stage set."""
    return Fence(seed, writer=writer).run()
