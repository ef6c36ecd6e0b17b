"""The kinds of play in the default order of readings, and the wuhuaguo hands."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from paiju.rules.cards import RANKS
from paiju.rules.climbing import Combos, Finder, Kind
from paiju.rules.climbing.decks import NO_JOKERS
from paiju.rules.climbing.packed import count_of, counts_of

HAND = 13
_LONGEST = 12
_FOUR = 4


class Kinds(NamedTuple):
    """Tables for one shortest straight."""

    combos: Combos
    finder: Finder


@cache
def kinds(straight_min: int) -> Kinds:
    """straight_min: 3..12 cards."""
    combos = Combos(
        (
            Kind("single", 1),
            Kind("pair", 2),
            Kind("triple", 3),
            Kind("bomb", 4, bomb=True),
            Kind("triple_single", 3, cards=1),
            Kind("triple_pair", 3, pairs=1),
            Kind("four_two_singles", 4, cards=2),
            Kind("four_two_pairs", 4, pairs=2, distinct=True),
            Kind("straight", 1, straight_min, _LONGEST),
            Kind("pair_run", 2, 2, 6),
            Kind("triple_run", 3, 2, 4),
            Kind("triple_run_singles", 3, 2, 3, cards=1),
            Kind("triple_run_pairs", 3, 2, 2, pairs=1, distinct=True),
        ),
        hand_max=HAND,
        deck=NO_JOKERS,
        ladder={("bomb", 4): 1},
    )
    return Kinds(combos, Finder(combos))


_SMALL = RANKS.index("T")


def figs(hand: int) -> list[str]:
    """The names of all wuhuaguo hands that 13 cards form; none for fewer cards."""
    if hand.bit_count() != HAND:
        return []
    counts = counts_of(hand)
    held: Sequence[int] = [count_of(counts, rank) for rank in range(len(RANKS))]
    forms = {
        "four_threes": held[RANKS.index("3")] == _FOUR,
        "four_twos": held[RANKS.index("2")] == _FOUR,
        "six_pairs": sum(number % 2 for number in held) == 1,
        "dragon": set(held) == {1},
        "all_small": not any(held[_SMALL + 1 :]),
    }
    return [name for name, holds in forms.items() if holds]
