"""The 48 cards of Paodekuai and its combinations, in the default order of readings."""

from __future__ import annotations

from collections.abc import Iterable

from paiju.rules import cards as names
from paiju.rules.climbing import Combos, Finder, Kind
from paiju.rules.climbing.decks import OneDeck

HAND_MAX = 16
OPENING = 1 << names.parse_card("3s")
"""Who is dealt it leads the first hand."""
_OUT = frozenset(map(names.parse_card, ("As", "2d", "2c", "2h", "BJ", "RJ")))
_CARDS = tuple(card for card in range(names.DECK) if card not in _OUT)
_PLACE = {card: place for place, card in enumerate(_CARDS)}


class FortyEight(OneDeck):
    """Without jokers, three twos (2s stays) and the ace of spades."""

    size = len(_CARDS)
    full = sum(1 << card for card in _CARDS)
    of_rank: tuple[int, ...] = (*(4,) * 11, 3, 1, 0, 0)

    @staticmethod
    def of(numbers: Iterable[int]) -> int:
        return sum(1 << _CARDS[number] for number in numbers)

    @staticmethod
    def places(cards: int) -> list[int]:
        return [_PLACE[card] for card in names.cards_of(cards)]


DECK = FortyEight()
COMBOS = Combos(
    (
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 2, 5),
        Kind("plane_pair", 3, 2, 3, pairs=1),
        Kind("pair_straight", 2, 2, 8),
        Kind("straight", 1, 5, 12),
        Kind("trio_pair", 3, pairs=1),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=HAND_MAX,
    deck=DECK,
    ladder={("bomb", 4): 1},
)
FINDER = Finder(COMBOS)
