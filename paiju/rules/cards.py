"""Playing cards as small integers, and their text.

One deck: `rank * 4 + suit` with ranks 0..12 = 3 4 5 6 7 8 9 T J Q K A 2 and suits 0..3 =
d c h s (the order in which equal ranks are told apart), then 52 = BJ and 53 = RJ. A set of
cards of one deck is an integer with those bits. Text: `3s Td Ah 2c BJ RJ`, single spaces.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

RANKS: Final = "3456789TJQKA2"
SUITS: Final = "dchs"
BJ: Final = 52
RJ: Final = 53
DECK: Final = 54

NAMES: Final[tuple[str, ...]] = (*(r + s for r in RANKS for s in SUITS), "BJ", "RJ")
BITS: Final = tuple(1 << card for card in range(DECK))
_NUMBERS: Final = {name: number for number, name in enumerate(NAMES)}

RANK_NAMES: Final[tuple[str, ...]] = (*RANKS, "BJ", "RJ")
"""Rank 0..14 as the specifications write it."""

RANK_OF: Final[tuple[int, ...]] = (*(card // 4 for card in range(52)), 13, 14)


def parse_card(text: str) -> int:
    """ValueError for anything but a card's name."""
    number = _NUMBERS.get(text)
    if number is None:
        raise ValueError(f"{text!r} is no card")
    return number


def parse_cards(text: str) -> list[int]:
    """Cards as written; ValueError names what is no card. "" is the empty list."""
    return [parse_card(name) for name in text.split()]


def format_cards(cards: Iterable[int]) -> str:
    return " ".join(NAMES[card] for card in cards)


def mask_of(cards: Iterable[int]) -> int:
    """The set as bits; ValueError when a card is named twice."""
    mask = 0
    for card in cards:
        bit = 1 << card
        if mask & bit:
            raise ValueError(f"{NAMES[card]} is named twice")
        mask |= bit
    return mask


def set_of(cards: Iterable[int]) -> int:
    """The set as bits, of cards that are different."""
    return sum([BITS[card] for card in cards])


def cards_of(mask: int) -> Iterator[int]:
    """The cards of a set, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


_BY_BYTE: Final = tuple(
    tuple([name for bit, name in enumerate(names) if byte >> bit & 1] for byte in range(256))
    for names in (NAMES[low : low + 8] for low in range(0, DECK, 8))
)


def names_of(mask: int) -> list[str]:
    """The names of a set, ascending."""
    out: list[str] = []
    for names in _BY_BYTE:
        out += names[mask & 255]
        mask >>= 8
    return out
