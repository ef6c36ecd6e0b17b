"""Sitting down, topping up, standing up: the operations that wait for the data server.

The seat is held from the first moment, so that nobody else gets it meanwhile; the table
learns the outcome when it is known. Called from the host's loop only; each waiting
operation is a task of its own.
"""

from __future__ import annotations

import asyncio

from game_server.tables.audience import Subscription
from game_server.tables.desk import Desk
from game_server.tables.links import Link
from game_server.tables.money import Cashier
from game_server.tables.op import Op
from game_server.tables.outbox import Outbox
from game_server.tables.room import RoomSpec
from game_server.tables.seat import Reservation, Seat
from game_server.tables.shard import Shard
from game_server.tables.table import Table
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2


class Seating:
    """is_current: whether a command's connection is still its player's newest one."""

    def __init__(self, *, desk: Desk, cashier: Cashier, outbox: Outbox) -> None:
        self._desk = desk
        self._cashier = cashier
        self._outbox = outbox
        self._standing: dict[int, int] = {}  # sitting -> session that asked to stand up
        self._returning: dict[int, asyncio.Future[None]] = {}  # sitting -> its escrow's way back

    async def take_seat(
        self,
        command: host_pb2.HostCommand,
        shard: Shard,
        table: Table,
        seat: int,
        amount: int,
    ) -> host_pb2.HostAnswer:
        """The seat is reserved: move the buy-in, then the player sits.

        Whether he is there to play is for whoever gives the answer (`present`).
        """
        desk = self._desk
        reservation = Reservation(amount, command.session_epoch, shard.answers.op_of(command))
        desk.step(shard, table, lambda t: t.reserved(seat, reservation, at=desk.at()))
        # Only then the money moves: whatever happens to us, it will be known why.
        await desk.out.written()
        stake = await self._buy_in(shard, table, seat)
        seated = hall_pb2.Seated(table=table.ref, seat=seat, stake=stake)
        return host_pb2.HostAnswer(seated=seated)

    async def take_seat_again(self, shard: Shard, table: Table, seat: int) -> host_pb2.HostAnswer:
        """The seat was reserved before this host was restarted: ask for the same buy-in."""
        stake = await self._buy_in(shard, table, seat)
        seated = hall_pb2.Seated(table=table.ref, seat=seat, stake=stake)
        return host_pb2.HostAnswer(seated=seated)

    def present(
        self,
        shard: Shard,
        table: Table,
        player: int,
        asked: tuple[Link, host_pb2.HostCommand] | None,
    ) -> None:
        """A seat was given: subscribe the connection that waits for it, if one does.

        asked: None when nobody waits any more. A player who is not subscribed then has gone
        meanwhile, and his end has been told already: he is away until he comes back.
        """
        if asked is not None:
            self.subscribe(*asked, shard, table, None)
        elif self._desk.audiences[table.ref.table].get(player) is None:
            now = self._desk.now()
            self._desk.step(shard, table, lambda t: t.set_away(player, True, now=now))

    async def _buy_in(self, shard: Shard, table: Table, seat: int) -> int:
        """Move the buy-in of a reserved seat; the player sits then. Returns the stake.

        Refused: what the data server says; the seat is free again.
        """
        desk, held = self._desk, table.roster.held(seat)
        reservation = held.reservation
        assert reservation is not None
        try:
            reply = await self._cashier.sit_down(
                op=reservation.op.id,
                player=held.player,
                session_epoch=reservation.session_epoch,
                table=table.ref,
                seat=seat,
                room=table.room,
                amount=reservation.amount,
            )
        except Refused:
            desk.step(shard, table, lambda t: t.unreserved(seat, at=desk.at()))
            shard.freed(held.player, table)
            raise
        desk.step(
            shard,
            table,
            lambda t: t.seated(seat, sitting=reply.sitting, stake=reply.stake, at=desk.at()),
        )
        self._no_spectator(table, held.player)
        return reply.stake

    def _no_spectator(self, table: Table, player: int) -> None:
        """Who looked on and sits now gets the seat's board with the number of the seat."""
        audience = self._desk.audiences[table.ref.table]
        watching = audience.get(player)
        if watching is not None:
            viewer = table.viewer_of(player)
            audience.add(player, watching._replace(viewer=viewer))
            self._desk.out.snapshot(watching.link, player, table, viewer, self._desk.now())

    async def stand_up(
        self, command: host_pb2.HostCommand, shard: Shard, table: Table, seat: int
    ) -> host_pb2.HostAnswer:
        """The seat is leaving because its player asked for it.

        When the hand goes on without the player, the escrow returns with its end (`on_leaving`).
        """
        held = table.seats[seat]
        if held is not None:
            self._standing[held.sitting] = command.session_epoch
            if not table.playing:
                await self.cash_out(shard, table, seat)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    async def cash_out(self, shard: Shard, table: Table, seat: int) -> None:
        """Return the escrow of a seat that is LEAVING, then free it; once, whoever asks."""
        held = table.seats[seat]
        if held is None:
            return
        going = self._returning.get(held.sitting)
        if going is None:
            going = asyncio.ensure_future(self._return(shard, table, seat, held))
            self._returning[held.sitting] = going
            going.add_done_callback(lambda _: self._returning.pop(held.sitting, None))
        await asyncio.shield(going)

    async def _return(self, shard: Shard, table: Table, seat: int, held: Seat) -> None:
        desk, table_id = self._desk, table.ref.table
        await self._outbox.settled(table_id)
        await self._cashier.stand_up(sitting=held.sitting)
        if table.seats[seat] is not held:
            return  # another task was quicker
        desk.step(shard, table, lambda t: t.left(seat, at=desk.at()))
        shard.freed(held.player, table)
        asked_by = self._standing.pop(held.sitting, None)
        audience = desk.audiences[table_id]
        subscription = audience.get(held.player)
        if subscription is None:
            return
        audience.remove(held.player)
        if asked_by != subscription.connection[0]:  # who asked learns it from the answer
            lost = hall_pb2.Notice(code="SEAT_LOST", params={"why": held.leaves}, table=table.ref)
            desk.out.deliver(
                subscription.link, [held.player], hall_pb2.Update(notice=lost), table=table_id
            )
        detach = host_pb2.Detach(player=held.player, table=table_id)
        desk.out.event(subscription.link, host_pb2.HostEvent(detach=detach).SerializeToString())

    async def top_up(
        self, shard: Shard, table: Table, seat: int, op: Op, amount: int
    ) -> host_pb2.HostAnswer:
        """More coins into the escrow of a seat that is not playing; counted as `pending` before."""
        held = table.seats[seat]
        assert held is not None
        desk = self._desk
        try:
            await self._cashier.top_up(op=op.id, sitting=held.sitting, amount=amount)
            if table.seats[seat] is held:
                desk.step(
                    shard, table, lambda t: t.topped_up(seat, amount=amount, at=desk.at(), op=op)
                )
        finally:
            if table.seats[seat] is held:
                desk.step(
                    shard, table, lambda t: t.top_up_answered(seat, amount=amount, at=desk.at())
                )
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def subscribe(
        self,
        link: Link,
        command: host_pb2.HostCommand,
        shard: Shard,
        table: Table,
        cursor: common_pb2.Cursor | None,
    ) -> None:
        """From here on the player gets what the table does, after what it is missing."""
        desk = self._desk
        viewer = table.viewer_of(command.player)
        audience = desk.audiences[table.ref.table]
        pair = (command.session_epoch, command.connection)
        audience.add(command.player, Subscription(link, viewer, pair))
        missed = None
        if cursor is not None:
            missed = table.missed(command.player, epoch=cursor.epoch, seq=cursor.seq)
        if missed is None:
            desk.out.snapshot(link, command.player, table, viewer, desk.now())
        else:
            first = table.stream.seq - len(missed) + 1
            for seq, form in enumerate(missed, start=first):
                desk.out.form(link, [command.player], table, form, seq=seq)
        desk.step(shard, table, lambda t: t.set_away(command.player, False, now=desk.now()))
        desk.out.presence(table, audience, {link: [command.player]}, desk.now())


def buy_in(room: RoomSpec, asked: int) -> int:
    """The stake to bring, checked against the room (0: the usual one). Refused(BUY_IN_RANGE)."""
    if not room.plays_for_coins:
        return 0
    amount = asked or room.buy_in_default
    if not room.buy_in_min <= amount <= room.buy_in_max:
        raise Refused("BUY_IN_RANGE", minimum=room.buy_in_min, maximum=room.buy_in_max)
    return amount
