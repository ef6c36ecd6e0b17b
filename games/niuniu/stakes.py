"""Chips and settlement of Aiqipai Niuniu: bets against the banker, times the winner's kind."""

from __future__ import annotations

from collections.abc import Sequence

from games.niuniu.bulls import kind_of
from paiju.rules.showdown import Settlement, fees_taken, through_banker
from paiju.rules.showdown.settle import Wealth


def chips(
    banker: int, wealth: Sequence[int], *, most: int, divisors: Sequence[int]
) -> list[tuple[int, ...] | None]:
    """What each seat may bet, descending, () when nothing; None for the banker.

    most: the greatest multiplier, so that neither side can lose more than it has.
    """
    bank = wealth[banker] // (len(wealth) - 1) // most
    offered: list[tuple[int, ...] | None] = []
    for seat, own in enumerate(wealth):
        limit = min(bank, own // most)
        values = {limit // divisor for divisor in divisors} - {0}
        offered.append(None if seat == banker else tuple(sorted(values, reverse=True)))
    return offered


def transfers(
    banker: int,
    bets: Sequence[int],
    *,
    counted: Sequence[int] | None,
    best: Sequence[int] | None,
    gone: Sequence[bool],
    gone_before: Sequence[bool],
    multipliers: Sequence[int],
    wealth: Wealth,
) -> list[int]:
    """What each seat wins or loses before the fee.

    counted: strengths as the hands were shown; best: as well as possible, which decides what
    leavers pay. None: nothing was dealt. gone_before: those who left before the deal.
    """
    seats = len(bets)
    owed, due = [0] * seats, [0] * seats

    def times(strength: int) -> int:
        return multipliers[kind_of(strength)]

    for seat, bet in enumerate(bets):
        if seat == banker or not bet or (gone[seat] and gone[banker]):
            continue
        if gone[seat]:
            plain = best is None or gone_before[seat]
            owed[seat] = bet * (1 if plain or best is None else times(best[banker]))
        elif gone[banker]:
            due[seat] = bet * (1 if best is None else times(best[seat]))
        elif counted is not None and counted[seat] > counted[banker]:
            due[seat] = bet * times(counted[seat])
        elif counted is not None:
            owed[seat] = bet * times(counted[banker])
    return through_banker(banker, owed=owed, due=due, wealth=wealth)


def booked(moved: Sequence[int], *, dealt: bool, fee: int, wealth: Wealth) -> Settlement:
    """The fee is taken from every seat once cards were dealt or anybody had to pay."""
    taken = fee if dealt or any(moved) else 0
    return fees_taken(moved, fee=taken, wealth=wealth)
