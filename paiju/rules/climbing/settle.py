"""Settlement of the Dou Dizhu family (section 7 of its rules): debts, shortfalls, fees, escapes.

Exact integers; what some lose others and the house gain, to the last unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Settlement(NamedTuple):
    """Per seat: net change (fee taken off) and fee; the sum of both is 0."""

    deltas: tuple[int, ...]
    fees: tuple[int, ...]


def shared_by_claim(pot: int, claim: Sequence[int], first: int) -> list[int]:
    """A pot smaller than the claims: by claim, the odd units one each in seat order from `first`.

    Seats without a claim get nothing.
    """
    total = sum(claim)
    gain = [pot * c // total for c in claim]
    rest = pot - sum(gain)
    for step in range(len(claim)):
        seat = (first + step) % len(claim)
        if claim[seat] and rest:
            gain[seat] += 1
            rest -= 1
    return gain


def shared_by_wealth(
    pot: int, claim: Sequence[int], first: int, wealth: Sequence[int]
) -> list[int]:
    """A pot smaller than the claims: by what the winners have, nobody above the claim.

    For one or two winners. Without any wealth: by claim.
    """
    seats = len(claim)
    winners = [(first + step) % seats for step in range(seats) if claim[(first + step) % seats]]
    weight = sum(wealth[seat] for seat in winners)
    if weight == 0 or len(winners) == 1:
        return shared_by_claim(pot, claim, first)
    gain = [0] * seats
    one, other = winners
    gain[other] = pot * wealth[other] // weight
    gain[one] = pot - gain[other]
    for seat, mate in ((one, other), (other, one)):
        above = gain[seat] - claim[seat]
        if above > 0:
            gain[seat] -= above
            gain[mate] += above
    return gain


def settled(
    *,
    owed: Sequence[int],
    claim: Sequence[int],
    fee: int,
    wealth: Sequence[int] | None,
    first: int,
    by_wealth: bool = False,
) -> Settlement:
    """Losers pay what they owe, at most what they have; winners share what came in.

    owed, claim: per seat, >= 0, with equal sums. first: where odd units of a shortfall begin.
    The fee is taken after the debt and never drives a seat below 0. wealth None: no caps.
    """
    if wealth is None:
        deltas = tuple(c - o - fee for o, c in zip(owed, claim, strict=True))
        return Settlement(deltas, (fee,) * len(owed))
    paid = [min(o, w) for o, w in zip(owed, wealth, strict=True)]
    pot = sum(paid)
    gain = list(claim)
    if pot != sum(claim):
        if by_wealth:
            gain = shared_by_wealth(pot, claim, first, wealth)
        else:
            gain = shared_by_claim(pot, claim, first)
    change = [g - p for g, p in zip(gain, paid, strict=True)]
    fees = tuple(min(fee, w + c) for w, c in zip(wealth, change, strict=True))
    return Settlement(tuple(c - f for c, f in zip(change, fees, strict=True)), fees)


def two_sides(
    stakes: Sequence[int],
    winners: Sequence[int],
    *,
    fee: int,
    wealth: Sequence[int] | None,
    first: int,
    by_wealth: bool = False,
) -> Settlement:
    """Each seat of one side wins its stake, each of the other loses it; both sums are equal."""
    return settled(
        owed=[0 if seat in winners else stake for seat, stake in enumerate(stakes)],
        claim=[stake if seat in winners else 0 for seat, stake in enumerate(stakes)],
        fee=fee,
        wealth=wealth,
        first=first,
        by_wealth=by_wealth,
    )


def landlord_game(
    *,
    landlord: int,
    landlord_won: bool,
    unit: int,
    fee: int,
    wealth: Sequence[int] | None,
    seats: int = 3,
    by_wealth: bool = False,
) -> Settlement:
    """Each farmer wins or loses `unit`, the landlord as much as all of them."""
    stakes = [unit] * seats
    stakes[landlord] = unit * (seats - 1)
    winners = [seat for seat in range(seats) if (seat == landlord) == landlord_won]
    return two_sides(stakes, winners, fee=fee, wealth=wealth, first=landlord, by_wealth=by_wealth)


def escaped(*, seat: int, penalty: int, wealth: Sequence[int] | None, seats: int) -> Settlement:
    """The escaper pays the penalty, at most what it has; the house keeps it all."""
    paid = penalty if wealth is None else min(penalty, wealth[seat])
    return Settlement(
        tuple(-paid if s == seat else 0 for s in range(seats)),
        tuple(paid if s == seat else 0 for s in range(seats)),
    )
