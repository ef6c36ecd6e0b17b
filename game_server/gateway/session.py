"""The session core: packets in, effects and an outbox out. No socket, no loop, no clock.

State: one connection's progress (new -> greeted -> open -> closed), its pending commands and
its feed. Owner: the gateway's event loop; every call is synchronous, so nobody sees half a
step. Nothing here is durable: whatever a closed session held is rebuilt by the client's
resume, and the hosts learn of the end by Gone.

Each command is answered by exactly one Answer, or the connection ends. What breaks the format
ends it; what is only wrong is refused and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from google.protobuf.message import DecodeError, Message

from game_server.gateway import requests
from game_server.gateway.commands import Route, State, room_of
from game_server.gateway.context import Context
from game_server.gateway.effects import AskPackage, AskRooms, Close, Effect
from game_server.gateway.feed import Feed
from game_server.gateway.gatekeeper import Gatekeeper
from game_server.gateway.pending import Pending, PendingBook
from game_server.gateway.player import Player
from game_server.gateway.subscriptions import Flow
from game_server.gateway.voice import Voice
from paiju.service import trace
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

_EPOCH_CHANGERS = frozenset({"renew", "change_password", "logout"})
_LOOK_S = 1.0  # an open session looks at its own deadlines at least so often
_BUSY_MS = 200

Effects = Sequence[Effect]


class Session:
    """See the module. `gate`: the refusal for everybody who comes now (full, draining)."""

    def __init__(
        self, *, context: Context, origin: data_pb2.Origin, now: float, gate: Refused | None = None
    ) -> None:
        limits = context.limits
        self._context = context
        self._limits = limits
        self._born = now
        self._heard = now
        self._wake = now + limits.hello_s
        self._pending = PendingBook()
        self._keeper = Gatekeeper(context=context, pending=self._pending, now=now, gate=gate)
        self._effects: list[Effect] = []
        self._ended_below = 0
        self._build = 0  # of the client
        self.state = State.NEW
        self.origin = origin
        self.player: Player | None = None
        self.feed = Feed(limits, on_overflow=context.on_overflow)
        self.voice = Voice(context, self.feed)
        self.at_work = b""
        """The operation that came last, for log lines."""

    @property
    def closed(self) -> bool:
        return self.state is State.CLOSED

    # ---- from the player ---------------------------------------------------------------

    def receive(self, packet: bytes, now: float) -> Effects:
        """One packet of the player's side."""
        if self.closed:
            return ()
        self._heard = now
        if len(packet) > protocol.MAX_PACKET_BYTES:
            return self._malformed("oversize", f"more than {protocol.MAX_PACKET_BYTES} bytes", now)
        try:
            commands = hall_pb2.ClientFrame.FromString(packet).commands
        except DecodeError:
            return self._malformed("garbage", "not a frame", now)
        if len(commands) > protocol.MAX_COMMANDS_PER_FRAME:
            return self._malformed("too_many_commands", "too many commands in a frame", now)
        if not all(command.id for command in commands):
            return self._malformed("no_id", "a command without id", now)
        if not commands and not self._keeper.bears(now):
            self._close("flood")
        for command in commands:
            if not self.closed:
                self._command(command, now)
        return self._flush(now)

    def _command(self, command: hall_pb2.Command, now: float) -> None:
        kind = command.WhichOneof("body") or "unknown"
        body = getattr(command, kind, None)
        self.at_work = command.op
        try:
            rule = self._keeper.allow(kind, self.state, now)
            if rule.op:
                requests.check_op(command.op)
            rule.check(body)
            self._keeper.make_room(kind, rule.route)
            _HANDLERS[rule.route](self, kind, command, body, now)
        except Refused as refused:
            trace.ring.end(_span(command), refused=True)
            self.voice.refuse(kind, command.id, refused, now, room=room_of(body))
            if self._keeper.gate is not None:
                self._close(f"gate_{self._keeper.gate.code.lower()}")
            elif not self._keeper.bears(now):
                self._close("flood")

    # ---- one handler per route ---------------------------------------------------------

    def _here(self, kind: str, command: hall_pb2.Command, body: Any, now: float) -> None:
        if kind == "hello":
            self._hello(command.id, body, now)
        elif kind == "ping":
            pong = hall_pb2.Pong(nonce=body.nonce, server_time_us=self._context.wall_us())
            self.voice.answer(kind, command.id, pong, now)
        else:
            ref = self._pending.add(Pending(kind, command.id, Route.HERE))
            asked = AskRooms(ref, body.game) if kind == "list_rooms" else AskPackage(ref, body)
            self._effects.append(asked)

    def _hello(self, id: int, body: hall_pb2.Hello, now: float) -> None:
        self.voice.locale = "zh" if body.locale.lower().startswith("zh") else "en"
        minimum = self._context.minimum_build
        if body.major != protocol.MAJOR or body.build < minimum:
            old = Refused("UPGRADE_REQUIRED", major=protocol.MAJOR, build=minimum)
            self.voice.refuse("hello", id, old, now)
            self._close("upgrade")
            return
        self._build = body.build
        if self.state is State.NEW:
            self.state = State.GREETED
            self._wake = self._born + self._limits.open_s
        self.voice.answer("hello", id, requests.welcome(self._context), now)

    def _data(self, kind: str, command: hall_pb2.Command, body: Any, now: float) -> None:
        ref = self._pending.add(Pending(kind, command.id, Route.DATA, span=_span(command)))
        self._effects.append(
            requests.to_data(
                ref, kind, command.op, body,
                origin=self.origin, player=self.player, locale=self.voice.locale,
            )
        )  # fmt: skip

    def _host(self, kind: str, command: hall_pb2.Command, body: Any, now: float) -> None:
        if kind == "watch_grid":
            pending = Pending(kind, command.id, Route.HOST, body.room, body.shard, 0, body.stop)
            asked = self._pending.grids() if not body.stop else 0
            if not body.stop and len(self.feed.grids) + asked >= self._limits.grids:
                raise Refused("TOO_LARGE", limit=self._limits.grids)
        else:
            at = body.table
            span = _span(command, at.table)
            pending = Pending(kind, command.id, Route.HOST, at.room, at.shard, at.table, span=span)
            if kind == "sit":
                self._context.check_client(at.room, self._build)
            if kind == "watch":
                self.feed.follow(at, body.cursor, Flow.ASKED)
        self._send(pending, command.op, body)

    def _room(self, kind: str, command: hall_pb2.Command, body: Any, now: float) -> None:
        assert self.player is not None
        self._context.check_client(body.room, self._build)
        pending = Pending(kind, command.id, Route.ROOM, body.room, span=_span(command))
        ref = self._pending.add(pending)
        self._effects.append(requests.join(ref, self.player, command.op, body))

    def _send(self, pending: Pending, op: bytes, body: Message) -> None:
        assert self.player is not None
        ref = self._pending.add(pending)
        self._effects.append(requests.to_host(ref, pending, self.player, op, body))

    # ---- answers from the shell --------------------------------------------------------

    def opened(
        self, ref: int, session: hall_pb2.Session, now: float,
        *, cursors: Sequence[common_pb2.Cursor] = (),
    ) -> Effects:  # fmt: skip
        """A session began or was renewed, and the place at this gateway is the player's.

        cursors: the tables to go on with.
        """
        pending = self._pending.pop(ref)
        if pending is None:
            return ()
        trace.ring.end(pending.span)
        self.player = Player.of(session)
        self.state = State.OPEN
        for notice in session.penalties:
            self.voice.word(notice)
        self.voice.answer(pending.kind, pending.id, session, now)
        for cursor in cursors:
            self.feed.follow(cursor.table, cursor, Flow.LOST)
            self.feed.tables[cursor.table.table].ask_at = now
        self._ask_again(now)
        if self._ended_below:
            return self.ended(self._ended_below, "REPLACED", now)
        return self._flush(now)

    def answered(self, ref: int, result: Message, now: float) -> Effects:
        """What the data server or the room directory says to `ref`."""
        pending = self._pending.pop(ref)
        if pending is not None:
            trace.ring.end(pending.span)
            self.voice.answer(pending.kind, pending.id, result, now)
            if pending.kind == "logout":
                self._close("logout")
        return self._flush(now)

    def refused(self, ref: int, refused: Refused, now: float) -> Effects:
        """Nobody did what `ref` asked for."""
        pending = self._pending.pop(ref)
        if pending is None:
            return ()
        trace.ring.end(pending.span, refused=True)
        if pending.id:
            self.voice.refuse(pending.kind, pending.id, refused, now, room=pending.room)
        if refused.code == "STALE_SESSION" and self.state is State.OPEN:
            return self.end("REPLACED", now)
        gone = self.feed.not_arranged(pending, refused, now)
        if gone is not None:
            self.voice.notice("TABLE_GONE", now, table=gone)
        self._wake = min(self._wake, self.feed.next_due())
        if self._ended_below and pending.kind in _EPOCH_CHANGERS:
            return self.ended(self._ended_below, "REPLACED", now)
        return self._flush(now)

    def host_answered(self, ref: int, answer: host_pb2.HostAnswer, now: float) -> Effects:
        """What a host says to `ref`."""
        result = answer.WhichOneof("result")
        if result == "refusal":
            return self.refused(ref, Refused.of(answer.refusal), now)
        if result is None or result == "moved":
            return self.refused(ref, Refused("RETRY", retry_after_ms=_BUSY_MS), now)
        pending = self._pending.pop(ref)
        if pending is not None:
            trace.ring.end(pending.span)
            self.feed.arranged(pending, answer, now)
            self._wake = min(self._wake, self.feed.next_due())
            if pending.id:
                self.voice.answer(pending.kind, pending.id, getattr(answer, result), now)
        return self._flush(now)

    # ---- from hosts, without being asked -----------------------------------------------

    def deliver(self, event: host_pb2.Deliver, update: bytes, now: float) -> Effects:
        """An update for this player. `update`: the event's bytes, taken out once for all."""
        if self.state is not State.OPEN:
            return ()
        if not event.seq:
            update = self.voice.translated(update)
        self.feed.deliver(event, update, now)
        return self._flush(now)

    def detached(self, table: int) -> None:
        """The host has ended the subscription."""
        self.feed.tables.pop(table, None)

    def cut(self, room: str, shard: int, *, ask_at: float, now: float) -> Effects:
        """The stream to the shard's host is gone; its tables are asked for again."""
        if self.state is State.OPEN:
            for known in self.feed.cut(room, shard, ask_at=ask_at):
                self.voice.notice("TABLE_RECOVERING", now, table=known)
            self._wake = min(self._wake, self.feed.next_due())
        return self._flush(now)

    # ---- from the gateway --------------------------------------------------------------

    def take(self, now: float) -> tuple[bytes, int]:
        """The next packet for the player and its number of updates; (b"", 0): none waits."""
        if not self.feed.outbox:
            return b"", 0
        taken = self.feed.take(now)
        self._wake = min(self._wake, self.feed.due_at)
        return taken

    def ended(self, below_epoch: int, reason: str, now: float) -> Effects:
        """The data server has ended the player's sessions below this epoch."""
        if self.player is None or self.player.epoch >= below_epoch or self.closed:
            return self._flush(now)
        if self._pending.any_of(_EPOCH_CHANGERS):
            # Perhaps our own doing, and its answer is on the way: a change of password brings
            # the new epoch, a logout closes.
            self._ended_below = max(self._ended_below, below_epoch)
            return self._flush(now)
        return self.end(reason, now)

    def end(self, code: str, now: float) -> Effects:
        """Tell the player why, and close."""
        if not self.closed:
            self.voice.notice(code, now)
            self._close(code.lower())
        return self._flush(now)

    def spread(self, update: bytes, now: float) -> Effects:
        """An update that is the same for everybody."""
        if self.state is State.OPEN:
            self.feed.put(update, now)
        return self._flush(now)

    def tell(self, code: str, now: float) -> Effects:
        """A notice that concerns the whole connection."""
        if self.state is State.OPEN:
            self.voice.notice(code, now)
        return self._flush(now)

    def penalty(self, notice: hall_pb2.PenaltyNotice, now: float) -> Effects:
        """Something was decided about the player."""
        if self.state is State.OPEN:
            self.voice.penalty(notice, now)
        return self._flush(now)

    def lost(self) -> None:
        """The connection is gone: nothing more goes in or out."""
        self.state = State.CLOSED
        self._pending.clear()

    def tick(self, now: float) -> Effects:
        """Call a few times a second: deadlines, and tables to ask for again."""
        if now < self._wake or self.closed:
            return ()
        limits = self._limits
        if self.state is State.NEW:
            self._close("hello_timeout")
        elif self.state is State.GREETED:
            self._close("open_timeout")
        elif limits.idle_s and now - self._heard >= limits.idle_s:
            return self.end("IDLE", now)
        elif self.feed.stalled(now):
            self.feed.overrun = True
        else:
            self._ask_again(now)
        return self._flush(now)

    def _ask_again(self, now: float) -> None:
        for pending, body in list(self.feed.due(now)):
            self._send(pending, b"", body)
        self._wake = min(now + _LOOK_S, self.feed.next_due())

    # ---- the way out -------------------------------------------------------------------

    def _malformed(self, reason: str, detail: str, now: float) -> Effects:
        self.voice.notice("MALFORMED", now, detail=detail)
        self._close(reason)
        return self._flush(now)

    def _close(self, reason: str) -> None:
        self.state = State.CLOSED
        self._pending.clear()
        self._effects.append(Close(reason))

    def _flush(self, now: float) -> Effects:
        if self.feed.overrun and not self.closed:
            self.feed.outbox.drop_tables()
            self.voice.notice("SLOW_CONSUMER", now)
            self._close("slow_consumer")
        if not self._effects:
            return ()
        effects, self._effects = self._effects, []
        return effects


def _span(command: hall_pb2.Command, table: int = 0) -> int:
    """Of a command that is an operation; others leave no trace."""
    return trace.ring.begin(trace.Kind.GATEWAY, command.op, table) if len(command.op) == 16 else -1


_HANDLERS: Mapping[
    Route, Callable[[Session, str, hall_pb2.Command, Any, float], None]
] = {
    Route.HERE: Session._here,
    Route.DATA: Session._data,
    Route.HOST: Session._host,
    Route.ROOM: Session._room,
}  # fmt: skip
