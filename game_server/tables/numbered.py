"""What happens at a table, each thing a number: the transitions, without deciding on them.

`Table` decides (may this player do that, what is due) and calls these; a replay calls the
same ones with what the journal says. So each row has all that its transition needs, and a
table that was rebuilt cannot differ from the one that wrote the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from game_server.tables.claims import Claimed, Claims
from game_server.tables.hand import Hand
from game_server.tables.lock import Lock
from game_server.tables.moment import Moment
from game_server.tables.op import NO_OP, Op
from game_server.tables.ring import RING
from game_server.tables.room import RoomSpec
from game_server.tables.roster import Roster
from game_server.tables.seal import Sealer
from game_server.tables.seat import Reservation, Seat, SeatState
from game_server.tables.stream import Step, Stream
from game_server.tables.turns import Turns
from paiju.rules import shuffle
from paiju.rules.api import CHANCE, Event, Game, Outcome
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


class NumberedTable:
    """State of a table, and its numbered transitions. Owner: the shard, one task only."""

    def __init__(
        self,
        *,
        ref: common_pb2.TableRef,
        room: RoomSpec,
        game: Game,
        package: str,
        epoch: int,
        entropy: Callable[[int], bytes],
        sealer: Sealer,
        lock: str = "",
    ) -> None:
        self.ref = ref
        self.lock = Lock(ref.table, lock)
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
        self._sealer = sealer
        self._turns = Turns(room=room, seats=len(self.seats))
        self._claims = Claims(wait_ms=room.claim_ms)
        self._claimed: list[Claimed] = []
        self._moved_at = 0  # number of the last action of the hand
        self._carry: dict[str, Any] = {}
        self._next_secret = b""  # until `open`
        self._shown_last: dict[str, Any] = {}  # @result and @reveal of the last hand
        self._settled: list[Settled] = []
        self._presence = False
        self._faults: list[str] = []
        self._other_board: dict[int, int] = {}  # player -> last number of another viewer's board

    def open(self, *, secret: bytes = b"", at: Moment) -> None:
        """The first number. secret: of the first hand, when it is known from the journal."""
        self._next_secret = secret or self._entropy(shuffle.SECRET_BYTES)
        self._emit(
            "open",
            {**self.rules(), "sealed": self._sealed(self._next_secret, 1)},
            table=self.first_keys(),
            at=at,
        )

    def rules(self) -> dict[str, Any]:
        """What must be known to build this table again: room, game, version, parameters."""
        return {
            "room": self.ref.room,
            "shard": self.ref.shard,
            "game": self.game.id.name,
            "version": self.game.id.version,
            "parameters": self.game.id.parameters,
            "package": self._package,
            "currency": self.room.currency,
            "values": self.room.values(),
            **({"lock": self.lock.digest} if self.lock else {}),
        }

    def first_keys(self) -> dict[str, Any]:
        """The table's view before anything has happened."""
        return {
            "@table": self._described(),
            "@phase": "waiting",
            "@hand": self.hand_number,
            "@next_commitment": shuffle.commitment(self._next_secret).hex(),
            **{f"@seat{i}": None for i in range(len(self.seats))},
        }

    def _described(self) -> dict[str, Any]:
        return {
            "id": str(self.ref.table),
            "room": self.room.id,
            "shard": self.ref.shard,
            "game": self.game.id.name,
            "version": self.game.id.version,
            "parameters": self.game.id.parameters,
            "currency": self.room.currency,
            **({"locked": True} if self.lock else {}),
        }

    # ---- looking --------------------------------------------------------------------------------

    @property
    def package(self) -> str:
        """Version of the package whose rules it plays."""
        return self._package

    @property
    def in_match(self) -> bool:
        """Whether the next hand goes on with something of the last one: levels, pots, tribute."""
        return not self._carry.keys() <= self.game.info.who_begins

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

    def admit(self, player: int, key: str, *, now: float) -> None:
        """Whoever sits here needs no key. Refused, see Lock.admit."""
        if self.seat_of(player) is None:
            self.lock.admit(player, key, now=now)

    def clocks(self, now: int) -> list[hall_pb2.Clock]:
        return self._turns.shown(now)

    def snapshot(self, viewer: int, now: int) -> bytes:
        """A serialized update with the viewer's whole view."""
        return self.stream.snapshot(viewer, hand=self.hand_number, clocks=self.clocks(now))

    def missed(self, player: int, *, epoch: int, seq: int) -> list[bytes] | None:
        """The forms that the player is missing after that number; None: a snapshot is needed.

        Whoever got or lost a seat since then has a board of another viewer: whole or not at all.
        """
        if seq <= self._other_board.get(player, 0):
            return None
        return self.stream.missed(self.viewer_of(player), epoch=epoch, seq=seq)

    def viewer_of(self, player: int) -> int:
        """Whose board the player gets: a seat's from the number on with which he sits there."""
        seat = self.seat_of(player)
        reserved = seat is not None and self.roster.held(seat).state is SeatState.RESERVED
        return self.stream.viewer_of(None if reserved else seat)

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

    # ---- seats ----------------------------------------------------------------------------------

    def reserved(self, seat: int, reservation: Reservation, *, at: Moment) -> None:
        """The data server will be asked for the buy-in; after a crash it is asked again."""
        held = self.roster.held(seat)
        held.reservation = reservation
        self._emit(
            "reserve",
            {
                "seat": seat,
                "player": held.player,
                "name": held.name,
                "amount": reservation.amount,
                "session_epoch": reservation.session_epoch,
                **reservation.op.body(),
            },
            at=at,
        )

    def unreserved(self, seat: int, *, at: Moment) -> None:
        """The buy-in was refused: the seat is free again, nobody saw anything."""
        self.roster.unreserve(seat)
        self._emit("unreserve", {"seat": seat}, at=at)

    def seated(self, seat: int, *, sitting: int, stake: int, at: Moment) -> None:
        """The buy-in lies in escrow: the player sits."""
        held = self.roster.held(seat)
        op = held.reservation.op if held.reservation is not None else NO_OP
        held.reservation = None
        held.sitting, held.stake, held.state = sitting, stake, SeatState.SEATED
        self._emit(
            "sit",
            {
                "seat": seat,
                "player": held.player,
                "name": held.name,
                "sitting": sitting,
                "stake": stake,
                **op.body(),
            },
            events=[Event("@sit", {"seat": seat, "name": held.name})],
            table={f"@seat{seat}": held.shown()},
            at=at,
        )
        self._board_changes(held.player, last=self.stream.seq - 1)
        self.roster.watch(at.ms, playing=self.playing)

    def topped_up(self, seat: int, *, amount: int, at: Moment, op: Op = NO_OP) -> None:
        """`amount` more coins lie in the seat's escrow."""
        held = self.roster.held(seat)
        held.stake += amount
        held.topped = max(held.topped, op)
        self._emit(
            "top_up",
            {
                "seat": seat,
                "player": held.player,
                "amount": amount,
                "stake": held.stake,
                **op.body(),
            },
            table={f"@seat{seat}": held.shown()},
            at=at,
        )

    def leave(self, seat: int, why: str, *, at: Moment, op: Op = NO_OP) -> None:
        """The seat is to be cashed out. why: asked, away, idle, retired or shutdown."""
        held = self.roster.held(seat)
        if held.state is SeatState.LEAVING:
            return
        self.roster.leave(seat, now=at.ms, playing=self.playing)
        held.leaves = why
        self._emit(
            "leave",
            {"seat": seat, "player": held.player, "why": why, **op.body()},
            table={f"@seat{seat}": held.shown()},
            at=at,
        )

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
        self._board_changes(held.player, last=self.stream.seq)
        self.roster.watch(at.ms, playing=self.playing)

    def stood(
        self,
        seats: Sequence[Seat],
        *,
        hand: int,
        secret: bytes,
        carry: Mapping[str, Any],
        shown: Mapping[str, Any],
    ) -> None:
        """How the table stood when hand number `hand` was about to begin (not numbered).

        secret: the one committed to for that hand. shown: the last hand's keys of the view.
        """
        self.roster.seats = list(seats)
        self.hand_number = hand - 1
        self._next_secret = secret
        self._carry = dict(carry)
        self._shown_last = dict(shown)
        self.stream.keep({**self.first_keys(), **shown})

    def closed(self, reason: str, *, at: Moment) -> None:
        """The last number: nobody sits here any more, and nobody will."""
        self._emit("close", {"reason": reason}, at=at)

    # ---- hands ----------------------------------------------------------------------------------

    def made_ready(
        self, seat: int, *, contribution: bytes, ready: bool, at: Moment, op: Op
    ) -> None:
        """Number and show it; whether a hand begins now is the caller's."""
        held = self.roster.held(seat)
        held.ready, held.contribution = ready, contribution
        self._emit(
            "ready",
            {
                "seat": seat,
                "player": held.player,
                "ready": ready,
                "contribution": contribution.hex(),
                **op.body(),
            },
            events=[Event("@ready", {"seat": seat, "ready": ready})],
            table={f"@seat{seat}": held.shown()},
            at=at,
        )

    def new_hand(self, contributions: Sequence[bytes], at: Moment) -> Hand:
        """The next hand of those who sit here. Raises what the rules raise."""
        seats = self.roster.all()
        return Hand(
            number=self.hand_number + 1,
            table=self.ref.table,
            game=self.game,
            package=self._package,
            players=[str(s.player) for s in seats],
            wealth=[s.stake for s in seats] if self.room.plays_for_coins else None,
            carry=self._carry or None,
            secret=self._next_secret,
            contributions=contributions,
            at=at,
        )

    def begun(self, hand: Hand, *, next_secret: bytes, at: Moment) -> None:
        """The hand runs. Its row alone says how the table stands: a replay may begin with it."""
        seats = self.roster.all()
        turns = Turns(room=self.room, seats=len(seats))
        turns.set(hand.state, acted=None, next_seq=self.stream.seq + 1, now=at.ms)
        self.hand, self.hand_number, self._turns = hand, hand.number, turns
        self._next_secret = next_secret
        for seat in seats:
            seat.ready, seat.contribution = False, b""
        self._emit(
            "hand_begin",
            {
                **self.rules(),
                "hand": hand.number,
                "commitment": hand.commitment,
                "sealed": self._sealed(hand.secret, hand.number),
                "next_sealed": self._sealed(next_secret, hand.number + 1),
                "contributions": [c.hex() for c in hand.contributions],
                "seats": [[s.player, s.name, s.sitting, s.stake] for s in seats],
                "topped": [s.topped.body() for s in seats],
                "wealth": [s.stake for s in seats] if self.room.plays_for_coins else None,
                "carry": self._carry,
                "shown": self._shown_last,
                "turns": turns.dump(at.ms),
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
        self._moved_at = self.stream.seq

    def not_begun(self, *, at: Moment) -> None:
        """The rules could not begin the hand: the match is over, the secret stays unused."""
        self._carry = {}
        for seat in self.roster.all():
            seat.ready, seat.contribution = False, b""
        self._emit(
            "not_begun",
            {},
            table={f"@seat{i}": s.shown() for i, s in enumerate(self.roster.all())},
            at=at,
        )
        self.roster.watch(at.ms, playing=self.playing)

    def moved(
        self,
        seat: int,
        line: str,
        cause: str,
        events: Sequence[Event],
        *,
        acted: int | None,
        op: Op,
        at: Moment,
        turns: Mapping[str, Any] | None = None,
    ) -> int:
        """Number an applied action and show it. turns: the clocks as the journal has them."""
        hand = self.hand
        assert hand is not None
        if turns is None:
            self._turns.set(hand.state, acted=acted, next_seq=self.stream.seq + 1, now=at.ms)
        else:
            self._turns.restore(turns, now=at.ms)
        body = {
            "hand": hand.number,
            "seat": seat,
            "action": line,
            "cause": cause,
            "ms": hand.since_began(at.ms),
            "turns": self._turns.dump(at.ms),
            **({"player": self.roster.held(seat).player} if seat >= 0 else {}),
            **op.body(),
        }
        kind = "chance" if seat == CHANCE else "action"
        self._moved_at = self._emit(kind, body, events=events, game=True, at=at)
        return self._moved_at

    def ended(self, outcome: Outcome | None, *, reason: str, at: Moment) -> None:
        """The hand is over; outcome None: void, every stake stays where it was."""
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
        self._shown_last = {
            "@result": summary,
            "@reveal": {
                "hand": hand.number,
                "secret": hand.secret.hex(),
                "contributions": [c.hex() for c in hand.contributions],
            },
        }
        self._emit(
            "hand_end",
            {"hand": hand.number, "reason": reason, "carry": self._carry, **summary},
            events=[Event("@hand_end", {"hand": hand.number, **summary})],
            table={
                "@phase": "waiting",
                **self._shown_last,
                "@next_commitment": shuffle.commitment(self._next_secret).hex(),
                **{f"@seat{i}": s.shown() for i, s in enumerate(seats)},
            },
            at=at,
        )
        self.hand = None
        self.roster.hand_over()
        self.roster.watch(at.ms, playing=self.playing)

    def renewed(self, room: RoomSpec, game: Game, *, at: Moment) -> None:
        """Between hands: the room has other values. Whoever was ready was so for the old ones."""
        self.room, self.game = room, game
        self.roster.room = room
        self._turns = Turns(room=room, seats=len(self.seats))
        seated = [(i, s) for i, s in enumerate(self.seats) if s is not None and s.ready]
        for _, seat in seated:
            seat.ready, seat.contribution = False, b""
        self._emit(
            "room",
            self.rules(),
            events=[Event("@room", {"parameters": game.id.parameters})],
            table={"@table": self._described(), **{f"@seat{i}": s.shown() for i, s in seated}},
            at=at,
        )
        self.roster.watch(at.ms, playing=self.playing)

    # ---- inside ---------------------------------------------------------------------------------

    def _board_changes(self, player: int, *, last: int) -> None:
        """A board at number `last` may be another viewer's; below the ring it does not matter."""
        within = self.stream.seq - RING
        kept = {p: seq for p, seq in self._other_board.items() if seq >= within}
        self._other_board = {**kept, player: last}

    def _sealed(self, secret: bytes, hand: int) -> str:
        return self._sealer.seal(secret, table=self.ref.table, hand=hand)

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
            clocks=() if self.stream.replaying else self.clocks(at.ms),
        )
