"""Settlements on their way to the ledger: in order, in batches, repeated until answered.

Owner: one host. A settlement is written to the journal with its hand's end, enters after that
and leaves when the data server has answered it, which is noted in the journal, too: after a
crash all that was not answered enters again. (table, hand) makes repeats harmless. A refused
settlement does not succeed by repeating: it is kept aside, counted and logged for an operator,
and asked for again now and then, for that is how the host learns what was decided.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

import structlog

from game_server.tables.journal_store import Answered
from paiju.service import ids, trace
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

MAX_BATCH = 100
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 10.0
REFUSED_AGAIN_S = 30.0

_jitter = secrets.SystemRandom()

Send = Callable[[data_pb2.SettleRequest], Awaitable[data_pb2.SettleReply]]


class Outbox:
    """`put` from the host's loop; `run` and `ask_again` are tasks for ever.

    on_decided: told the table of a hand that had been refused, and whether it is void now.
    """

    def __init__(
        self,
        *,
        host: str,
        epoch: int,
        send: Send,
        on_settled: Callable[[float], None] = lambda seconds: None,
        on_refused: Callable[[int], None] = lambda table: None,
        on_decided: Callable[[int, bool], None] = lambda table, voided: None,
        note: Callable[[Sequence[Answered]], None] = lambda answered: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._owner = data_pb2.HostEpoch(host=host, epoch=epoch)
        self._send = send
        self._on_settled = on_settled
        self._on_refused = on_refused
        self._on_decided = on_decided
        self._note = note
        self._clock = clock
        self._waiting: deque[tuple[float, data_pb2.Settlement, int]] = deque()  # since, what, span
        self._open: Counter[int] = Counter()  # table -> settlements without answer
        self._stuck: set[int] = set()  # tables with a refused one: their stakes stay in escrow
        self._work = asyncio.Event()
        self._changed = asyncio.Condition()
        self.refused: list[tuple[data_pb2.Settlement, str]] = []

    def expect(self, table: int) -> None:
        """A hand of the table has ended; its settlement comes when the journal has it.

        From here on `settled(table)` waits: a seat must not be cashed out in between.
        """
        self._open[table] += 1

    def put(self, settlement: data_pb2.Settlement) -> None:
        """An expected settlement that is in the journal."""
        span = trace.ring.begin(trace.Kind.SETTLEMENT, b"", settlement.table.table, settlement.hand)
        self._waiting.append((self._clock(), settlement, span))
        self._work.set()

    def recover(
        self,
        waiting: Iterable[data_pb2.Settlement],
        refused: Iterable[tuple[data_pb2.Settlement, str]],
    ) -> None:
        """What an earlier epoch of this host left: to send, and to be looked at."""
        for settlement in waiting:
            self.expect(settlement.table.table)
            self.put(settlement)
        for settlement, code in refused:
            self.refused.append((settlement, code))
            self._stuck.add(settlement.table.table)

    def is_stuck(self, table: int) -> bool:
        """Whether the ledger refused a hand of the table: an operator must look at it."""
        return table in self._stuck

    @property
    def depth(self) -> int:
        return len(self._waiting)

    def oldest_age_s(self) -> float:
        return self._clock() - self._waiting[0][0] if self._waiting else 0.0

    async def settled(self, table: int) -> None:
        """Wait until every hand of this table is booked; for ever when one was refused."""
        async with self._changed:
            await self._changed.wait_for(
                lambda: self._open[table] == 0 and table not in self._stuck
            )

    async def empty(self) -> None:
        """Wait until nothing is without answer."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._open)

    async def run(self) -> None:
        pause_s = FIRST_PAUSE_S
        while True:
            await self._work.wait()
            batch = [s for _, s, _ in list(self._waiting)[:MAX_BATCH]]
            try:
                reply = await self._send(
                    data_pb2.SettleRequest(host=self._owner, settlements=batch)
                )
                if reply.HasField("refusal"):
                    raise Refused.of(reply.refusal)
            except Refused as refused:
                log.warning("outbox.retry", code=refused.code, depth=len(self._waiting))
                await asyncio.sleep(pause_s * _jitter.uniform(0.5, 1.0))
                pause_s = min(LONGEST_PAUSE_S, pause_s * 2)
                continue
            pause_s = FIRST_PAUSE_S
            await self._answered(batch, list(reply.results))

    async def _answered(
        self, batch: list[data_pb2.Settlement], results: list[data_pb2.SettleResult]
    ) -> None:
        if len(results) != len(batch):
            log.error("outbox.short_answer", asked=len(batch), got=len(results))
        answered = []
        for settlement, result in zip(batch, results, strict=False):
            begun, _, span = self._waiting.popleft()
            table = settlement.table.table
            code = result.refusal.code
            if code == "NO_SUCH_SITTING" and settlement.result == "void":
                # Its stakes went back without us, after escrow_release_s: nothing else is due.
                log.warning("outbox.void_already", table=table, hand=settlement.hand)
                code = ""
            answered.append(Answered(table, settlement.hand, code, ids.now_us()))
            trace.ring.end(span, refused=bool(code))
            if code:
                log.error("outbox.refused", table=table, hand=settlement.hand, code=code)
                self.refused.append((settlement, code))
                self._stuck.add(table)
                self._on_refused(table)
            else:
                self._on_settled(self._clock() - begun)
            self._open[table] -= 1
            if self._open[table] == 0:
                del self._open[table]
        if not self._waiting:
            self._work.clear()
        self._note(answered)
        async with self._changed:
            self._changed.notify_all()

    async def ask_again(self) -> None:
        """For ever: whether somebody has decided about refused hands."""
        while True:
            await asyncio.sleep(REFUSED_AGAIN_S)
            await self.ask_refused()

    async def ask_refused(self) -> None:
        """Once. What is booked or void by now is answered like any other."""
        batch = [settlement for settlement, _ in self.refused[:MAX_BATCH]]
        if not batch:
            return
        try:
            reply = await self._send(data_pb2.SettleRequest(host=self._owner, settlements=batch))
        except Refused:
            return  # later
        if reply.HasField("refusal"):
            return
        decided = {
            (settlement.table.table, settlement.hand): result.voided
            for settlement, result in zip(batch, reply.results, strict=False)
            if not result.HasField("refusal")
        }
        self.refused = [
            (settlement, code)
            for settlement, code in self.refused
            if (settlement.table.table, settlement.hand) not in decided
        ]
        self._stuck = {settlement.table.table for settlement, _ in self.refused}
        for (table, hand), voided in decided.items():
            log.warning("outbox.decided", table=table, hand=hand, void=voided)
            self._note([Answered(table, hand, "", ids.now_us())])
            self._on_decided(table, voided)
        async with self._changed:
            self._changed.notify_all()
