"""The combinations of Dou Dizhu for five, and what its bombs count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from games.doudizhu.two_decks import FOUR_JOKERS
from paiju.rules.climbing import TWO_DECKS, Combos, Finder, Kind
from paiju.rules.climbing.packed import BJ_RANK, ONE, RJ_RANK

_DOUBLING_BOMBS = frozenset({"5", "6", "7", "8", "J3", "J4"})
_BJ, _RJ = ONE[BJ_RANK], ONE[RJ_RANK]

LADDER: Mapping[tuple[str, int], int] = {
    ("bomb", 4): 1,
    ("joker_bomb", 2): 2,
    ("bomb", 5): 3,
    ("bomb", 6): 4,
    ("joker_bomb", 3): 5,
    ("bomb", 7): 6,
    ("bomb", 8): 7,
    ("joker_bomb", 4): 8,
}
COMBOS = Combos(
    (
        Kind(
            "joker_bomb",
            1,
            bomb=True,
            sets=(2 * _BJ, 2 * _RJ, 2 * _BJ + _RJ, _BJ + 2 * _RJ, FOUR_JOKERS),
        ),
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 2, 8),
        Kind("plane_pair", 3, 2, 4, pairs=1),
        Kind("pair_straight", 2, 3, 12),
        Kind("straight", 1, 5, 12),
        Kind("trio_pair", 3, pairs=1),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=24,
    deck=TWO_DECKS,
    ladder=LADDER,
)
"""7,795 legal sets, each with one reading."""
FINDER = Finder(COMBOS)


def doubling(bombs: Iterable[str]) -> int:
    """What these bombs multiply the stakes by."""
    return 1 << sum(bomb in _DOUBLING_BOMBS for bomb in bombs)
