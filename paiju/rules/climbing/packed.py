"""Rank counts packed into one integer: four bits a rank, 3 first, BJ and RJ last.

Suits never decide what may be played in this family, so hands and plays are compared, added
and subtracted as such numbers. `ONE[rank]` is one card; a whole hand is one integer of 60
bits, and the eight equal cards of two decks still fit. Masks of ranks ("spaced") have the
lowest bit of each rank's four.
"""

from __future__ import annotations

from typing import Final

from paiju.rules.cards import RANK_OF

RANKS: Final = 15
RUN_RANKS: Final = 12
"""3..A may be consecutive."""
BJ_RANK: Final = 13
RJ_RANK: Final = 14

ONE: Final = tuple(1 << 4 * rank for rank in range(RANKS))
CARD_COUNTS: Final = tuple(ONE[rank] for rank in RANK_OF)
SPACED: Final = sum(ONE)
RUN_MASK: Final = sum(ONE[:RUN_RANKS])
PAIR_MASK: Final = sum(ONE[:BJ_RANK])
"""Ranks that can be pairs and more: all but the jokers."""
JOKERS: Final = ONE[BJ_RANK] | ONE[RJ_RANK]
FROM: Final = (*(SPACED >> 4 * rank << 4 * rank for rank in range(RANKS)), 0)
"""FROM[rank]: the ranks from there up; FROM[15] is empty."""

_SUITS: Final = (1 << 52) - 1
_BYTES: Final = 0x0F0F0F0F0F0F0F0F
_ODD: Final = 0x5555555555555 & _SUITS
_LOW_PAIRS: Final = 0x3333333333333 & _SUITS
_BORROWS: Final = SPACED & ~1 | 1 << 60
_LOWEST: Final = tuple(
    tuple(sum(1 << bit for bit in [b for b in range(4) if held >> b & 1][:n]) for held in range(16))
    for n in range(5)
)
"""_LOWEST[n][held]: the n lowest suits of those held."""


def counts_of(cards: int) -> int:
    """Packed counts of a set of cards (bits as in paiju.rules.cards)."""
    x = cards & _SUITS
    x -= x >> 1 & _ODD
    return (x & _LOW_PAIRS) + (x >> 2 & _LOW_PAIRS) | cards & 1 << 52 | (cards & 1 << 53) << 3


def count_of(counts: int, rank: int) -> int:
    return counts >> 4 * rank & 15


def size_of(counts: int) -> int:
    """Number of cards, below 255."""
    return ((counts & _BYTES) + (counts >> 4 & _BYTES)) % 255


def covers(hand: int, play: int) -> bool:
    """Whether a hand has all cards of a play: the subtraction borrows from no rank."""
    rest = hand - play
    return rest >= 0 and not (hand ^ play ^ rest) & _BORROWS


def held(counts: int) -> tuple[int, int, int, int]:
    """Spaced masks of the ranks held at least once, twice, three and four times."""
    two = counts >> 1
    four = counts >> 2 | counts >> 3
    return (
        (counts | two | four) & SPACED,
        (two | four) & SPACED,
        (four | two & counts) & SPACED,
        four & SPACED,
    )


def held_more(counts: int) -> tuple[int, int, int, int]:
    """Spaced masks of the ranks held at least five, six, seven and eight times."""
    two, four, eight = counts >> 1, counts >> 2, counts >> 3
    return (
        (eight | four & (two | counts)) & SPACED,
        (eight | four & two) & SPACED,
        (eight | four & two & counts) & SPACED,
        eight & SPACED,
    )


def ranks_of(counts: int) -> int:
    """All four bits of every rank that occurs: what wings must keep off."""
    counts |= counts >> 2
    counts |= counts >> 1
    return (counts & SPACED) * 15


def run(first: int, length: int, copies: int) -> int:
    """Packed counts of consecutive ranks."""
    return sum(ONE[rank] * copies for rank in range(first, first + length))


def pick(hand: int, counts: int) -> int:
    """The cards of `hand` with these counts, lowest suits first; the hand must cover them."""
    cards = 0
    if counts >> 52:
        cards = counts & 1 << 52 | counts >> 3 & 1 << 53
        counts &= _SUITS
    while counts:
        shift = (counts & -counts).bit_length() - 1 & 60
        n = counts >> shift & 15
        cards |= _LOWEST[n][hand >> shift & 15] << shift
        counts ^= n << shift
    return cards
