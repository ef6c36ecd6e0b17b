"""The combinations of Dou Dizhu, in the default order of readings."""

from __future__ import annotations

from paiju.rules.climbing import ROCKET, Combos, Finder, Kind

HAND_MAX = 20

COMBOS = Combos(
    (
        ROCKET,
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 2, 6),
        Kind("plane_pair", 3, 2, 4, pairs=1),
        Kind("plane_single", 3, 2, 5, cards=1),
        Kind("four_two_pair", 4, pairs=2),
        Kind("four_two_single", 4, cards=2),
        Kind("pair_straight", 2, 3, 10),
        Kind("straight", 1, 5, 12),
        Kind("trio_pair", 3, pairs=1),
        Kind("trio_single", 3, cards=1),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=HAND_MAX,
)
"""33,675 legal sets, 34,152 readings."""

FINDER = Finder(COMBOS)
