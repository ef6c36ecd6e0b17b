"""The commands of players, one function each: what is looked at, what the table is asked.

A function returns the answer, or a coroutine that waits for the data server and gives it.
Refused means that nothing changed.
"""

from __future__ import annotations

from asyncio import Future
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from game_server.tables.audience import Subscription
from game_server.tables.chatter import Chatter
from game_server.tables.desk import Desk
from game_server.tables.links import Link
from game_server.tables.seating import Seating, buy_in
from game_server.tables.shard import Shard
from game_server.tables.table import Table
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2, host_pb2

Answer = host_pb2.HostAnswer
Later = Coroutine[Any, Any, Answer]
Handler = Callable[[Desk, Seating, Link, host_pb2.HostCommand, Shard], "Answer | Later"]

OPERATIONS = frozenset({"quick_join", "sit", "stand", "top_up", "ready", "act", "chat"})
"""Commands that change something: sent twice, they take effect once."""

_CROWD = 30
_CUT_OFF_MS = 5_000
"""When to try again with a host that no data server has answered for too long."""
_DONE = Answer(done=hall_pb2.Done())


def quick_join(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Later:
    amount = buy_in(shard.room, command.quick_join.buy_in)
    asked = command.quick_join
    table, seat = shard.quick_join(
        player=command.player, name=command.name, own=asked.own, key=asked.key if asked.own else ""
    )
    return seating.take_seat(command, shard, table, seat, amount)


def sit(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Later:
    amount = buy_in(shard.room, command.sit.buy_in)
    seat = command.sit.seat
    table = shard.table(command.sit.table.table)
    table.admit(command.player, command.sit.key, now=desk.now() / 1000)
    shard.sit(table, player=command.player, name=command.name, seat=seat)
    return seating.take_seat(command, shard, table, seat, amount)


def stand(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Later:
    table = shard.table(command.stand.table.table)
    seat = desk.step(
        shard,
        table,
        lambda t: t.stand(
            command.player,
            abandon=command.stand.abandon,
            op=shard.answers.op_of(command),
            at=desk.at(),
        ),
    )
    return seating.stand_up(command, shard, table, seat)


def top_up(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer | Later:
    table, amount = shard.table(command.top_up.table.table), command.top_up.amount
    room = table.room
    seat = table.seat_of(command.player)
    held = None if seat is None else table.seats[seat]
    if seat is None or held is None or not held.seated:
        raise Refused("NOT_SEATED")
    op = shard.answers.op_of(command)
    if op.id <= held.topped.id:
        # Ids are ordered by time. The ledger would say yes to a repeat, however old, and move
        # nothing; so what was counted, or came before it, is not asked for again.
        if op != held.topped:
            raise Refused("STALE_DECISION")
        return _DONE
    if table.playing:
        raise Refused("HAND_RUNNING")
    if amount <= 0 or not room.plays_for_coins:
        raise Refused("BAD_AMOUNT")
    if held.stake + held.pending + amount > room.buy_in_max:
        raise Refused("BUY_IN_RANGE", minimum=room.buy_in_min, maximum=room.buy_in_max)
    held.pending += amount  # at once: nothing may come between the check and this
    return seating.top_up(shard, table, seat, op, amount)


def ready(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    table = shard.table(command.ready.table.table)
    if not command.ready.not_ready and not desk.may_deal():
        raise Refused("RETRY", retry_after_ms=_CUT_OFF_MS)
    if not command.ready.not_ready and desk.is_ending(table):
        raise Refused("GAME_STOPPED")
    desk.step(
        shard,
        table,
        lambda t: t.ready(
            command.player,
            contribution=command.ready.contribution[: protocol.MAX_CONTRIBUTION_BYTES],
            ready=not command.ready.not_ready,
            op=shard.answers.op_of(command),
            at=desk.at(),
        ),
    )
    return _DONE


def act(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer | Later:
    table, asked = shard.table(command.act.table.table), command.act
    seq = desk.step(
        shard,
        table,
        lambda t: t.act(
            command.player,
            asked.action,
            hand=asked.hand,
            decided_on=asked.decided_on,
            op=shard.answers.op_of(command),
            at=desk.at(),
        ),
    )
    if seq is None:
        return _claimed(desk.claim(table, command.player), command)
    return Answer(acted=hall_pb2.Acted(hand=asked.hand, seq=seq))


async def _claimed(number: Future[int], command: host_pb2.HostCommand) -> Answer:
    """An action out of turn waits for those of the same moment."""
    seq = await number
    return Answer(acted=hall_pb2.Acted(hand=command.act.hand, seq=seq))


def chat(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    table = shard.table(command.chat.table.table)
    audience = desk.audiences[table.ref.table]
    if audience.get(command.player) is None:
        raise Refused("NOT_SEATED")
    chatter = desk.chatters.setdefault(
        table.ref.table, Chatter(seats=len(table.seats), now=desk.now() / 1000)
    )
    chatter.admit(table.seat_of(command.player), desk.now() / 1000)
    line = hall_pb2.ChatLine(
        table=table.ref,
        player=command.player,
        name=command.name,
        text=command.chat.text[: protocol.MAX_CHAT_CHARS],
        time_us=ids.now_us(),
    )
    desk.out.deliver_all(audience.links(), hall_pb2.Update(chat=line), table=table.ref.table)
    return _DONE


def watch(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    table = shard.table(command.watch.table.table)
    table.admit(command.player, command.watch.key, now=desk.now() / 1000)
    cursor = command.watch.cursor if command.watch.HasField("cursor") else None
    seating.subscribe(link, command, shard, table, cursor)
    _tell_of_spectators(desk, table, command.player)
    return _DONE


def unwatch(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    table = shard.table(command.unwatch.table.table)
    if table.seat_of(command.player) is None:
        desk.audiences[table.ref.table].remove(command.player)
        _tell_of_spectators(desk, table, command.player)
    return _DONE


def _tell_of_spectators(desk: Desk, table: Table, player: int) -> None:
    """Somebody without a seat came or went: players may know how many look on.

    Where a crowd looks on the number comes with what else changes, so that each newcomer does
    not cost a message to all.
    """
    audience = desk.audiences[table.ref.table]
    if table.seat_of(player) is None and len(audience) <= _CROWD:
        desk.out.presence(table, audience, audience.links(), desk.now())


def resync(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    table = shard.table(command.resync.table.table)
    subscription = desk.audiences[table.ref.table].get(command.player)
    if subscription is None:
        raise Refused("NOT_SEATED")
    desk.out.snapshot(link, command.player, table, subscription.viewer, desk.now())
    return _DONE


def watch_grid(
    desk: Desk, seating: Seating, link: Link, command: host_pb2.HostCommand, shard: Shard
) -> Answer:
    grid = desk.grids[shard.room.id, shard.number]
    if command.watch_grid.stop:
        grid.remove(command.player)
    else:
        pair = (command.session_epoch, command.connection)
        grid.add(command.player, Subscription(link, 0, pair))
        desk.out.deliver(link, [command.player], hall_pb2.Update(grid=shard.grid()))
    return _DONE


HANDLERS: Mapping[str, Handler] = {
    handler.__name__: handler
    for handler in (
        *(quick_join, sit, stand, top_up, ready, act, chat),
        *(watch, unwatch, resync, watch_grid),
    )
}
