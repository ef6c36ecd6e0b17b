"""The table: seats, readiness, and one hand after the other - as a pure state machine.

Owner: the shard it belongs to, one task only. Times and entropy are passed in. Every method
that changes something adds numbered steps to the output; the host takes it with `take()`,
writes the rows to the journal and only then shows the forms. Nothing here waits.

Money: a seat is RESERVED until the data server has moved the buy-in and LEAVING until it
has moved the rest back; the host does both and reports with `seated`, `left` or
`unreserved`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from game_server.tables.claims import Asked, Claimed, in_order
from game_server.tables.hand import Hand
from game_server.tables.moment import Moment
from game_server.tables.numbered import NumberedTable, Output, Settled
from game_server.tables.op import NO_OP, Op
from game_server.tables.room import RoomSpec
from game_server.tables.seat import SeatState
from game_server.tables.turns import Due
from paiju.rules import shuffle
from paiju.rules.api import CHANCE, Event, Game, IllegalAction
from paiju.service.refusals import Refused

__all__ = ["Output", "Settled", "Table"]


T = TypeVar("T")


class Table(NumberedTable):
    """See the module's head."""

    _next: tuple[RoomSpec, Game] | None = None
    """What is played as soon as the hand and the match that run are over."""

    # ---- seats ----------------------------------------------------------------------------------

    def top_up_answered(self, seat: int, *, amount: int, at: Moment) -> None:
        """The data server has said yes or no to `amount`; a hand may have waited for that."""
        self.roster.held(seat).pending -= amount
        if self.hand is None and self.roster.all_ready():
            self._begin(at)

    def stand(self, player: int, *, abandon: bool, at: Moment, op: Op = NO_OP) -> int:
        """Begin to leave; the escrow is returned by the host. Returns the seat.

        In mid-hand this is an escape and needs `abandon`; otherwise Refused
        (CONFIRM_ABANDON) with the penalty.
        """
        seat, held = self.roster.find(player)
        if held.state is SeatState.RESERVED:
            raise Refused("RETRY", retry_after_ms=500)
        if self.hand is not None and held.seated:
            if not abandon:
                raise Refused("CONFIRM_ABANDON", penalty=self.hand.penalty(seat))
            self._do(Due(seat, "abandon", "abandon"), "leave", at=at)
        self.leave(seat, "asked", at=at, op=op)
        return seat

    def set_away(self, player: int, away: bool, *, now: int) -> None:
        """The player's connection went or came back. Not numbered."""
        self._presence |= self.roster.set_away(player, away, now)

    def close(self, *, at: Moment) -> None:
        """The host ends: a running hand is void, everybody stands up."""
        self.void("shutdown", at=at)
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.seated:
                self.leave(index, "shutdown", at=at)

    def retire(self, *, at: Moment) -> None:
        """Between hands: this version is over. Everybody who sits stands up; who is on the way to
        a seat is asked again at the next look."""
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.seated:
                self.leave(index, "retired", at=at)

    # ---- hands ----------------------------------------------------------------------------------

    def will_play(self, room: RoomSpec, game: Game, *, at: Moment) -> None:
        """The operator has changed the room: from the next hand on, or the next match."""
        same = (room, game.id) == (self.room, self.game.id)
        self._next = None if same else (room, game)
        self._renew(at)

    def ready(
        self, player: int, *, contribution: bytes, ready: bool, at: Moment, op: Op = NO_OP
    ) -> None:
        """The player wants the next hand (or no longer). Refused: HAND_RUNNING, NOT_ENOUGH."""
        seat, held = self.roster.find(player)
        if not held.seated:
            raise Refused("RETRY", retry_after_ms=500)
        if self.hand is not None:
            raise Refused("HAND_RUNNING")
        if self.stopped:
            raise Refused("TABLE_STOPPED")
        if ready and self.room.plays_for_coins and held.stake < self.room.buy_in_min:
            raise Refused("NOT_ENOUGH", have=held.stake, need=self.room.buy_in_min)
        if held.ready == ready:
            return
        self.made_ready(
            seat, contribution=contribution if ready else b"", ready=ready, at=at, op=op
        )
        if self.roster.all_ready():
            self._begin(at)

    def act(
        self,
        player: int,
        action: str,
        *,
        hand: int,
        decided_on: int,
        at: Moment,
        op: Op = NO_OP,
    ) -> int | None:
        """Apply a player's action line; returns the number it got.

        None: it is a claim, or came in the moment of one, and waits for its order; what
        becomes of it is in `Output.claimed`. Refused: NO_HAND, STALE_DECISION, or the rules'
        own reason; nothing changed then.
        """
        seat, held = self.roster.find(player)
        if not held.seated:
            raise Refused("NOT_SEATED")
        if self.hand is None:
            raise Refused("NO_HAND")
        if hand != self.hand.number:
            raise Refused("STALE_DECISION")
        self._turns.check_decision(seat, decided_on)
        claims = self.hand.is_claim(seat, action)
        if claims and decided_on < self._moved_at:
            raise Refused("STALE_DECISION")  # it was meant for an earlier play
        if claims or self._claims.due is not None:
            self._claims.add(Asked(seat, player, action, op), at.ms)
            return None
        return self._act(seat, action, op=op, at=at)

    def _act(self, seat: int, action: str, *, op: Op, at: Moment) -> int:
        assert self.hand is not None
        try:
            line, events = self._twice(lambda h: h.act(seat, action, cause="player", now=at.ms))
        except IllegalAction as refusal:
            raise _refused(refusal) from None
        except Exception as fault:
            self._fault(fault, at)
            raise Refused("INTERNAL") from fault
        return self._played(seat, line, "player", events, op=op, at=at)

    def void(self, reason: str, *, at: Moment) -> None:
        """End the running hand without result: every stake stays where it was."""
        if self.hand is not None:
            self.ended(None, reason=reason, at=at)
            self._renew(at)

    # ---- time -----------------------------------------------------------------------------------

    def expire(self, at: Moment) -> None:
        """Do what is due: default actions, steps of chance, seats that are not ready in time."""
        if self.hand is None:
            for seat, why in self.roster.overdue(at.ms):
                self.leave(seat, why, at=at)
            self.roster.watch(at.ms, playing=False, anew=False)
            return
        if self._claims.due is not None:
            if self._claims.due > at.ms:
                return  # nobody's time runs out while claims are collected
            self._decide_claims(at)
        for _ in self.seats:
            hand = self.hand
            due = None if hand is None else self._turns.due(hand.state, self.seats, at.ms)
            if due is None:
                return
            self._do(due, "time", at=at)

    def next_due(self) -> int | None:
        """When `expire` has something to do, monotonic ms."""
        if self._claims.due is not None:
            return self._claims.due
        if self.hand is not None:
            return self._turns.next_due(self.seats)
        return self.roster.next_due()

    def shift(self, by_ms: int) -> None:
        """The host stood still for so long: charge it to nobody, and show the clocks."""
        self._presence = True
        self._turns.shift(by_ms)
        self._claims.shift(by_ms)
        self.roster.shift(by_ms)

    def go_on(self, *, grace_ms: int, at: Moment) -> None:
        """After a replay: the table is as its last number left it and goes on from there.

        Nobody is charged for the time in between; who does not come back within `grace_ms`
        is away.
        """
        self.roster.came_back(at.ms, grace_ms=grace_ms, playing=self.playing)
        if self.hand is not None:
            self.hand.went_on(at.ms)
            self._go_on(None, at)
        elif self.roster.all_ready() and not self.stopped:
            self._begin(at)

    # ---- inside ---------------------------------------------------------------------------------

    def _renew(self, at: Moment) -> bool:
        """Whether the room's new values count from now on: never in a hand or a match."""
        if self._next is None or self.playing or self.in_match:
            return False
        (room, game), self._next = self._next, None
        self.renewed(room, game, at=at)
        return True

    def _begin(self, at: Moment) -> None:
        if self._renew(at):
            return  # the match ended with somebody who left; those who are here look again
        secret, number = self._next_secret, self.hand_number
        try:
            self.begun(
                self.new_hand([s.contribution for s in self.roster.all()], at),
                next_secret=self._entropy(shuffle.SECRET_BYTES),
                at=at,
            )
        except Exception as fault:
            self._faults.append(repr(fault))
            self.hand, self.hand_number, self._next_secret = None, number, secret
            self.not_begun(at=at)
            return
        self._go_on(None, at)

    def _decide_claims(self, at: Moment) -> None:
        """The moment is over: the first that is legal counts, the others came too late."""
        assert self.hand is not None
        before = self._moved_at
        for asked in in_order(self.hand, self._claims.take()):
            result: int | Refused = Refused("STALE_DECISION")
            if self.hand is not None and self._moved_at == before:
                try:
                    result = self._act(asked.seat, asked.action, op=asked.op, at=at)
                except Refused as refused:
                    result = refused
            self._claimed.append(Claimed(asked.player, result))

    def _do(self, due: Due, reason: str, *, at: Moment) -> None:
        """What a clock or a leaver makes happen."""
        try:
            if due.what == "chance":
                line, events = self._twice(lambda h: h.chance(now=at.ms))
            elif due.what == "abandon":
                line, events = self._twice(lambda h: h.abandon(due.seat, reason, now=at.ms))
            else:
                line, events = self._twice(
                    lambda h: h.default(due.seat, cause=due.cause, now=at.ms)
                )
        except Exception as fault:
            self._fault(fault, at)
            return
        self._played(due.seat, line, due.cause, events, op=NO_OP, at=at)

    def _played(
        self,
        seat: int,
        line: str,
        cause: str,
        events: Sequence[Event],
        *,
        op: Op,
        at: Moment,
    ) -> int:
        """An action was applied: number it and show it, then let the hand go on."""
        seq = self.moved(seat, line, cause, events, acted=seat, op=op, at=at)
        self._go_on(seat, at)
        return seq

    def _go_on(self, acted: int | None, at: Moment) -> None:
        """Chance that needs no waiting, then the end of the hand if it is over."""
        hand = self.hand
        if hand is None:
            return
        try:
            while not hand.over and hand.waits_for_chance():
                line, events = self._twice(lambda h: h.chance(now=at.ms))
                hand = self.hand or hand  # a fresh one, if the rules raised once
                self.moved(CHANCE, line, "chance", events, acted=acted, op=NO_OP, at=at)
            outcome = hand.outcome() if hand.over else None
        except Exception as fault:
            self._fault(fault, at)
            return
        if outcome is not None:
            self.ended(outcome, reason="", at=at)
            self._renew(at)

    def _twice(self, step: Callable[[Hand], T]) -> T:
        """Rules that raise may have changed half of their state: once more, on a fresh one.

        IllegalAction is an answer, not a fault. Raises what the second attempt raises.
        """
        assert self.hand is not None
        try:
            return step(self.hand)
        except IllegalAction:
            raise
        except Exception:
            self.hand = self.hand.rebuilt()
            return step(self.hand)

    def _fault(self, fault: Exception, at: Moment) -> None:
        self._faults.append(repr(fault))
        self.ended(None, reason="fault", at=at)
        self._renew(at)


def _refused(refusal: IllegalAction) -> Refused:
    """The rules' reason as it goes to the player: upper case, like all codes of the wire."""
    refused = Refused(refusal.code.upper())
    refused.params = {name: str(value) for name, value in refusal.params.items()}
    return refused
