"""The table: seats, readiness, and one hand after the other - as a pure state machine.

Owner: the shard it belongs to, one task only. Times and entropy are passed in. Every method
that changes something adds numbered steps to the output; the host takes it with `take()`,
writes the rows to the journal and only then shows the forms. Nothing here waits.

Money: a seat is RESERVED until the data server has moved the buy-in and LEAVING until it
has moved the rest back; the host does both and reports with `seated`, `left` or
`roster.unreserve`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from game_server.tables.claims import Asked, Claimed, Claims, in_order
from game_server.tables.hand import Hand
from game_server.tables.moment import Moment
from game_server.tables.room import RoomSpec
from game_server.tables.roster import Roster
from game_server.tables.seat import Seat, SeatState
from game_server.tables.stream import Step, Stream
from game_server.tables.turns import Due, Turns
from paiju.rules import shuffle
from paiju.rules.api import CHANCE, Event, Game, IllegalAction, Outcome
from paiju.rules.record import Record
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2


class Settled(NamedTuple):
    """A hand that ended: what the ledger must book, and its record."""

    hand: int
    result: str
    seats: Sequence[tuple[int, int, int, int, int]]  # seat, sitting, player, delta, fee
    pot_change: int
    record: Record
    ended_us: int


class Output(NamedTuple):
    """What has happened since the last `take()`."""

    steps: list[Step]
    settled: list[Settled]
    leaving: list[int]  # seats whose escrow the host must return now
    presence: bool  # somebody went away or came back
    faults: list[str]  # rules that raised; their hand is void
    claimed: list[Claimed]  # what became of actions for which `act` gave no number


class Table:
    """See the module's head."""

    def __init__(
        self,
        *,
        ref: common_pb2.TableRef,
        room: RoomSpec,
        game: Game,
        package: str,
        epoch: int,
        entropy: Callable[[int], bytes],
        at: Moment,
    ) -> None:
        self.ref = ref
        self.room = room
        self.game = game
        self.epoch = epoch
        self.roster = Roster(room=room, seats=room.seats_for(game))
        self.hand: Hand | None = None
        self.hand_number = 0
        self.stopped = False
        """A hand was refused by the ledger: no other begins before an operator has looked."""
        self.stream = Stream(ref=ref, epoch=epoch, seats=len(self.seats))
        self._package = package
        self._entropy = entropy
        self._turns = Turns(room=room, seats=len(self.seats))
        self._claims = Claims(wait_ms=room.claim_ms)
        self._claimed: list[Claimed] = []
        self._moved_at = 0  # number of the last action of the hand
        self._carry: dict[str, Any] = {}
        self._next_secret = entropy(shuffle.SECRET_BYTES)
        self._settled: list[Settled] = []
        self._presence = False
        self._faults: list[str] = []
        self._emit(
            "open",
            {"room": room.id, "game": game.id.name, "parameters": game.id.parameters},
            table={
                "@table": {
                    "id": str(ref.table),
                    "room": room.id,
                    "shard": ref.shard,
                    "game": game.id.name,
                    "version": game.id.version,
                    "parameters": game.id.parameters,
                    "currency": room.currency,
                },
                "@phase": "waiting",
                "@hand": 0,
                "@next_commitment": shuffle.commitment(self._next_secret).hex(),
                **{f"@seat{i}": None for i in range(len(self.seats))},
            },
            at=at,
        )

    # ---- looking ---------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        return self.hand is not None

    @property
    def seats(self) -> list[Seat | None]:
        return self.roster.seats

    @property
    def empty(self) -> bool:
        return all(seat is None for seat in self.seats)

    def seat_of(self, player: int) -> int | None:
        return self.roster.seat_of(player)

    def clocks(self, now: int) -> list[hall_pb2.Clock]:
        return self._turns.shown(now)

    def snapshot(self, viewer: int, now: int) -> bytes:
        """A serialized update with the viewer's whole view."""
        return self.stream.snapshot(viewer, hand=self.hand_number, clocks=self.clocks(now))

    def take(self) -> Output:
        """What has happened since the last call, each thing once."""
        out = Output(
            self.stream.take(),
            self._settled,
            self.roster.leaving,
            self._presence,
            self._faults,
            self._claimed,
        )
        self._settled, self.roster.leaving, self._presence, self._faults = [], [], False, []
        self._claimed = []
        return out

    # ---- seats -----------------------------------------------------------------------------

    def seated(self, seat: int, *, sitting: int, stake: int, at: Moment) -> None:
        """The buy-in lies in escrow: the player sits."""
        held = self.roster.held(seat)
        held.sitting, held.stake, held.state = sitting, stake, SeatState.SEATED
        self._emit(
            "sit",
            {"seat": seat, "player": held.player, "sitting": sitting, "stake": stake},
            events=[Event("@sit", {"seat": seat, "name": held.name})],
            table={f"@seat{seat}": held.shown()},
            at=at,
        )
        self.roster.watch(at.ms, playing=self.playing)

    def topped_up(self, seat: int, *, amount: int, at: Moment) -> None:
        """`amount` more coins lie in the seat's escrow."""
        held = self.roster.held(seat)
        held.stake += amount
        self._emit(
            "top_up",
            {"seat": seat, "amount": amount, "stake": held.stake},
            table={f"@seat{seat}": held.shown()},
            at=at,
        )

    def top_up_answered(self, seat: int, *, amount: int, at: Moment) -> None:
        """The data server has said yes or no to `amount`; a hand may have waited for that."""
        self.roster.held(seat).pending -= amount
        if self.hand is None and self.roster.all_ready():
            self._begin(at)

    def stand(self, player: int, *, abandon: bool, at: Moment) -> int:
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
        self.roster.leave(seat, now=at.ms, playing=self.playing)
        return seat

    def left(self, seat: int, *, at: Moment) -> None:
        """The rest of the escrow is back in the wallet: the seat is free.

        A match over several hands ends with that, unless the room lets newcomers go on with it.
        """
        held = self.roster.held(seat)
        self.seats[seat] = None
        if not self.room.newcomers_continue:
            self._carry = {}
        self._emit(
            "stand",
            {"seat": seat, "player": held.player},
            events=[Event("@stand", {"seat": seat, "name": held.name})],
            table={f"@seat{seat}": None},
            at=at,
        )
        self.roster.watch(at.ms, playing=self.playing)

    def set_away(self, player: int, away: bool, *, now: int) -> None:
        """The player's connection went or came back. Not numbered."""
        self._presence |= self.roster.set_away(player, away, now)

    def close(self, *, at: Moment) -> None:
        """The host ends: a running hand is void, everybody stands up."""
        self.void("shutdown", at=at)
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.seated:
                self.roster.leave(index, now=at.ms)

    # ---- hands -----------------------------------------------------------------------------

    def ready(self, player: int, *, contribution: bytes, ready: bool, at: Moment) -> None:
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
        held.ready = ready
        held.contribution = contribution if ready else b""
        self._emit(
            "ready",
            {"seat": seat, "ready": ready, "contribution": held.contribution.hex()},
            events=[Event("@ready", {"seat": seat, "ready": ready})],
            table={f"@seat{seat}": held.shown()},
            at=at,
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
        op: bytes = b"",
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

    def _act(self, seat: int, action: str, *, op: bytes, at: Moment) -> int:
        assert self.hand is not None
        try:
            line, events = self.hand.act(seat, action, cause="player", now=at.ms)
        except IllegalAction as refusal:
            raise _refused(refusal) from None
        except Exception as fault:
            self._fault(fault, at)
            raise Refused("INTERNAL") from fault
        return self._played(seat, line, "player", events, op=op, at=at)

    def expire(self, at: Moment) -> None:
        """Do what is due: default actions, steps of chance, seats that are not ready in time."""
        if self.hand is None:
            self.roster.expire(at.ms)
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
        """The host stood still for so long: charge it to nobody."""
        self._turns.shift(by_ms)
        self._claims.shift(by_ms)
        self.roster.shift(by_ms)

    def void(self, reason: str, *, at: Moment) -> None:
        """End the running hand without result: every stake stays where it was."""
        if self.hand is not None:
            self._end(None, reason=reason, at=at)

    # ---- inside ----------------------------------------------------------------------------

    def _begin(self, at: Moment) -> None:
        seats = self.roster.all()
        self.hand_number += 1
        secret, self._next_secret = self._next_secret, self._entropy(shuffle.SECRET_BYTES)
        contributions = [s.contribution for s in seats]
        for seat in seats:
            seat.ready, seat.contribution = False, b""
        try:
            self.hand = Hand(
                number=self.hand_number,
                table=self.ref.table,
                game=self.game,
                package=self._package,
                players=[str(s.player) for s in seats],
                wealth=[s.stake for s in seats] if self.room.plays_for_coins else None,
                carry=self._carry or None,
                secret=secret,
                contributions=contributions,
                at=at,
            )
        except Exception as fault:
            self._faults.append(repr(fault))
            self._carry = {}
            self.roster.watch(at.ms, playing=self.playing)
            return
        self._turns = Turns(room=self.room, seats=len(self.seats))
        self._emit(
            "hand_begin",
            {
                "hand": self.hand_number,
                "secret": secret.hex(),
                "contributions": [c.hex() for c in contributions],
                "wealth": [s.stake for s in seats],
                "carry": self._carry,
                "next_commitment": shuffle.commitment(self._next_secret).hex(),
            },
            events=[Event("@hand_begin", {"hand": self.hand_number})],
            table={
                "@phase": "playing",
                "@hand": self.hand_number,
                "@commitment": self.hand.commitment,
                **{f"@seat{i}": s.shown() for i, s in enumerate(seats)},
            },
            game=True,
            at=at,
        )
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
        hand = self.hand
        assert hand is not None
        try:
            if due.what == "chance":
                line, events = hand.chance(now=at.ms)
            elif due.what == "abandon":
                line, events = hand.abandon(due.seat, reason, now=at.ms)
            else:
                line, events = hand.default(due.seat, cause=due.cause, now=at.ms)
        except Exception as fault:
            self._fault(fault, at)
            return
        self._played(due.seat, line, due.cause, events, op=b"", at=at)

    def _played(
        self,
        seat: int,
        line: str,
        cause: str,
        events: Sequence[Event],
        *,
        op: bytes,
        at: Moment,
    ) -> int:
        """An action was applied: number it and show it, then let the hand go on."""
        self._set_turns(seat, at)
        body = {"seat": seat, "action": line, "cause": cause, "op": op.hex()}
        kind = "chance" if seat == CHANCE else "action"
        seq = self._moved_at = self._emit(kind, body, events=events, game=True, at=at)
        self._go_on(seat, at)
        return seq

    def _go_on(self, acted: int | None, at: Moment) -> None:
        """Chance that needs no waiting, then the end of the hand if it is over."""
        hand = self.hand
        if hand is None:
            return
        try:
            while not hand.over and hand.waits_for_chance():
                line, events = hand.chance(now=at.ms)
                self._set_turns(acted, at)
                body = {"action": line}
                self._moved_at = self._emit("chance", body, events=events, game=True, at=at)
            outcome = hand.outcome() if hand.over else None
        except Exception as fault:
            self._fault(fault, at)
            return
        if outcome is not None:
            self._end(outcome, reason="", at=at)

    def _set_turns(self, acted: int | None, at: Moment) -> None:
        assert self.hand is not None
        self._turns.set(self.hand.state, acted=acted, next_seq=self.stream.seq + 1, now=at.ms)

    def _fault(self, fault: Exception, at: Moment) -> None:
        self._faults.append(repr(fault))
        self._end(None, reason="fault", at=at)

    def _end(self, outcome: Outcome | None, *, reason: str, at: Moment) -> None:
        hand = self.hand
        assert hand is not None
        self._turns.stop(at.ms)
        late = [Claimed(asked.player, Refused("NO_HAND")) for asked in self._claims.take()]
        self._claimed += late
        seats = self.roster.all()
        deltas = outcome.deltas if outcome else (0,) * len(seats)
        fees = outcome.fees if outcome else (0,) * len(seats)
        result = outcome.result if outcome else "void"
        for seat, delta in zip(seats, deltas, strict=True):
            if self.room.plays_for_coins:
                seat.stake += delta
        self._carry = dict(outcome.carry) if outcome else {}
        self._settled.append(
            Settled(
                hand=hand.number,
                result=result,
                seats=[(i, s.sitting, s.player, deltas[i], fees[i]) for i, s in enumerate(seats)],
                pot_change=outcome.pot_change if outcome else 0,
                record=hand.record(outcome=outcome, ended_us=at.us),
                ended_us=at.us,
            )
        )
        summary = {"result": result, "deltas": list(deltas), "fees": list(fees)}
        self._emit(
            "hand_end",
            {"hand": hand.number, "reason": reason, **summary},
            events=[Event("@hand_end", {"hand": hand.number, **summary})],
            table={
                "@phase": "waiting",
                "@result": summary,
                "@reveal": {
                    "hand": hand.number,
                    "secret": hand.secret.hex(),
                    "contributions": [c.hex() for c in hand.contributions],
                },
                "@next_commitment": shuffle.commitment(self._next_secret).hex(),
                **{f"@seat{i}": s.shown() for i, s in enumerate(seats)},
            },
            at=at,
        )
        self.hand = None
        self.roster.hand_over()
        self.roster.watch(at.ms, playing=self.playing)

    def _emit(
        self,
        kind: str,
        body: dict[str, Any],
        *,
        at: Moment,
        events: Sequence[Event] = (),
        table: dict[str, Any] | None = None,
        game: bool = False,
    ) -> int:
        return self.stream.emit(
            kind,
            body,
            at=at,
            hand=self.hand_number,
            events=events,
            table=table,
            state=self.hand.state if game and self.hand is not None else None,
            clocks=self.clocks(at.ms),
        )


def _refused(refusal: IllegalAction) -> Refused:
    """The rules' reason as it goes to the player: upper case, like all codes of the wire."""
    refused = Refused(refusal.code.upper())
    refused.params = {name: str(value) for name, value in refusal.params.items()}
    return refused
