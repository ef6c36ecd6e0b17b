"""Effective suits and rungs: how cards rank once level and trump suit are known.

Trump is a suit of its own (jokers, level cards, the trump suit, with permanent twos all 2s).
Within a suit cards stand on rungs, 0 the lowest; cards on one rung are equal, rungs that
follow each other are adjacent, so the gap of the level rank is closed.
"""

from __future__ import annotations

from functools import lru_cache

from paiju.rules.cards import BJ, DECK, RANKS, RJ
from paiju.rules.tricks.packs import UNITS, size_of

SUITS = 4
TRUMP = 4
"""The effective suit of trumps; 0..3 are the side suits d c h s."""
NO_TRUMP = 4
"""As the trump suit: only jokers, level cards and permanent twos are trump."""
TWO = 12
"""Rank number of the 2 (paiju.rules.cards)."""

NATURAL = (TWO, *range(TWO))
"""Ranks from low to high within a suit: 2 3 ... K A."""
_ALL_COPIES = 3


def _all_of(*ranks: int) -> int:
    return sum(_ALL_COPIES * UNITS[rank * 4 + suit] for rank in ranks for suit in range(SUITS))


_FIVES, _TENS = _all_of(RANKS.index("5")), _all_of(RANKS.index("T"), RANKS.index("K"))
POINT_CARDS = _FIVES | _TENS


def points_of(cards: int) -> int:
    """Card points of a set: 5 = 5, T = 10, K = 10."""
    if not cards & POINT_CARDS:
        return 0
    return 5 * size_of(cards & _FIVES) + 10 * size_of(cards & _TENS)


class Ranking:
    """Immutable; `ranking()` shares one per level, trump suit and permanence of twos.

    suit_of, rung_of: per card. rungs[suit][rung]: the cards there, suits s h c d.
    rung_masks: the same as sets with all copies. suit_masks: all copies of a suit's cards.
    above[suit][rung]: all copies of what is higher.
    place: of each card in the order in which an absent player gives cards up, 0 the first;
    dear: in the opposite order; rich: the same order, but cards with points first.
    """

    def __init__(self, level: int, trump: int, *, two_is_trump: bool) -> None:
        self.level = level
        self.trump = trump
        self.two_is_trump = two_is_trump
        plain = [r for r in NATURAL if r != level and not (two_is_trump and r == TWO)]
        sides = [suit for suit in range(SUITS) if suit != trump]
        self.rungs: list[list[tuple[int, ...]]] = [
            [(rank * 4 + suit,) for rank in plain] if suit != trump else [] for suit in range(SUITS)
        ]
        trumps: list[tuple[int, ...]] = []
        if trump != NO_TRUMP:
            trumps += [(rank * 4 + trump,) for rank in plain]
        if two_is_trump and level != TWO:
            trumps += _off_and_main(TWO, trump, sides)
        trumps += _off_and_main(level, trump, sides)
        self.rungs.append([*trumps, (BJ,), (RJ,)])

        self.suit_of = [TRUMP] * DECK
        self.rung_of = [0] * DECK
        for suit, rungs in enumerate(self.rungs):
            for rung, cards in enumerate(rungs):
                for card in cards:
                    self.suit_of[card], self.rung_of[card] = suit, rung
        self.rung_masks = [
            [sum(_ALL_COPIES * UNITS[card] for card in cards) for cards in rungs]
            for rungs in self.rungs
        ]
        self.suit_masks = [sum(masks) for masks in self.rung_masks]
        self.above = [
            [sum(masks[rung + 1 :]) for rung in range(len(masks))] for masks in self.rung_masks
        ]
        cheap = sorted(range(DECK), key=self.cheapness)
        self.place = _places(cheap)
        self.dear = _places(cheap[::-1])
        self.rich = _places(sorted(cheap, key=lambda card: not UNITS[card] & POINT_CARDS))

    def cheapness(self, card: int) -> tuple[bool, bool, int, int]:
        """Side before trump, no points before points, lower rung, suit d c h s."""
        return (
            self.suit_of[card] == TRUMP,
            bool(UNITS[card] & POINT_CARDS),
            self.rung_of[card],
            card % 4 if card < BJ else 0,
        )

    def suit(self, cards: int) -> int | None:
        """The one effective suit of a set; None for several or the empty set."""
        for suit, mask in enumerate(self.suit_masks):
            if cards & mask:
                return None if cards & ~mask else suit
        return None


def _places(order: list[int]) -> list[int]:
    places = [0] * DECK
    for place, card in enumerate(order):
        places[card] = place
    return places


def _off_and_main(rank: int, trump: int, sides: list[int]) -> list[tuple[int, ...]]:
    """The rungs of a permanent rank: other suits below the trump suit; one when there is none."""
    off = tuple(rank * 4 + suit for suit in reversed(sides))
    return [off] if trump == NO_TRUMP else [off, (rank * 4 + trump,)]


@lru_cache(maxsize=512)
def ranking(level: int, trump: int, two_is_trump: bool) -> Ranking:
    """level: rank number; trump: suit 0..3 or NO_TRUMP."""
    return Ranking(level, trump, two_is_trump=two_is_trump)
