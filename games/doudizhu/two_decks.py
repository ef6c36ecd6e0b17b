"""What the two-deck games against three share: bombs of four to eight cards, the four jokers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from paiju.rules.climbing import Kind, Reading
from paiju.rules.climbing.packed import JOKERS

FOUR_JOKERS = 2 * JOKERS
JOKER_BOMB = Kind("joker_bomb", 1, bomb=True, sets=(FOUR_JOKERS,))
LADDER: Mapping[tuple[str, int], int] = {
    **{("bomb", cards): cards for cards in range(4, 9)},
    ("joker_bomb", 4): 9,
}
"""More cards beat fewer; the four jokers beat all."""

_FACTORS = {"6": 2, "7": 2, "8": 3, "J4": 3}


def bomb_name(bomb: Reading) -> str:
    """As golden cases write it: "4".."8", "J2".."J4"."""
    return f"J{bomb.length}" if bomb.kind == "joker_bomb" else str(bomb.length)


def factor(bombs: Iterable[str]) -> int:
    """What these bombs multiply the stakes by: 6 and 7 cards 2, 8 cards and four jokers 3."""
    product = 1
    for bomb in bombs:
        product *= _FACTORS.get(bomb, 1)
    return product
