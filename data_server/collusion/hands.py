"""What a record tells about how its players met, won and held back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from paiju.rules.record import Record


@dataclass(frozen=True, slots=True)
class Answer:
    """`who` had to beat or pass what `whom` had played; both are players, and opponents."""

    who: int
    whom: int
    passed: bool


@dataclass(frozen=True, slots=True)
class Hand:
    """pool: those who could have met, e.g. the rule set. nets: coins by player, bots left out.
    turnover: what all winners of the hand won, bots as well; > 0 unless nobody won."""

    table: int
    pool: str
    ended_us: int
    nets: Mapping[int, int]
    turnover: int
    seats: int
    answers: tuple[Answer, ...]


def hand_of(record: Record, *, pool: str) -> Hand:
    """ValueError when an id is no number."""
    players = [0 if bot else int(name) for name, bot in zip(record.seats, record.bots, strict=True)]
    deltas = record.outcome.deltas
    return Hand(
        table=int(record.table),
        pool=pool,
        ended_us=record.ended_us,
        nets={player: delta for player, delta in zip(players, deltas, strict=True) if player},
        turnover=sum(delta for delta in deltas if delta > 0),
        seats=len(players),
        answers=_answers(record, players),
    )


def _answers(record: Record, players: list[int]) -> tuple[Answer, ...]:
    """Climbing games only: who plays last holds the trick until all others have passed.

    Partners are told from opponents by who won and lost together; choices of the clock or of
    a trustee are nobody's.
    """
    answers: list[Answer] = []
    holder: int | None = None
    deltas = record.outcome.deltas
    for seat, action, _, cause in record.actions:
        verb = action.partition(" ")[0]
        if seat < 0 or verb not in ("play", "pass"):
            continue
        if holder is not None and holder != seat and cause == "player":
            who, whom = players[seat], players[holder]
            if who and whom and deltas[seat] * deltas[holder] < 0:
                answers.append(Answer(who, whom, passed=verb == "pass"))
        if verb == "play":
            holder = seat
    return tuple(answers)
