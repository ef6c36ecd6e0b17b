"""Hint sets: leads and follows worth a thought, all of them legal.

The full sets are too large to list (any cards of a suit may be thrown). Listed are all
single components that a hand holds and two throws per suit; and of the follows one for each
way to do the duty and each height of winning, filled up cheaply, dearly, or with points.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from paiju.rules.tricks.contest import is_beaten, placements
from paiju.rules.tricks.follow import cores, duties, filled
from paiju.rules.tricks.packs import UNITS, pairs, size_of, triples, types_of
from paiju.rules.tricks.ranking import TRUMP, Ranking
from paiju.rules.tricks.shapes import SINGLE, TITANIC, TRACTOR, Shape, decompose

_CORES = 12
"""Ways to do the duty that are listed per order of filling."""


def leads(ranking: Ranking, hand: int) -> Iterator[int]:
    """Every single component in the hand (of equal cards on a rung all types)."""
    for suit, mask in enumerate(ranking.suit_masks):
        if hand & mask:
            yield from _suit_leads(ranking, suit, hand & mask)


@lru_cache(maxsize=1 << 12)
def _suit_leads(ranking: Ranking, suit: int, own: int) -> tuple[int, ...]:
    found = [UNITS[card] for card in types_of(own)]
    twice = pairs(own)
    if not twice:
        return tuple(found)
    found += [2 * UNITS[card] for card in types_of(twice)]
    for length in range(2, twice.bit_count() + 1):
        runs = [cards for _, cards in placements(ranking, suit, own, TRACTOR, length)]
        if not runs:
            break
        found += runs
    found += [3 * UNITS[card] for card in types_of(triples(own))]
    found += [cards for _, cards in placements(ranking, suit, own, TITANIC, 2)]
    return tuple(found)


def throws(ranking: Ranking, hand: int, unseen: int) -> Iterator[int]:
    """Per suit the whole suit, and all of it that nobody can beat.

    unseen: the cards that others may hold.
    """
    for suit, mask in enumerate(ranking.suit_masks):
        own = hand & mask
        components = decompose(ranking, own) if own else ()
        if len(components) < 2:
            continue
        yield own
        out = [unseen & mask]
        safe = sum(c.cards for c in components if not is_beaten(ranking, suit, c, out))
        if safe and safe != own and len(decompose(ranking, safe)) > 1:
            yield safe


def follows(ranking: Ranking, suit: int, shape: Shape, size: int, hand: int) -> Iterator[int]:
    """Legal follows to a lead of that suit, shape and size."""
    own = hand & ranking.suit_masks[suit]
    orders = (ranking.place, ranking.rich, ranking.dear)
    if size_of(own) <= size:
        if not own:
            yield from _ruffs(ranking, suit, shape, size, hand)
        missing = size - size_of(own)
        if missing == 1:
            for card in types_of(hand - own):
                yield own + UNITS[card]
            return
        for order in orders:
            yield filled(own, hand, size, order)
        return
    if size == 1:
        for card in types_of(own):
            yield UNITS[card]
        return
    yield from matching(ranking, suit, shape, size, own)
    owed = duties(shape)
    for order in orders:
        for core in islice(cores(ranking, suit, owed, own, order, every=False), _CORES):
            yield filled(core, own, size, order)


def _ruffs(ranking: Ranking, suit: int, shape: Shape, size: int, hand: int) -> Iterator[int]:
    trumps = hand & ranking.suit_masks[TRUMP]
    if suit != TRUMP and size_of(trumps) >= size:
        yield from matching(ranking, TRUMP, shape, size, trumps)


def matching(ranking: Ranking, suit: int, shape: Shape, size: int, own: int) -> Iterator[int]:
    """Sets of one suit that compete, one for each height, the rest of each as cheap as can be."""
    kind, length = shape[0]
    done = -1
    for top, taken in placements(ranking, suit, own, kind, length):
        if top == done:
            continue
        whole = _completed(ranking, suit, shape[1:], taken, own - taken)
        if whole is not None:
            done = top
            yield filled(whole, own, size, ranking.place)


def _completed(ranking: Ranking, suit: int, shape: Shape, taken: int, rest: int) -> int | None:
    """`taken` and the lowest cards that play the other roles but those of singles."""
    if not shape or shape[0][0] == SINGLE:
        return taken
    kind, length = shape[0]
    options: Sequence[tuple[int, int]] = list(placements(ranking, suit, rest, kind, length))
    for _, more in reversed(options):
        whole = _completed(ranking, suit, shape[1:], taken + more, rest - more)
        if whole is not None:
            return whole
    return None
