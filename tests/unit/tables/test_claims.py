"""Actions out of turn: collected for a moment, ordered by the rules, one of them counts."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from game_server.tables.moment import Moment
from game_server.tables.op import Op
from game_server.tables.room import RoomSpec
from game_server.tables.table import Table
from paiju.rules.api import CHANCE, Deadline, Event, GameId, IllegalAction, Info, Outcome
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2
from tests.unit.tables.harness import SEALER, entropy

ROOM = RoomSpec(id="snap.test", game="snap", currency="score", claim_ms=300)


class SnapState:
    """Seats say "play" in turn; any other seat may "snap" once per play. Four moves end it."""

    def __init__(self, game: Snap) -> None:
        self.game = game
        self.turn = 0
        self.moves: list[tuple[int, str]] = []

    def to_act(self) -> tuple[int, ...]:
        return () if self.is_terminal() else (self.turn,)

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple(Deadline(seat, "play") for seat in self.to_act())

    def is_legal(self, seat: int, action: str) -> bool:
        if seat == CHANCE or self.is_terminal():
            return False
        if action == "snap":
            return seat != self.turn and bool(self.moves) and self.moves[-1][1] == "play"
        return action == "play" and seat == self.turn

    def apply(self, seat: int, action: str) -> list[Event]:
        if not self.is_legal(seat, action):
            raise IllegalAction("not_your_turn")
        self.moves.append((seat, action))
        self.turn = (seat + 1) % 3
        return [Event(action, {"seat": seat})]

    def default_action(self, seat: int) -> str:
        return "play"

    def order_claims(self, claims: Sequence[tuple[int, str]]) -> Sequence[tuple[int, str]]:
        """Nearest to the seat that played comes first."""
        last = self.moves[-1][0]
        return sorted(claims, key=lambda claim: (claim[0] - last) % 3)

    def view(self, seat: int) -> dict[str, Any]:
        return {"moves": [list(move) for move in self.moves], "turn": self.turn}

    def is_terminal(self) -> bool:
        return len(self.moves) >= 4

    def outcome(self) -> Outcome:
        return Outcome("finished", (0, 0, 0), (0, 0, 0), 0, {}, None)


class Snap:
    name = "snap"
    id = GameId("snap", 1, "{}")
    info = Info(3, 3, True, True, False, True, True, 10)

    def new_state(self, seats: int, **_: Any) -> SnapState:
        return SnapState(self)

    def parse(self, state: SnapState, seat: int, text: str) -> str:
        if text not in ("play", "snap"):
            raise IllegalAction("syntax")
        return text

    def format(self, action: str) -> str:
        return action


class Played:
    """A table of Snap in mid-hand: seat 0 has played, seat 1 has the turn."""

    def __init__(self) -> None:
        self.now = 1_000
        self.table = Table(
            ref=common_pb2.TableRef(room=ROOM.id, table=1),
            room=ROOM,
            game=Snap(),  # type: ignore[arg-type]
            package="1.0.0",
            epoch=1,
            entropy=entropy("snap"),
            sealer=SEALER,
        )
        self.table.open(at=self.at)
        for seat in range(3):
            self.table.roster.reserve(seat=seat, player=seat, name=f"p{seat}")
            self.table.seated(seat, sitting=seat + 1, stake=0, at=self.at)
        for seat in range(3):
            self.table.ready(seat, contribution=b"", ready=True, at=self.at)
        assert self.act(0, "play") is not None

    @property
    def at(self) -> Moment:
        return Moment(self.now, self.now * 1000)

    def act(self, seat: int, action: str, *, decided_on: int | None = None) -> int | None:
        seen = self.table.stream.seq if decided_on is None else decided_on
        return self.table.act(
            seat, action, hand=1, decided_on=seen, at=self.at, op=Op(b"op", b"digest")
        )

    def moves(self) -> list[tuple[int, str]]:
        state = self.table.hand.state
        assert isinstance(state, SnapState)
        return state.moves

    def moment_over(self) -> dict[int, int | str]:
        """Player -> the number its action got, or the code of its refusal."""
        self.now = self.table.next_due()
        self.table.expire(self.at)
        results = self.table.take().claimed
        return {
            player: result.code if isinstance(result, Refused) else result
            for player, result in results
        }


@pytest.mark.parametrize("order", list(itertools.permutations([(1, "play"), (2, "snap")])))
def test_a_claim_comes_before_the_turn_in_whatever_order_they_arrive(order: Any) -> None:
    game = Played()
    if order[0][1] == "play":
        # The play came before any claim: the moment had not begun, and the claim is late.
        seen = game.table.stream.seq
        assert game.act(1, "play") is not None
        with pytest.raises(Refused, match="STALE_DECISION"):
            game.act(2, "snap", decided_on=seen)
        return
    for seat, action in order:
        assert game.act(seat, action) is None
    assert game.moment_over() == {2: game.table.stream.seq, 1: "STALE_DECISION"}
    assert game.moves() == [(0, "play"), (2, "snap")]


def test_the_rules_order_decides_between_claims_not_the_network() -> None:
    game = Played()
    assert game.act(1, "play") is not None
    assert game.act(0, "snap") is None
    assert game.table.next_due() == game.now + 300
    game.now += 200
    # Seat 2 has the turn; it waits with the claim, whose moment is not made longer.
    assert game.act(2, "play") is None
    with pytest.raises(Refused, match="ALREADY_CLAIMED"):
        game.act(0, "snap")
    results = game.moment_over()
    assert results[2] == "STALE_DECISION" and isinstance(results[0], int)
    assert game.moves()[-1] == (0, "snap")


def test_a_claim_out_of_turn_that_is_not_legal_is_refused_at_once() -> None:
    game = Played()
    with pytest.raises(Refused, match="NOT_YOUR_TURN"):
        game.act(2, "play")
    assert game.table.take().claimed == []
    assert game.act(2, "snap") is None
    game.moment_over()
    with pytest.raises(Refused, match="NOT_YOUR_TURN"):
        game.act(1, "snap")  # only a play can be snapped


def test_nobodys_time_runs_out_while_claims_are_collected() -> None:
    game = Played()
    turn_over = game.table.next_due()
    game.now = turn_over - 100
    assert game.act(2, "snap") is None
    game.now = turn_over + 1
    game.table.expire(game.at)
    assert game.moves() == [(0, "play")]
    assert game.moment_over() == {2: game.table.stream.seq}


def test_a_hand_that_ends_answers_what_still_waits() -> None:
    game = Played()
    assert game.act(2, "snap") is None
    game.table.void("shutdown", at=game.at)
    (claimed,) = game.table.take().claimed
    assert claimed.player == 2 and claimed.result.code == "NO_HAND"
    assert game.table.next_due() != game.now + 300


def test_the_price_of_leaving_is_asked_of_a_world_that_the_seat_cannot_tell_apart() -> None:
    """The real world may hold bombs that the seat has not seen; it is never asked."""

    class World(SnapState):
        def abandon(self, seat: int, reason: str) -> list[Event]:
            self.moves += [(seat, "escape")] * 4
            return []

        def outcome(self) -> Outcome:
            return Outcome("escaped", (-30, 15, 15), (0, 0, 0), 0, {}, None)

    class Real(SnapState):
        def resample(self, seat: int, rng: object) -> SnapState:
            return World(self.game)

        def clone(self) -> SnapState:
            raise AssertionError("the real world was asked")

    game = Played()
    game.table.hand.state = Real(game.table.game)
    with pytest.raises(Refused, match="CONFIRM_ABANDON") as asked:
        game.table.stand(0, abandon=False, at=game.at)
    assert asked.value.params == {"penalty": "30"}
