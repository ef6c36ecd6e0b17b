"""Buying threes when they must be played last (section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.gouji.actions import ASK_THREE, AUTO_REVOLUTION, BUY
from games.gouji.deck import HIGH_FROM, THREE, THREES, count_of, of_rank
from games.gouji.seats import opposite, partners

_SPARE = 2
"""Threes of a seat that can give one away."""


class Need(NamedTuple):
    """What a seat without a three does; source: who gives it one."""

    verb: int
    source: int | None


def need(hands: Sequence[int], seat: int, aside: int | None) -> Need | None:
    """None: the seat has a three, or nobody has one to spare. aside: the revolutionist."""
    if seat == aside or hands[seat] & THREES:
        return None
    if hands[seat] < HIGH_FROM:
        return Need(AUTO_REVOLUTION, None)
    across = opposite(seat)
    for verb, sources in ((BUY, (across, *partners(across))), (ASK_THREE, partners(seat))):
        for source in sources:
            if source != aside and count_of(hands[source], THREE) >= _SPARE:
                return Need(verb, source)
    return None


def three_of(hand: int) -> int:
    """The three that is given away: the lowest suit."""
    return of_rank(hand, THREE, 1)


def is_payment(card: int) -> bool:
    """One 2 or one joker."""
    return sum(count_of(card, rank) for rank in (12, 13, 14)) == 1 and card >= HIGH_FROM


def usual_payment(hand: int) -> int:
    """The lowest of 2, BJ, RJ."""
    return next(of_rank(hand, rank, 1) for rank in (12, 13, 14) if count_of(hand, rank))
