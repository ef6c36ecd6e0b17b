"""What leaves the host: collected per loop tick, released when the journal has the rows.

Owner: the host's loop. Everything goes through here in order, answers and snapshots too:
they may tell of rows that are not on disk yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from game_server.tables.audience import Audience
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import Answered, Posted, Row
from game_server.tables.links import Link
from game_server.tables.metrics import HostMetrics
from game_server.tables.outbox import Outbox
from game_server.tables.table import Table
from paiju.service import trace
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, hall_pb2, host_pb2


class Outgoing:
    """`row`, `settle` and the senders add to the tick's batch."""

    def __init__(self, *, journal: Journal, outbox: Outbox, metrics: HostMetrics) -> None:
        self._journal = journal
        self._outbox = outbox
        self._metrics = metrics
        self._batch: Batch | None = None
        self._sends: list[tuple[Link, bytes]] = []
        self._settlements: list[data_pb2.Settlement] = []
        self._spans: list[tuple[int, bool]] = []
        self._written: asyncio.Future[None] | None = None

    def _open(self) -> Batch:
        if self._batch is None:
            self._batch = Batch()
            asyncio.get_running_loop().call_soon(self._close)
        return self._batch

    def _close(self) -> None:
        batch, self._batch = self._batch, None
        assert batch is not None
        sends, self._sends = self._sends, []
        settlements, self._settlements = self._settlements, []
        spans, self._spans = self._spans, []
        written, self._written = self._written, None

        def release() -> None:
            for settlement in settlements:
                self._outbox.put(settlement)
            for link, event in sends:
                link.send(event)
            for span, refused in spans:
                trace.ring.end(span, refused=refused)
            if written is not None and not written.done():
                written.set_result(None)

        batch.release = release
        self._journal.submit(batch)

    # ---- what is written -------------------------------------------------------------------

    def row(self, row: Row) -> None:
        self._open().rows.append(row)

    def settle(self, settlement: data_pb2.Settlement) -> None:
        """Written with the rows of this tick, and on its way to the ledger after that."""
        self._outbox.expect(settlement.table.table)
        self._settlements.append(settlement)
        self._open().posted.append(
            Posted(
                settlement.table.table,
                settlement.hand,
                settlement.SerializeToString(),
                settlement.ended_us,
            )
        )

    def answered(self, answered: Sequence[Answered]) -> None:
        """The ledger has answered: these settlements need not be sent again."""
        self._open().answered += answered

    def traced(self, span: int, *, refused: bool) -> None:
        """The trace of an operation ends when what it did is written."""
        if span >= 0:
            self._open()
            self._spans.append((span, refused))

    async def written(self) -> None:
        """Until all that was given so far is on disk."""
        self._open()
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._written)

    # ---- what is sent ----------------------------------------------------------------------

    def event(self, link: Link, event: host_pb2.HostEvent) -> None:
        self._open()
        self._sends.append((link, event.SerializeToString()))

    def deliver(
        self, link: Link, players: Sequence[int], update: hall_pb2.Update, *, table: int = 0
    ) -> None:
        """One unnumbered update for players of one gateway."""
        self.deliver_all({link: players}, update, table=table)

    def deliver_all(
        self, links: Mapping[Link, Sequence[int]], update: hall_pb2.Update, *, table: int = 0
    ) -> None:
        """One unnumbered update, encoded once."""
        data = update.SerializeToString()
        for link, players in links.items():
            deliver = host_pb2.Deliver(players=players, update=data, table=table)
            self.event(link, host_pb2.HostEvent(deliver=deliver))

    def form(
        self, link: Link, players: Sequence[int], table: Table, form: bytes, *, seq: int
    ) -> None:
        """One number of a table in the form of these players."""
        self._numbered(link, players, table, form, seq, snapshot=False)

    def snapshot(self, link: Link, player: int, table: Table, viewer: int, now: int) -> None:
        """The whole view as it is now."""
        form = table.snapshot(viewer, now)
        self._numbered(link, [player], table, form, table.stream.seq, snapshot=True)

    def _numbered(
        self,
        link: Link,
        players: Sequence[int],
        table: Table,
        form: bytes,
        seq: int,
        *,
        snapshot: bool,
    ) -> None:
        deliver = host_pb2.Deliver(
            players=players,
            update=form,
            table=table.ref.table,
            epoch=table.epoch,
            seq=seq,
            snapshot=snapshot,
        )
        self.event(link, host_pb2.HostEvent(deliver=deliver))

    def presence(
        self, table: Table, audience: Audience[Link], links: Mapping[Link, Sequence[int]], now: int
    ) -> None:
        """Who is connected at a table, and the running clocks."""
        seated = sum(1 for seat in table.seats if seat is not None and audience.get(seat.player))
        presence = hall_pb2.TablePresence(
            table=table.ref,
            away=table.roster.away(),
            spectators=len(audience) - seated,
            clocks=table.clocks(now),
        )
        self.deliver_all(links, hall_pb2.Update(presence=presence), table=table.ref.table)

    def answer(self, link: Link, number: int, answer: host_pb2.HostAnswer) -> None:
        """`number` 0: nobody asked for an answer."""
        if number == 0:
            return
        if answer.HasField("refusal"):
            self._metrics.refused(answer.refusal.code)
        out = host_pb2.HostAnswer()
        out.CopyFrom(answer)
        out.id = number
        self.event(link, host_pb2.HostEvent(answer=out))

    def refuse(self, link: Link, number: int, refused: Refused) -> None:
        self.answer(link, number, refusal(refused))

    def refuse_at_once(self, link: Link, number: int, refused: Refused) -> None:
        """Past the journal, which may stand still: it tells nothing of any row."""
        if number:
            self._metrics.refused(refused.code)
            answer = host_pb2.HostAnswer(id=number, refusal=refused.message())
            link.send(host_pb2.HostEvent(answer=answer).SerializeToString())


def refusal(refused: Refused) -> host_pb2.HostAnswer:
    return host_pb2.HostAnswer(refusal=refused.message())
