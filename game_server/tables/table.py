"""The table: seats, readiness, one hand after the other, clocks - as a pure state machine.

Owner: the shard it belongs to, one task only. `now` is monotonic milliseconds, `wall_us`
UTC microseconds; entropy comes in through the constructor. Every method that changes
something appends numbered steps to the table's output; the host takes them with `take()`,
writes their rows to the journal and only then shows their forms. Nothing here waits.

Money: a seat is RESERVED until the data server has moved the buy-in and LEAVING until it
has moved the rest back; the host does both and reports with `seated`, `unreserve`, `left`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from game_server.tables.clocks import Clocks
from game_server.tables.hand import Hand
from game_server.tables.ring import Ring
from game_server.tables.room import RoomSpec
from game_server.tables.seat import Seat, SeatState
from game_server.tables.viewers import Viewers, to_json
from paiju.rules import shuffle
from paiju.rules.api import CHANCE, SPECTATOR, Event, Game, IllegalAction, Outcome
from paiju.rules.record import Record
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2


class Step(NamedTuple):
    """One number of the table: what the journal holds and what each viewer is shown."""

    seq: int
    kind: str
    body: bytes
    forms: Sequence[bytes]
    cause: str = ""  # of an action: player, timeout, trustee, abandon, chance


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
        now: int,
        wall_us: int,
    ) -> None:
        self.ref = ref
        self.room = room
        self.game = game
        self.epoch = epoch
        self.seats: list[Seat | None] = [None] * game.info.max_seats
        self.hand: Hand | None = None
        self.hand_number = 0
        self._package = package
        self._entropy = entropy
        self._viewers = Viewers(ref=ref, epoch=epoch, seats=len(self.seats))
        self._ring = Ring()
        self._clocks = Clocks(seats=len(self.seats), reserve_ms=room.reserve_ms)
        self._turn_seq = [0] * len(self.seats)
        self._carry: dict[str, Any] = {}
        self._next_secret = entropy(shuffle.SECRET_BYTES)
        self._ready_due: int | None = None
        self._steps: list[Step] = []
        self._settled: list[Settled] = []
        self._leaving: list[int] = []
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
            now=now,
            wall_us=wall_us,
        )

    # ---- looking ---------------------------------------------------------------------------

    @property
    def seq(self) -> int:
        return self._ring.last

    @property
    def playing(self) -> bool:
        return self.hand is not None

    @property
    def empty(self) -> bool:
        return all(seat is None for seat in self.seats)

    def seat_of(self, player: int) -> int | None:
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.player == player:
                return index
        return None

    def free_seats(self) -> list[int]:
        return [index for index, seat in enumerate(self.seats) if seat is None]

    def viewer_of(self, seat: int | None) -> int:
        return self._viewers.viewer_of(seat)

    def away(self) -> list[int]:
        return [i for i, s in enumerate(self.seats) if s is not None and s.away_since is not None]

    def clocks(self, now: int) -> list[hall_pb2.Clock]:
        return [
            hall_pb2.Clock(seat=seat, key=key, remaining_ms=left, reserve_ms=reserve)
            for seat, key, left, reserve in self._clocks.shown(now)
        ]

    def view(self, viewer: int) -> dict[str, bytes]:
        """The whole present view of a viewer, key -> JSON text."""
        return self._viewers.parts(viewer)

    def snapshot(self, viewer: int, now: int) -> bytes:
        """A serialized update with the viewer's view at the table's last number."""
        return self._viewers.snapshot(
            viewer, seq=self.seq, hand=self.hand_number, clocks=self.clocks(now)
        )

    def missed(self, viewer: int, *, epoch: int, seq: int) -> list[bytes] | None:
        """The forms that a receiver with this cursor is missing; None: it needs a snapshot."""
        return self._ring.after(seq, viewer) if epoch == self.epoch else None

    def take(self) -> Output:
        """What has happened since the last call, each thing once."""
        out = Output(self._steps, self._settled, self._leaving, self._presence, self._faults)
        self._steps, self._settled, self._leaving, self._faults = [], [], [], []
        self._presence = False
        return out

    # ---- seats -----------------------------------------------------------------------------

    def reserve(self, *, seat: int, player: int, name: str) -> None:
        """Hold a seat while the buy-in is moved. Refused: SEAT_TAKEN, ALREADY_SEATED, ..."""
        if not 0 <= seat < len(self.seats):
            raise Refused("NO_SUCH_SEAT", last=len(self.seats) - 1)
        if self.seat_of(player) is not None:
            raise Refused("ALREADY_SEATED")
        if self.seats[seat] is not None:
            raise Refused("SEAT_TAKEN")
        self.seats[seat] = Seat(player=player, name=name)

    def unreserve(self, seat: int) -> None:
        """The buy-in was refused: the seat is free again, nobody saw anything."""
        held = self.seats[seat]
        if held is not None and held.state is SeatState.RESERVED:
            self.seats[seat] = None

    def seated(self, seat: int, *, sitting: int, stake: int, now: int, wall_us: int) -> None:
        """The buy-in lies in escrow: the player sits."""
        held = self._held(seat)
        held.sitting, held.stake, held.state = sitting, stake, SeatState.SEATED
        self._emit(
            "sit",
            {"seat": seat, "player": held.player, "sitting": sitting, "stake": stake},
            events=[Event("@sit", {"seat": seat, "name": held.name})],
            table={f"@seat{seat}": held.shown()},
            now=now,
            wall_us=wall_us,
        )
        self._watch_readiness(now, anew=True)

    def topped_up(self, seat: int, *, amount: int, now: int, wall_us: int) -> None:
        """`amount` more coins lie in the seat's escrow."""
        held = self._held(seat)
        held.stake += amount
        self._emit(
            "top_up",
            {"seat": seat, "amount": amount, "stake": held.stake},
            table={f"@seat{seat}": held.shown()},
            now=now,
            wall_us=wall_us,
        )

    def stand(self, player: int, *, abandon: bool, now: int, wall_us: int) -> int:
        """Begin to leave; the escrow is returned by the host. Returns the seat.

        In mid-hand this is an escape and needs `abandon`; otherwise Refused
        (CONFIRM_ABANDON) with the penalty.
        """
        seat = self._seat_of(player)
        held = self._held(seat)
        if held.state is SeatState.RESERVED:
            raise Refused("RETRY", retry_after_ms=500)
        if self.hand is not None and held.seated:
            if not abandon:
                raise Refused("CONFIRM_ABANDON", penalty=self.hand.penalty(seat))
            self._abandon(seat, "leave", now=now, wall_us=wall_us)
        self._leave(seat)
        return seat

    def left(self, seat: int, *, now: int, wall_us: int) -> None:
        """The rest of the escrow is back in the wallet: the seat is free."""
        held = self._held(seat)
        self.seats[seat] = None
        self._emit(
            "stand",
            {"seat": seat, "player": held.player},
            events=[Event("@stand", {"seat": seat, "name": held.name})],
            table={f"@seat{seat}": None},
            now=now,
            wall_us=wall_us,
        )
        self._watch_readiness(now, anew=True)

    def set_away(self, player: int, away: bool, *, now: int) -> None:
        """The player's connection went or came back. Not numbered."""
        seat = self.seat_of(player)
        if seat is None:
            return
        held = self._held(seat)
        if away == (held.away_since is not None):
            return
        held.away_since = now if away else None
        self._presence = True

    # ---- hands -----------------------------------------------------------------------------

    def ready(
        self, player: int, *, contribution: bytes, ready: bool, now: int, wall_us: int
    ) -> None:
        """The player wants the next hand (or no longer). Refused: HAND_RUNNING, NOT_ENOUGH."""
        seat = self._seat_of(player)
        held = self._held(seat)
        if not held.seated:
            raise Refused("RETRY", retry_after_ms=500)
        if self.hand is not None:
            raise Refused("HAND_RUNNING")
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
            now=now,
            wall_us=wall_us,
        )
        if all(s is not None and s.seated and s.ready for s in self.seats):
            self._begin(now=now, wall_us=wall_us)

    def act(
        self,
        player: int,
        action: str,
        *,
        hand: int,
        decided_on: int,
        now: int,
        wall_us: int,
        op: bytes = b"",
    ) -> int:
        """Apply a player's action line; returns the number it got.

        Refused: NO_HAND, STALE_DECISION, or the rules' own reason; nothing changed then.
        """
        seat = self._seat_of(player)
        if self.hand is None:
            raise Refused("NO_HAND")
        if hand != self.hand.number or decided_on < self._turn_seq[seat]:
            raise Refused("STALE_DECISION")
        try:
            line, events = self.hand.act(seat, action, cause="player", now=now)
        except IllegalAction as refusal:
            raise _refused(refusal) from None
        except Exception as fault:
            self._fault(fault, now=now, wall_us=wall_us)
            raise Refused("INTERNAL") from fault
        return self._played(seat, line, "player", events, op=op, now=now, wall_us=wall_us)

    def expire(self, *, now: int, wall_us: int) -> None:
        """Do what is due: default actions, steps of chance, seats that are not ready in time."""
        if self.hand is not None:
            self._expire_turns(now, wall_us)
        else:
            self._expire_seats(now)

    def next_due(self) -> int | None:
        """When `expire` has something to do, monotonic ms."""
        if self.hand is not None:
            return min((self._turn_due(seat) for seat in self._clocks.running()), default=None)
        dues = [
            s.away_since + self.room.away_ms
            for s in self.seats
            if s is not None and s.seated and s.away_since is not None
        ]
        if self._ready_due is not None:
            dues.append(self._ready_due)
        return min(dues, default=None)

    def shift(self, by_ms: int) -> None:
        """The host stood still for so long: charge it to nobody."""
        self._clocks.shift(by_ms)
        if self._ready_due is not None:
            self._ready_due += by_ms

    def close(self, *, now: int, wall_us: int) -> None:
        """The host ends: a running hand is void, everybody stands up."""
        self.void("shutdown", now=now, wall_us=wall_us)
        for index, seat in enumerate(self.seats):
            if seat is not None and seat.seated:
                self._leave(index)

    def void(self, reason: str, *, now: int, wall_us: int) -> None:
        """End the running hand without result: every stake stays where it was."""
        if self.hand is not None:
            self._end(None, reason=reason, now=now, wall_us=wall_us)

    # ---- inside ----------------------------------------------------------------------------

    def _held(self, seat: int) -> Seat:
        held = self.seats[seat]
        if held is None:
            raise Refused("NOT_SEATED")
        return held

    def _seat_of(self, player: int) -> int:
        seat = self.seat_of(player)
        if seat is None:
            raise Refused("NOT_SEATED")
        return seat

    def _leave(self, seat: int) -> None:
        held = self._held(seat)
        if held.state is not SeatState.LEAVING:
            held.state, held.ready, held.contribution = SeatState.LEAVING, False, b""
            self._leaving.append(seat)

    def _watch_readiness(self, now: int, *, anew: bool) -> None:
        full = all(seat is not None and seat.seated for seat in self.seats)
        if not full or self.hand is not None:
            self._ready_due = None
        elif anew or self._ready_due is None:
            self._ready_due = now + self.room.ready_ms

    def _expire_seats(self, now: int) -> None:
        for index, seat in enumerate(self.seats):
            if seat is None or not seat.seated:
                continue
            gone = seat.away_since is not None and now >= seat.away_since + self.room.away_ms
            idle = self._ready_due is not None and now >= self._ready_due and not seat.ready
            if gone or idle:
                self._leave(index)
        self._watch_readiness(now, anew=False)

    def _begin(self, *, now: int, wall_us: int) -> None:
        seats = [self._held(i) for i in range(len(self.seats))]
        self.hand_number += 1
        secret, self._next_secret = self._next_secret, self._entropy(shuffle.SECRET_BYTES)
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
                contributions=[s.contribution for s in seats],
                began_ms=now,
                began_us=wall_us,
            )
        except Exception as fault:
            self._faults.append(repr(fault))
            self._carry = {}
            for seat in seats:
                seat.ready = False
            self._watch_readiness(now, anew=True)
            return
        self._ready_due = None
        self._clocks = Clocks(seats=len(self.seats), reserve_ms=self.room.reserve_ms)
        for seat in seats:
            seat.ready, seat.contribution = False, b""
        self._emit(
            "hand_begin",
            {
                "hand": self.hand_number,
                "secret": secret.hex(),
                "contributions": [c.hex() for c in self.hand.contributions],
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
            now=now,
            wall_us=wall_us,
        )
        self._advance(None, now=now, wall_us=wall_us)

    def _played(
        self,
        seat: int,
        line: str,
        cause: str,
        events: Sequence[Event],
        *,
        op: bytes,
        now: int,
        wall_us: int,
    ) -> int:
        assert self.hand is not None
        self._set_clocks(seat, now)
        seq = self._emit(
            "action",
            {"seat": seat, "action": line, "cause": cause, "op": op.hex()},
            events=events,
            game=True,
            now=now,
            wall_us=wall_us,
        )
        self._advance(seat, now=now, wall_us=wall_us)
        return seq

    def _advance(self, acted: int | None, *, now: int, wall_us: int) -> None:
        """After any change of the hand: chance that needs no waiting, then clocks or the end."""
        hand = self.hand
        assert hand is not None
        try:
            while not hand.over and hand.waits_for_chance() and not self._chance_has_deadline(hand):
                line, events = hand.chance(now=now)
                self._set_clocks(acted, now)
                self._emit(
                    "chance", {"action": line}, events=events, game=True, now=now, wall_us=wall_us
                )
        except Exception as fault:
            self._fault(fault, now=now, wall_us=wall_us)
            return
        if hand.over:
            self._end(hand.outcome(), reason="", now=now, wall_us=wall_us)

    @staticmethod
    def _chance_has_deadline(hand: Hand) -> bool:
        return any(deadline.seat == CHANCE for deadline in hand.state.deadlines())

    def _set_clocks(self, acted: int | None, now: int) -> None:
        assert self.hand is not None
        deadlines = [] if self.hand.over else self.hand.state.deadlines()
        before = set(self._clocks.running())
        turns = [(d.seat, d.key, self.room.time_for(d.key)) for d in deadlines]
        self._clocks.set(turns, acted=acted, now=now)
        for seat in self._clocks.running():
            # What was decided before this number was decided on another position.
            if seat >= 0 and (seat == acted or seat not in before):
                self._turn_seq[seat] = self.seq + 1

    def _turn_due(self, seat: int) -> int:
        due = self._clocks.due(seat)
        begun = self._clocks.begun(seat)
        assert due is not None and begun is not None
        held = self.seats[seat] if seat >= 0 else None
        if held is not None and held.away_since is not None:
            due = min(due, max(begun, held.away_since) + self.room.away_turn_ms)
        return due

    def _expire_turns(self, now: int, wall_us: int) -> None:
        for seat in self._clocks.running():
            hand = self.hand
            if hand is None or self._clocks.due(seat) is None or self._turn_due(seat) > now:
                continue
            hard = any(d.seat == seat and d.hard for d in hand.state.deadlines())
            held = self.seats[seat] if seat >= 0 else None
            away = held is not None and held.away_since is not None
            cause = "trustee" if away else "timeout"
            try:
                if seat == CHANCE:
                    line, events = hand.chance(now=now)
                    cause = "chance"
                elif hard:
                    line, events = hand.abandon(seat, "time", now=now)
                else:
                    line, events = hand.default(seat, cause=cause, now=now)
            except Exception as fault:
                self._fault(fault, now=now, wall_us=wall_us)
                return
            self._played(seat, line, cause, events, op=b"", now=now, wall_us=wall_us)

    def _abandon(self, seat: int, reason: str, *, now: int, wall_us: int) -> None:
        assert self.hand is not None
        try:
            line, events = self.hand.abandon(seat, reason, now=now)
        except Exception as fault:
            self._fault(fault, now=now, wall_us=wall_us)
            return
        self._played(seat, line, "abandon", events, op=b"", now=now, wall_us=wall_us)

    def _fault(self, fault: Exception, *, now: int, wall_us: int) -> None:
        self._faults.append(repr(fault))
        self._end(None, reason="fault", now=now, wall_us=wall_us)

    def _end(self, outcome: Outcome | None, *, reason: str, now: int, wall_us: int) -> None:
        hand = self.hand
        assert hand is not None
        self._clocks.stop_all(now)
        seats = [self._held(i) for i in range(len(self.seats))]
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
                record=hand.record(outcome=outcome, ended_us=wall_us),
                ended_us=wall_us,
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
            now=now,
            wall_us=wall_us,
        )
        self.hand = None
        self._watch_readiness(now, anew=True)

    def _emit(
        self,
        kind: str,
        body: dict[str, Any],
        *,
        now: int,
        wall_us: int,
        events: Sequence[Event] = (),
        table: dict[str, Any] | None = None,
        game: bool = False,
    ) -> int:
        seq = self._ring.last + 1
        views = None
        if game and self.hand is not None:
            state = self.hand.state
            views = [state.view(i) for i in range(len(self.seats))] + [state.view(SPECTATOR)]
        forms = self._viewers.step(
            seq=seq,
            hand=self.hand_number,
            table={key: to_json(value) for key, value in (table or {}).items()},
            game=views,
            events=events,
            clocks=self.clocks(now),
        )
        self._ring.push(forms)
        cause = "chance" if kind == "chance" else body.get("cause", "")
        self._steps.append(Step(seq, kind, to_json({"at": wall_us, **body}), forms, cause))
        return seq


def _refused(refusal: IllegalAction) -> Refused:
    """The rules' reason as it goes to the player: upper case, like all codes of the wire."""
    refused = Refused(refusal.code.upper())
    refused.params = {name: str(value) for name, value in refusal.params.items()}
    return refused
