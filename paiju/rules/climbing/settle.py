"""Settlement of the Dou Dizhu family: section 7 of its rules, "by_claim", and escapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Settlement(NamedTuple):
    """Per seat: net change (fee taken off) and fee; the sum of both is 0."""

    deltas: tuple[int, ...]
    fees: tuple[int, ...]


def by_claim(
    *,
    owed: Sequence[int],
    claim: Sequence[int],
    fee: int,
    wealth: Sequence[int] | None,
    first: int,
) -> Settlement:
    """Losers pay what they owe, at most what they have; winners share what came in.

    owed, claim: per seat, >= 0, with equal sums. A shortfall is shared by claim, the odd
    units going one each to the winners in seat order from `first`. The fee is taken after
    the debt and never drives a seat below 0.
    """
    seats = len(owed)
    paid = list(owed) if wealth is None else [min(o, w) for o, w in zip(owed, wealth, strict=True)]
    pot, total = sum(paid), sum(claim)
    gain = list(claim)
    if pot != total:
        gain = [pot * c // total for c in claim]
        rest = pot - sum(gain)
        for step in range(seats):
            seat = (first + step) % seats
            if claim[seat] and rest:
                gain[seat] += 1
                rest -= 1
    change = [g - p for g, p in zip(gain, paid, strict=True)]
    if wealth is None:
        fees = [fee] * seats
    else:
        fees = [min(fee, w + c) for w, c in zip(wealth, change, strict=True)]
    return Settlement(tuple(c - f for c, f in zip(change, fees, strict=True)), tuple(fees))


def landlord_game(
    *,
    landlord: int,
    landlord_won: bool,
    unit: int,
    fee: int,
    wealth: Sequence[int] | None,
) -> Settlement:
    """Three seats: each farmer wins or loses `unit`, the landlord twice that."""
    sides = [2 * unit if seat == landlord else unit for seat in range(3)]
    loses = [(seat == landlord) != landlord_won for seat in range(3)]
    return by_claim(
        owed=[side if lost else 0 for side, lost in zip(sides, loses, strict=True)],
        claim=[0 if lost else side for side, lost in zip(sides, loses, strict=True)],
        fee=fee,
        wealth=wealth,
        first=landlord,
    )


def escaped(*, seat: int, penalty: int, wealth: Sequence[int] | None, seats: int) -> Settlement:
    """The escaper pays the penalty, at most what it has; the house keeps it all."""
    paid = penalty if wealth is None else min(penalty, wealth[seat])
    return Settlement(
        tuple(-paid if s == seat else 0 for s in range(seats)),
        tuple(paid if s == seat else 0 for s in range(seats)),
    )
