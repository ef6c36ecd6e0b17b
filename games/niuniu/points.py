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
    seats, bank = len(strengths), strengths[banker]
    points, unit, ties_to_banker = rates.points, rates.unit, rates.ties_to_banker
    loss = points[kind_of(bank)] * unit
    owed, due = [loss] * seats, [0] * seats
    owed[banker] = 0
    for seat, strength in enumerate(strengths):
        if seat != banker and player_wins(strength, bank, ties_to_banker=ties_to_banker):
            owed[seat], due[seat] = 0, points[kind_of(strength)] * unit
    if True not in gone:
        moved = through_banker(banker, owed=owed, due=due, wealth=wealth)
        return fees_taken(moved, fee=rates.fee, wealth=wealth)
    moved, kept = _with_leavers(banker, owed, due, gone, rates, wealth)
    return fees_taken(moved, kept=kept, fee=rates.fee, wealth=wealth)


def _with_leavers(
    banker: int,
    owed: list[int],
    due: list[int],
    gone: Sequence[bool],
    rates: Rates,
    wealth: Wealth,
) -> tuple[list[int], list[int]]:
    """Transfers, and what of them the house keeps. owed, due: as if nobody had left."""
    seats = len(owed)
    kept = [0] * seats
    for seat in range(seats):
        if seat == banker:
            continue
        if gone[banker]:
            owed[seat] = 0
        if gone[seat]:
            penalty = capped(rates.escape_player * rates.unit, seat, wealth)
            owed[seat], due[seat] = min(owed[seat], penalty), 0
            kept[seat] = penalty - owed[seat]
    if gone[banker]:
        penalty = capped(max(rates.escape_banker * rates.unit, sum(due)), banker, wealth)
        moved = share(penalty, due, (banker + 1) % seats)
        kept[banker] = penalty - sum(moved)
        moved[banker] = -sum(moved)
    else:
        moved = through_banker(banker, owed=owed, due=due, wealth=wealth)
    return [change - cost for change, cost in zip(moved, kept, strict=True)], kept
