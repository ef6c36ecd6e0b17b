"""Who has the trick: does a follow compete, how high is it, and does a throw stand?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product

from paiju.rules.tricks.packs import ONES, UNITS, pairs, triples, types_of
from paiju.rules.tricks.ranking import TRUMP, Ranking
from paiju.rules.tricks.shapes import (
    PAIR,
    SINGLE,
    TITANIC,
    TRACTOR,
    TRIPLE,
    Component,
    Shape,
    decompose,
    rungs_held,
    runs_of,
)

Key = tuple[bool, int]
"""(is trump, top rung of the part that answers the lead's first component)."""

COPIES = {SINGLE: 1, PAIR: 2, TRIPLE: 3, TRACTOR: 2, TITANIC: 3}


def placements(
    ranking: Ranking, suit: int, cards: int, kind: int, length: int
) -> Iterator[tuple[int, int]]:
    """(top rung, cards) of every way to take such a component out of a set, highest first."""
    copies = COPIES[kind]
    cards &= ranking.suit_masks[suit]
    if copies == 1:
        ones = (cards | cards >> 1) & ONES
    else:
        ones = pairs(cards) if copies == 2 else triples(cards)
    if not ones:
        return
    by_rung: dict[int, list[int]] = {}
    for card in types_of(ones):
        by_rung.setdefault(ranking.rung_of[card], []).append(card)
    for top in sorted(by_rung, reverse=True):
        steps = [by_rung.get(top - down) for down in range(length)]
        if all(steps):
            for chosen in product(*(step for step in steps if step)):
                yield top, copies * sum(UNITS[card] for card in chosen)


@lru_cache(maxsize=1 << 14)
def contest_key(ranking: Ranking, lead_suit: int, shape: Shape, cards: int) -> Key | None:
    """How high a follow of the right size is; None when it does not compete."""
    suit = ranking.suit(cards)
    if suit is None or suit not in (lead_suit, TRUMP):
        return None
    kind, length = shape[0]
    if len(shape) == 1 and length == 1:
        card = next(types_of(cards))
        if cards != COPIES[kind] * UNITS[card]:
            return None
        return suit == TRUMP, ranking.rung_of[card]
    for top, taken in placements(ranking, suit, cards, kind, length):
        if _fits(ranking, suit, shape[1:], cards - taken):
            return suit == TRUMP, top
    return None


def _fits(ranking: Ranking, suit: int, shape: Shape, cards: int) -> bool:
    """Whether a set can be partitioned into components of this shape; singles are free."""
    if not shape or shape[0][0] == SINGLE:
        return True
    kind, length = shape[0]
    return any(
        _fits(ranking, suit, shape[1:], cards - taken)
        for _, taken in placements(ranking, suit, cards, kind, length)
    )


def forced(ranking: Ranking, thrown: int, others: Iterable[int]) -> int | None:
    """What must be led instead of a throw that some other hand beats; None: the throw stands.

    Of the beaten components the smallest: lowest bottom rung, fewer cards, suit d c h s.
    """
    components = decompose(ranking, thrown)
    suit = ranking.suit(thrown)
    assert suit is not None
    mask = ranking.suit_masks[suit]
    hands = [hand & mask for hand in others]
    beaten = [c for c in components if is_beaten(ranking, suit, c, hands)]
    if not beaten:
        return None
    least = min(beaten, key=lambda c: (c.bottom, c.size(), min(t % 4 for t in types_of(c.cards))))
    return least.cards


def is_beaten(ranking: Ranking, suit: int, component: Component, hands: Sequence[int]) -> bool:
    """Whether one of the hands holds the same kind with a strictly higher top."""
    kind, length, top = component.kind, component.length, component.top
    above = ranking.above[suit][top]
    if kind == SINGLE:
        return any(hand & above for hand in hands)
    if kind == PAIR:
        return any(pairs(hand) & above for hand in hands)
    if kind == TRIPLE:
        return any(triples(hand) & above for hand in hands)
    return any(_has_run_above(ranking, suit, hand, COPIES[kind], length, top) for hand in hands)


def _has_run_above(
    ranking: Ranking, suit: int, hand: int, copies: int, length: int, top: int
) -> bool:
    rungs = rungs_held(ranking, suit, hand, copies)
    return bool(rungs) and rungs[-1] > top and runs_of(rungs, length)[-1:] > [top]
