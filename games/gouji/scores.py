"""Places and what they are worth (section 9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.gouji.actions import SEATS
from games.gouji.seats import opposite, partners

VALUES = (4, 2, 0, 0, -2, -4)
"""Of 头科, 二科, 三科, 四科, 二落, 大落."""
_THIRD, _FOURTH = 2, 3


class Settlement(NamedTuple):
    """Per seat: net change, and what the house takes."""

    deltas: tuple[int, ...]
    fees: tuple[int, ...]


def places(
    finished: Sequence[int], failed: Sequence[int], revolutionist: int | None
) -> list[int | None]:
    """Seats by place as far as they are known.

    finished: in order. failed: burn-failed seats, in order of time; they fill from below.
    The revolutionist is fourth, or third behind both partners.
    """
    table: list[int | None] = [None] * SEATS
    if revolutionist is not None:
        behind = {*finished[:2]} == {*partners(revolutionist)}
        table[_THIRD if behind else _FOURTH] = revolutionist
    for seat in failed:
        table[max(i for i in range(SEATS) if table[i] is None)] = seat
    for seat in finished:
        table[table.index(None)] = seat
    return table


def all_places(
    finished: Sequence[int], failed: Sequence[int], revolutionist: int | None
) -> list[int]:
    """The same at the end: who is left over follows in seat order after the last finisher."""
    table = places(finished, failed, revolutionist)
    last = finished[-1] if finished else SEATS - 1
    left = [seat for step in range(1, SEATS + 1) if (seat := (last + step) % SEATS) not in table]
    return [left.pop(0) if seat is None else seat for seat in table]


def is_sweep(table: Sequence[int | None]) -> bool:
    """串三户: the first three places belong to one federation."""
    return None not in table[:3] and len({seat % 2 for seat in table[:3] if seat is not None}) == 1


def settled(table: Sequence[int], unit: int, wealth: Sequence[int] | None) -> Settlement:
    """Everybody gets the sum of his federation, doubled in a sweep.

    The opposite of a winner loses the same, so each loser pays his opposite; with `wealth`
    at most what he has.
    """
    factor = 2 * unit if is_sweep(table) else unit
    deltas = [0] * SEATS
    for seat in range(SEATS):
        due = factor * sum(VALUES[i] for i, other in enumerate(table) if other % 2 == seat % 2)
        if due > 0:
            other = opposite(seat)
            paid = due if wealth is None else min(due, wealth[other])
            deltas[seat], deltas[other] = paid, -paid
    return Settlement(tuple(deltas), (0,) * SEATS)


def escaped(seat: int, penalty: int, wealth: Sequence[int] | None) -> Settlement:
    """The leaver pays the house; with `wealth` at most what he has."""
    paid = penalty if wealth is None else min(penalty, wealth[seat])
    fees = tuple(paid if s == seat else 0 for s in range(SEATS))
    return Settlement(tuple(-fee for fee in fees), fees)
