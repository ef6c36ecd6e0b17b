"""Multisets of cards of up to three decks, as integers: two bits a card hold its copies.

Cards are the numbers of `paiju.rules.cards`. Sets are added and subtracted as integers where
one covers the other (`covers`); `pairs` and `triples` mark the cards held at least so often.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from paiju.rules.cards import DECK, NAMES, parse_card

COPIES = 3
UNITS = tuple(1 << 2 * card for card in range(DECK))
"""One card as a set."""
ONES = sum(UNITS)
"""Each card once: the lower bits of all fields."""
SIZE_BYTES = (2 * DECK + 7) // 8
"""Bytes that hold any set."""

_BORROWS = ONES & ~1 | 1 << 2 * DECK
_NUMBERS = {unit: card for card, unit in enumerate(UNITS)}


def set_of(cards: Iterable[int]) -> int:
    """ValueError for a fourth copy."""
    total = 0
    for card in cards:
        if total >> 2 * card & 3 == COPIES:
            raise ValueError(f"{NAMES[card]} is named too often")
        total += UNITS[card]
    return total


def parse_set(text: str) -> int:
    """ValueError for what is no card, or named too often. "" is the empty set."""
    return set_of(parse_card(name) for name in text.split())


def covers(cards: int, part: int) -> bool:
    """Whether `cards` has all of `part`: the subtraction borrows from no card."""
    rest = cards - part
    return rest >= 0 and not (cards ^ part ^ rest) & _BORROWS


def meet(left: int, right: int) -> int:
    """What both have, the smaller number of copies of each card."""
    singles, pairs = left & right & ONES, left & right & ONES << 1
    # Two against one copy: the one counts, and no bit is common.
    crossed = (left & right >> 1 | left >> 1 & right) & ONES & ~(pairs >> 1)
    return singles | pairs | crossed


def join(left: int, right: int) -> int:
    """Of each card the larger number of copies."""
    return left + right - meet(left, right)


def size_of(cards: int) -> int:
    """Number of cards."""
    return (cards & ONES).bit_count() + 2 * (cards & ONES << 1).bit_count()


def copies_of(cards: int, card: int) -> int:
    return cards >> 2 * card & 3


def pairs(cards: int) -> int:
    """The cards held twice or three times, each once."""
    return cards >> 1 & ONES


def triples(cards: int) -> int:
    """The cards held three times, each once."""
    return cards & cards >> 1 & ONES


def types_of(cards: int) -> Iterator[int]:
    """The different cards of a set, ascending."""
    ones = (cards | cards >> 1) & ONES
    while ones:
        low = ones & -ones
        yield _NUMBERS[low]
        ones ^= low


def cards_of(cards: int) -> list[int]:
    """All cards, ascending, equal ones repeated."""
    out: list[int] = []
    for card in types_of(cards):
        out += [card] * (cards >> 2 * card & 3)
    return out


_PER_BYTE = 4
_BY_BYTE = tuple(
    tuple(
        [
            name
            for position, name in enumerate(NAMES[low : low + _PER_BYTE])
            for _ in range(byte >> 2 * position & 3)
        ]
        for byte in range(256)
    )
    for low in range(0, DECK, _PER_BYTE)
)


def names_of(cards: int) -> list[str]:
    """The names of a set, ascending, equal ones repeated."""
    out: list[str] = []
    for names in _BY_BYTE:
        out += names[cards & 255]
        cards >>= 8
    return out


def text_of(cards: int) -> str:
    return " ".join(names_of(cards))
