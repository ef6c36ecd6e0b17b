"""The hands of the bull games: their kinds, their total order, and how they split.

A bull is three cards whose points make 10, 20 or 30; the last digit of the other two names it.
That digit is the last digit of all five cards together, whichever three are taken. So the
kind follows from the five ranks alone and is kept in a table (6,175 sets of ranks); the
strength of a hand is one integer that compares like the hands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple

from paiju.rules.cards import RANKS, cards_of, mask_of
from paiju.rules.climbing.packed import ONE, counts_of

HAND = 5
DECK = 52
POINTS = tuple(10 if rank in "TJQK" else 1 if rank == "A" else int(rank) for rank in RANKS)
"""Points of each rank, in the order of paiju.rules.cards: 3 .. K A 2."""
ORDER = tuple((rank + 2) % 13 for rank in range(13))
"""Place of each rank among single cards: A lowest, then 2 3 .. K."""
NO_BULL = 0
BULL_BULL = 10
BULLS = ("no_bull", *(f"bull_{digit}" for digit in range(1, 10)), "bull_bull")

_CARD_POINTS = tuple(POINTS[card // 4] for card in range(DECK))
_ALL = (1 << DECK) - 1
_LOWEST = 44
"""The aces' place in a set of cards; A and 2 come after K there."""
_KIND = 7
_TEN = RANKS.index("T")
_FIXED = 1 << 6
"""Set in a strength that the kind and the ranks settle, without the highest card."""


class Special(NamedTuple):
    """A kind above all bulls. holds: whether ranks (with their number) are of the kind."""

    name: str
    holds: Callable[[Counter[int]], bool]
    by_group: bool = False
    """Equals compare by the rank of the most frequent card, not by the highest card."""


FOUR_BOMB = Special("four_bomb", lambda ranks: 4 in ranks.values(), by_group=True)
FIVE_FLOWER = Special("five_flower", lambda ranks: _flowers(ranks) == HAND)
FOUR_FLOWERS = Special("four_flowers", lambda ranks: _flowers(ranks) == 4 and ranks[_TEN] == 1)
FIVE_FLOWERS = Special("five_flowers", lambda ranks: _flowers(ranks) == HAND)


def _flowers(ranks: Counter[int]) -> int:
    return sum(ranks[RANKS.index(rank)] for rank in "JQK")


@lru_cache(1 << 12)
def splits(hand: int) -> tuple[int, ...]:
    """Every three cards of the hand that make 10, 20 or 30, as sets of cards."""
    return tuple(
        mask_of(three)
        for three in combinations(cards_of(hand), 3)
        if sum([_CARD_POINTS[card] for card in three]) % 10 == 0
    )


def points_of(cards: int) -> int:
    return sum([_CARD_POINTS[card] for card in cards_of(cards)])


def highest(hand: int) -> int:
    """Place 0..51 of the greatest card: by rank (A low), then d c h s."""
    return ((hand << 8 | hand >> _LOWEST) & _ALL).bit_length() - 1


def highest_card(hand: int) -> int:
    """The greatest card itself, numbered as in paiju.rules.cards."""
    return (highest(hand) + _LOWEST) % DECK


class Bulls:
    """The kinds of one rule set, lowest first, and the strength of hands."""

    strength: Callable[[int], int]
    """Of a hand: the greater, the better; two hands of one deck are never equal."""

    def __init__(self, *specials: Special) -> None:
        self.strength = lru_cache(1 << 12)(self._strength)  # asked several times at a showdown
        self.names = (*BULLS, *(special.name for special in specials))
        self._specials = specials
        self._table = {
            sum(ONE[rank] for rank in ranks): self._base(Counter(ranks))
            for ranks in combinations_with_replacement(range(13), HAND)
            if max(Counter(ranks).values()) <= 4
        }

    def _base(self, ranks: Counter[int]) -> int:
        """The strength of these ranks, as far as the highest card does not decide."""
        for place in reversed(range(len(self._specials))):
            special = self._specials[place]
            if special.holds(ranks):
                kind = len(BULLS) + place << _KIND
                if special.by_group:
                    group, _ = ranks.most_common(1)[0]
                    return kind | _FIXED | ORDER[group]
                return kind
        points = [POINTS[rank] for rank in ranks.elements()]
        if all(sum(three) % 10 for three in combinations(points, 3)):
            return NO_BULL
        return (sum(points) % 10 or BULL_BULL) << _KIND

    def _strength(self, hand: int) -> int:
        base = self._table[counts_of(hand)]
        return base if base & _FIXED else base | highest(hand)

    def given_up(self, hand: int) -> int:
        """The strength of a hand that counts as no bull whatever it is."""
        return NO_BULL << _KIND | highest(hand)


def kind_of(strength: int) -> int:
    """The number of the kind of a hand of that strength."""
    return strength >> _KIND


def group_rank(strength: int) -> int | None:
    """The rank (0..12 = 3..2) of the four that decides; None when the highest card does."""
    if not strength & _FIXED:
        return None
    return ORDER.index(strength & _FIXED - 1)


def best_split(hand: int) -> int:
    """The first split of a hand, 0 when it has none: as good as any other."""
    found = splits(hand)
    return found[0] if found else 0


def player_wins(player: int, banker: int, *, ties_to_banker: bool) -> bool:
    """Whether a player's strength wins against the banker's.

    ties_to_banker: equal bulls (bull_1 .. bull_bull) are the banker's without a look at cards.
    """
    if ties_to_banker:
        kind = kind_of(player)
        if kind == kind_of(banker) and NO_BULL < kind <= BULL_BULL:
            return False
    return player > banker
