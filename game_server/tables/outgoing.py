"""What leaves the host: collected per loop tick, released when the journal has the rows.

Owner: the host's loop. Everything goes through here in order, answers and snapshots too:
they may tell of rows that are not on disk yet.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Mapping, Sequence

from game_server.tables.audience import Audience
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import Answered, Posted, Row
from game_server.tables.links import Link
from game_server.tables.metrics import HostMetrics
from game_server.tables.outbox import Outbox
from game_server.tables.table import Table
from paiju.service.refusals import Refused
from paiju.wire import splice
from paiju.wire.v1 import data_pb2, hall_pb2, host_pb2

_EVENT_ANSWER, _EVENT_DELIVER = splice.tag(1, 2), splice.tag(2, 2)
_ANSWER_ID = splice.tag(1, 0)
_PLAYERS, _UPDATE, _TABLE = splice.tag(1, 2), splice.tag(2, 2), splice.tag(3, 1)
_EPOCH, _SEQ = splice.tag(4, 0), splice.tag(5, 0)
_IS_SNAPSHOT = splice.number(splice.tag(6, 0), 1)


class Outgoing:
    """`row`, `settle` and the senders add to the tick's batch."""

    def __init__(self, *, journal: Journal, outbox: Outbox, metrics: HostMetrics) -> None:
        self._journal = journal
        self._outbox = outbox
        self._metrics = metrics
        self._batch: Batch | None = None
        self._sends: list[tuple[Link, bytes]] = []
        self._settlements: list[data_pb2.Settlement] = []
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
        written, self._written = self._written, None

        def release() -> None:
            for settlement in settlements:
                self._outbox.put(settlement)
            for link, event in sends:
                link.send(event)
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

    async def written(self) -> None:
        """Until all that was given so far is on disk."""
        self._open()
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._written)

    # ---- what is sent ----------------------------------------------------------------------

    def event(self, link: Link, event: bytes) -> None:
        """A serialized HostEvent."""
        self._open()
        self._sends.append((link, event))

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
        where = splice.fixed64(_TABLE, table) if table else b""
        for link, players in links.items():
            self.event(link, _delivery(players, data, where))

    def forms(
        self, table: Table, forms: Sequence[bytes], audience: Audience[Link], *, seq: int
    ) -> None:
        """One number of a table, to each who follows it in his form."""
        where = _where(table.ref.table, table.epoch, seq)
        for viewer, links in audience.groups().items():
            form = forms[viewer]
            for link, players in links.items():
                self.event(link, _delivery(players, form, where))

    def form(
        self, link: Link, players: Sequence[int], table: Table, form: bytes, *, seq: int
    ) -> None:
        """One number of a table in the form of these players."""
        self.event(link, _delivery(players, form, _where(table.ref.table, table.epoch, seq)))

    def snapshot(self, link: Link, player: int, table: Table, viewer: int, now: int) -> None:
        """The whole view as it is now."""
        form = table.snapshot(viewer, now)
        where = _where(table.ref.table, table.epoch, table.stream.seq) + _IS_SNAPSHOT
        self.event(link, _delivery([player], form, where))

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
            self._metrics.refusals.labels(answer.refusal.code).inc()
        # An answer is kept without number: the same operation may be asked for again.
        body = splice.number(_ANSWER_ID, number) + answer.SerializeToString()
        self.event(link, splice.sized(_EVENT_ANSWER, body))

    def refuse(self, link: Link, number: int, refused: Refused) -> None:
        self.answer(link, number, refusal(refused))

    def refuse_at_once(self, link: Link, number: int, refused: Refused) -> None:
        """Past the journal, which may stand still: it tells nothing of any row."""
        if number:
            self._metrics.refusals.labels(refused.code).inc()
            answer = host_pb2.HostAnswer(id=number, refusal=refused.message())
            link.send(host_pb2.HostEvent(answer=answer).SerializeToString())


def _where(table: int, epoch: int, seq: int) -> bytes:
    """Of a numbered update: fields of a Deliver."""
    return splice.fixed64(_TABLE, table) + splice.number(_EPOCH, epoch) + splice.number(_SEQ, seq)


def _delivery(players: Sequence[int], update: bytes, where: bytes) -> bytes:
    """A HostEvent with a Deliver, around an update that is encoded already."""
    packed = struct.pack(f"<{len(players)}Q", *players)
    front = _PLAYERS + splice.varint(len(packed)) + packed + _UPDATE + splice.varint(len(update))
    size = splice.varint(len(front) + len(update) + len(where))
    return b"".join((_EVENT_DELIVER, size, front, update, where))


def refusal(refused: Refused) -> host_pb2.HostAnswer:
    return host_pb2.HostAnswer(refusal=refused.message())
