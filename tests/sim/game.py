"""A small game for the simulation: a hidden number each, and everybody adds to it in turn.

Two to four seats. Nature deals each a number (hidden from the others), then each seat in turn
says 0, 1 or 2, `ROUNDS` times. The highest sum takes `STAKE` from every other seat, less a fee;
on a tie nobody pays. Whoever escapes pays. A hand has some seven rows, so that a simulated
second has many beginnings and ends, where the bugs are.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.rules.api import (
    ABANDON,
    CHANCE,
    Deadline,
    Event,
    GameId,
    IllegalAction,
    Info,
    Outcome,
)

ROUNDS = 2
STAKE = 10
FEE = 1


class Tally:
    """The rules. One instance serves all tables."""

    name = "tally"
    id = GameId("tally", 1, "{}")
    info = Info(
        min_seats=2,
        max_seats=4,
        deterministic=False,
        perfect_information=False,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=1 + 4 * ROUNDS,
    )
    title: Mapping[str, str] = {"en": "Tally"}
    parameters: Mapping[str, Any] = {}

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> TallyState:
        return TallyState(self, seats, first=int((carry or {}).get("first", 0)))

    def parse(self, state: TallyState, seat: int, text: str) -> tuple[Any, ...]:
        words = text.split()
        try:
            if words[0] == "add" and len(words) == 2:
                return ("add", int(words[1]))
            if words[0] == "deal":
                return ("deal", *map(int, words[1:]))
            if words[0] == ABANDON:
                return (ABANDON, int(words[1]))
        except (IndexError, ValueError):
            pass
        raise IllegalAction("syntax")

    def format(self, action: tuple[Any, ...]) -> str:
        return " ".join(map(str, action))

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return None


class TallyState:
    """One hand."""

    def __init__(self, game: Tally, seats: int, *, first: int) -> None:
        self.game = game
        self.hidden: list[int] = []
        self.sums = [0] * seats
        self.turn = first % seats
        self.left = seats * ROUNDS
        self.escaped: int | None = None
        self._log: list[tuple[int, tuple[Any, ...]]] = []

    def to_act(self) -> tuple[int, ...]:
        if self.is_terminal():
            return ()
        return (self.turn,) if self.hidden else (CHANCE,)

    def phase(self) -> str:
        return "add"

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple(Deadline(seat, "add") for seat in self.to_act() if seat != CHANCE)

    def is_legal(self, seat: int, action: tuple[Any, ...]) -> bool:
        if (seat,) != self.to_act():
            return False
        if seat == CHANCE:
            return action[0] == "deal"
        return action[0] == "add" and action[1] in (0, 1, 2)

    def apply(self, seat: int, action: tuple[Any, ...]) -> list[Event]:
        if action[0] == ABANDON:  # of a replay
            return self.abandon(action[1], "")
        if not self.is_legal(seat, action):
            raise IllegalAction("not_your_turn")
        self._log.append((seat, action))
        if seat == CHANCE:
            self.hidden = list(action[1:])
            return [Event("deal", {"seats": len(self.sums)})]
        self.sums[seat] += action[1]
        self.turn = (seat + 1) % len(self.sums)
        self.left -= 1
        return [Event("add", {"seat": seat, "by": action[1]})]

    def default_action(self, seat: int) -> tuple[Any, ...]:
        return ("add", 0)

    def abandon(self, seat: int, reason: str) -> list[Event]:
        self.escaped = seat
        self._log.append((seat, (ABANDON, seat)))
        return [Event("escape", {"seat": seat})]

    def sample_chance(self, rng: Any) -> tuple[Any, ...]:
        return ("deal", *(rng.below(3) for _ in self.sums))

    def view(self, seat: int) -> dict[str, Any]:
        own = self.hidden[seat] if self.hidden and seat >= 0 else None
        turn = None if self.is_terminal() else self.turn
        return {"sums": list(self.sums), "own": own, "turn": turn, "left": self.left}

    def resample(self, seat: int, rng: Any) -> TallyState:
        other = TallyState(self.game, len(self.sums), first=self.turn)
        other.hidden, other.sums, other.left = list(self.hidden), list(self.sums), self.left
        return other

    def is_terminal(self) -> bool:
        return self.escaped is not None or self.left == 0

    def outcome(self) -> Outcome:
        seats = len(self.sums)
        deltas, fees = [0] * seats, [0] * seats
        if self.escaped is not None:
            for seat in range(seats):
                deltas[seat] = STAKE if seat != self.escaped else -STAKE * (seats - 1)
        else:
            totals = [h + s for h, s in zip(self.hidden, self.sums, strict=True)]
            best = max(totals)
            if totals.count(best) == 1:
                winner = totals.index(best)
                for seat in range(seats):
                    deltas[seat] = STAKE * (seats - 1) - FEE if seat == winner else -STAKE
                fees[winner] = FEE
        result = "escaped" if self.escaped is not None else "finished"
        carry = {"first": self.turn}
        return Outcome(result, tuple(deltas), tuple(fees), 0, carry, self.turn)

    def log(self) -> Sequence[tuple[int, tuple[Any, ...]]]:
        return self._log

    def hash(self) -> int:
        return hash(json.dumps([self.hidden, self.sums, self.turn, self.left, self.escaped]))
