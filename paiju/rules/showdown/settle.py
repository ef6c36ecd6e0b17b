"""Who pays whom when a banker stands against the others, capped by what everybody has.

Amounts are integers >= 0; `wealth` None means score play: nothing is capped.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

Wealth = Sequence[int] | None


class Settlement(NamedTuple):
    """Per seat: net change (fee taken off) and what the house keeps; both sum to 0."""

    deltas: tuple[int, ...]
    fees: tuple[int, ...]


def capped(amount: int, seat: int, wealth: Wealth) -> int:
    """What a seat can pay of an amount."""
    return amount if wealth is None else min(amount, wealth[seat])


def share(pool: int, dues: Sequence[int], first: int) -> list[int]:
    """What each seat gets of its due out of a pool that may be too small.

    Short: floor(pool * due / all dues), and the units left over one each to the seats with a
    due, in seat order from `first`. Nobody gets more than its due.
    """
    total = sum(dues)
    if pool >= total:
        return list(dues)
    got = [pool * due // total for due in dues]
    rest, seats = pool - sum(got), len(dues)
    for step in range(seats):
        seat = (first + step) % seats
        if rest and dues[seat]:
            got[seat] += 1
            rest -= 1
    return got


def through_banker(
    banker: int, *, owed: Sequence[int], due: Sequence[int], wealth: Wealth
) -> list[int]:
    """The transfer of each seat; they sum to 0.

    owed: what each loser owes the banker; due: what the banker owes each winner. The losers
    pay first, then the banker pays out of what it has and what it has received.
    """
    if wealth is None:
        paid, got = owed, due
    else:
        paid = [min(debt, own) for debt, own in zip(owed, wealth, strict=True)]
        got = share(wealth[banker] + sum(paid), due, (banker + 1) % len(owed))
    moved = [gain - cost for gain, cost in zip(got, paid, strict=True)]
    moved[banker] = sum(paid) - sum(got)
    return moved


def fees_taken(
    transfers: Sequence[int], *, kept: Sequence[int] | None = None, fee: int, wealth: Wealth
) -> Settlement:
    """The fee comes last, out of what is left, so no winner is robbed by it.

    kept: what the house keeps of a seat's transfer besides (penalties), already taken off.
    """
    if wealth is None:
        taken = [fee] * len(transfers)
    else:
        taken = [min(fee, w + moved) for w, moved in zip(wealth, transfers, strict=True)]
    deltas = tuple([moved - cost for moved, cost in zip(transfers, taken, strict=True)])
    if kept is not None:
        taken = [cost + more for cost, more in zip(taken, kept, strict=True)]
    return Settlement(deltas, tuple(taken))
