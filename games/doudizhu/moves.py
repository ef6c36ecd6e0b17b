"""Which plays a hand holds: as packed rank counts, and as cards.

Suits never matter for what may be played, so plays are listed once per multiset of ranks,
each with the lowest suits that the hand has.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from games.doudizhu.combos import (
    BOMBS,
    CARD_COUNTS,
    ONE,
    READINGS,
    Reading,
    bodies,
    covers,
    power,
)
from paiju.rules.cards import cards_of

_BODIES = tuple(bodies())


def counts_of(mask: int) -> int:
    """Packed rank counts of a set of cards."""
    return sum(CARD_COUNTS[card] for card in cards_of(mask))


def pick(hand: int, counts: int) -> int:
    """The cards with these counts and the lowest suits; the hand must cover them."""
    mask = 0
    for rank in range(13):
        wanted = counts >> 4 * rank & 15
        held = hand >> 4 * rank & 15
        while wanted:
            low = held & -held
            mask |= low << 4 * rank
            held ^= low
            wanted -= 1
    return mask | (hand & (counts >> 52 & 1) << 52) | (hand & (counts >> 56 & 1) << 53)


def _wings(rest: int, body_ranks: int, cards: int, pairs: int) -> Iterator[int]:
    """Wings that `rest` (the hand without the body's ranks) can give."""
    if cards:
        yield from _choose(rest, cards, 1)
    else:
        yield from _choose(rest & ~(0xFF << 52), pairs, 2)


def _choose(rest: int, number: int, step: int, rank: int = 0) -> Iterator[int]:
    """All ways to take `number` groups of `step` equal cards from `rest`, packed."""
    if number == 0:
        yield 0
        return
    for r in range(rank, 15):
        held = rest >> 4 * r & 15
        for groups in range(1, min(number, held // step) + 1):
            taken = ONE[r] * step * groups
            for more in _choose(rest, number - groups, step, r + 1):
                yield taken + more


def _without(counts: int, body: int) -> int:
    """`counts` with every rank of the body emptied."""
    for rank in range(15):
        if body >> 4 * rank & 15:
            counts &= ~(15 << 4 * rank)
    return counts


@lru_cache(maxsize=4096)
def leads(hand: int) -> tuple[int, ...]:
    """Packed counts of every play that the hand can lead, each once."""
    found: dict[int, None] = {}
    for _, _, _, body, cards, pairs in _BODIES:
        if not covers(hand, body):
            continue
        if cards or pairs:
            rest = _without(hand, body)
            for wings in _wings(rest, body, cards, pairs):
                found[body + wings] = None
        else:
            found[body] = None
    return tuple(found)


@lru_cache(maxsize=4096)
def follows(hand: int, table: Reading) -> tuple[int, ...]:
    """Packed counts of every play that beats the reading on the table, each once."""
    found: dict[int, None] = {}
    for kind, rank, length, body, cards, pairs in _BODIES:
        if kind in BOMBS:
            if table.kind in BOMBS and power(Reading(kind, rank, length)) <= power(table):
                continue
        elif kind != table.kind or length != table.length or rank <= table.rank:
            continue
        if not covers(hand, body):
            continue
        if cards or pairs:
            rest = _without(hand, body)
            for wings in _wings(rest, body, cards, pairs):
                found[body + wings] = None
        else:
            found[body] = None
    return tuple(found)


def other_kinds(counts: int) -> tuple[str, ...]:
    """Kinds besides the default one that a leader may name for these cards."""
    readings = READINGS[counts]
    first = readings[0].kind
    return tuple(dict.fromkeys(r.kind for r in readings if r.kind != first))
