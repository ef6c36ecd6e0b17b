"""Settlement of Douniu and Huanle Douniu: points by the winner's kind, and escapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.niuniu.bulls import kind_of, player_wins
from paiju.rules.showdown import Settlement, fees_taken, share, through_banker
from paiju.rules.showdown.settle import Wealth, capped

STEPS = (0,) * 8 + (1, 1, 2, 3, 4)
"""Which of the five entries of the points table each kind has: no bull .. five flower."""


class Rates(NamedTuple):
    """What a room plays for. points: by kind of the winner; unit: what one point is worth."""

    points: tuple[int, ...]
    unit: int
    fee: int
    ties_to_banker: bool
    escape_player: int
    escape_banker: int


def settled(
    banker: int,
    strengths: Sequence[int],
    *,
    gone: Sequence[bool],
    rates: Rates,
    wealth: Wealth,
) -> Settlement:
    """Everybody against the banker. Who has left pays its penalty instead.

    A present opponent of a leaver gets its normal win out of the penalty and never pays; the
    house keeps the rest. A banker's penalty grows to what the winners are due.
    """
    seats = len(strengths)
    owed, due, kept = [0] * seats, [0] * seats, [0] * seats
    bank = strengths[banker]
    for seat, strength in enumerate(strengths):
        if seat == banker:
            continue
        wins = player_wins(strength, bank, ties_to_banker=rates.ties_to_banker)
        amount = rates.points[kind_of(strength if wins else bank)] * rates.unit
        if gone[seat]:
            penalty = capped(rates.escape_player * rates.unit, seat, wealth)
            if not wins and not gone[banker]:
                owed[seat] = min(amount, penalty)
            kept[seat] = penalty - owed[seat]
        elif wins:
            due[seat] = amount
        elif not gone[banker]:
            owed[seat] = amount
    if gone[banker]:
        penalty = capped(max(rates.escape_banker * rates.unit, sum(due)), banker, wealth)
        moved = share(penalty, due, (banker + 1) % seats)
        kept[banker] = penalty - sum(moved)
        moved[banker] = -sum(moved)
    else:
        moved = through_banker(banker, owed=owed, due=due, wealth=wealth)
    if any(kept):
        moved = [change - cost for change, cost in zip(moved, kept, strict=True)]
    return fees_taken(moved, kept=kept, fee=rates.fee, wealth=wealth)
