"""Four decks: multisets of cards as integers.

A card (numbers of `paiju.rules.cards`) has a field of three bits that holds how often it
occurs, 0 to 4; a rank has the twelve bits of its suits d c h s, 3 first, then 2, BJ, RJ. So
sets are added and subtracted as integers, and what a rank has in all (up to 16) fits the
same twelve bits: `counts_of` gives such packed counts, which is all that beating needs.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from paiju.rules.cards import BJ, DECK, NAMES, RJ, parse_cards

COPIES = 4

RANKS = 15
THREE, FOUR, TWO, BJ_RANK, RJ_RANK = 0, 1, 12, 13, 14

_RANK_BITS, _FIELD_BITS, _FIELD = 12, 3, 7
_RANK = (1 << _RANK_BITS) - 1
SIZE_BYTES = (_RANK_BITS * RANKS + 7) // 8
"""Bytes that hold any set."""

SHIFTS: tuple[int, ...] = (
    *(_RANK_BITS * (card // 4) + _FIELD_BITS * (card % 4) for card in range(BJ)),
    _RANK_BITS * BJ_RANK,
    _RANK_BITS * RJ_RANK,
)
UNITS = tuple(1 << shift for shift in SHIFTS)
"""One card as a set; ascending: by rank, then d c h s."""

ONE = tuple(1 << _RANK_BITS * rank for rank in range(RANKS))
"""One card of a rank, in packed counts."""
HIGH_FROM = ONE[TWO]
"""A set holds a 2 or a joker exactly when it is not less than this."""
JOKERS_FROM = ONE[BJ_RANK]
THREES = _RANK

_FOLD = sum(_FIELD << _RANK_BITS * rank for rank in range(RANKS))
_BORROWS = sum(1 << bit for bit in range(_FIELD_BITS, _RANK_BITS * RANKS + 1, _FIELD_BITS))
_COUNT_BORROWS = sum(1 << _RANK_BITS * (rank + 1) for rank in range(RANKS))
_EVEN = sum(_FIELD << bit for bit in range(0, _RANK_BITS * RANKS, 2 * _FIELD_BITS))
_ABOVE_EVEN = sum(8 << bit for bit in range(0, _RANK_BITS * RANKS, 2 * _FIELD_BITS))
_CARD_AT = {shift: card for card, shift in enumerate(SHIFTS)}


def set_of(cards: Iterable[int]) -> int:
    """ValueError when a card occurs more often than in four decks."""
    total = 0
    for card in cards:
        if total >> SHIFTS[card] & _FIELD == COPIES:
            raise ValueError(f"{NAMES[card]} is named more than {COPIES} times")
        total += UNITS[card]
    return total


def parse_set(text: str) -> int:
    """ "3s 3s BJ" -> set; ValueError for what is no card or too often there."""
    return set_of(parse_cards(text))


@lru_cache(1 << 13)
def names_of(cards: int) -> tuple[str, ...]:
    """All names, ascending, equal cards repeated."""
    return tuple([NAMES[card] for card in cards_of(cards)])


def text_of(cards: int) -> str:
    return " ".join(names_of(cards))


def counts_of(cards: int) -> int:
    """Packed counts: how many of each rank."""
    return (
        (cards & _FOLD)
        + (cards >> _FIELD_BITS & _FOLD)
        + (cards >> 2 * _FIELD_BITS & _FOLD)
        + (cards >> 3 * _FIELD_BITS & _FOLD)
    )


def size_of(cards: int) -> int:
    """Number of cards: the digits of the counts to the base 4096 sum to them modulo 4095."""
    return counts_of(cards) % _RANK


def count_of(cards: int, rank: int) -> int:
    """How many cards of a rank a set has."""
    group = cards >> _RANK_BITS * rank & _RANK
    return (group & 7) + (group >> 3 & 7) + (group >> 6 & 7) + (group >> 9)


def covers(hand: int, part: int) -> bool:
    """Whether `part` is in `hand`: the subtraction borrows from no field."""
    rest = hand - part
    return rest >= 0 and not (hand ^ part ^ rest) & _BORROWS


def minus(left: int, right: int) -> int:
    """What of `left` is not in `right`; fields stop at 0."""
    return left - common(left, right)


def common(left: int, right: int) -> int:
    """The largest set that is in both."""
    if covers(left, right):
        return right
    if covers(right, left):
        return left
    return _least(left, right, 0) + _least(left, right, _FIELD_BITS)


def _least(left: int, right: int, shift: int) -> int:
    """The smaller value in every second field, from `shift` on. The bit above such a field is
    free: it stays where the subtraction does not have to borrow it."""
    left, right = left >> shift & _EVEN, right >> shift & _EVEN
    stays = (left | _ABOVE_EVEN) - right & _ABOVE_EVEN
    fields = stays - (stays >> _FIELD_BITS)
    return (right & fields | left & ~fields) << shift


def union(left: int, right: int) -> int:
    """The smallest set that has both in it."""
    return left + minus(right, left)


@lru_cache(1 << 14)
def _group_cards(group: int, rank: int) -> tuple[int, ...]:
    cards: list[int] = []
    for suit in range(4):
        copies = group >> _FIELD_BITS * suit & _FIELD
        if copies:
            cards += [_CARD_AT[_RANK_BITS * rank + _FIELD_BITS * suit]] * copies
    return tuple(cards)


def cards_of(cards: int) -> list[int]:
    """Card numbers, ascending, equal cards repeated."""
    out: list[int] = []
    rank = 0
    while cards:
        group = cards & _RANK
        if group:
            out += _group_cards(group, rank)
        cards >>= _RANK_BITS
        rank += 1
    return out


@lru_cache(1 << 14)
def _lowest_of_group(group: int, n: int) -> int:
    taken = 0
    for shift in range(0, _RANK_BITS, _FIELD_BITS):
        copies = min(n, group >> shift & _FIELD)
        taken += copies << shift
        n -= copies
    return taken


def of_rank(hand: int, rank: int, n: int) -> int:
    """n cards of a rank that the hand has, lowest suits first."""
    shift = _RANK_BITS * rank
    return _lowest_of_group(hand >> shift & _RANK, n) << shift


def lowest(hand: int, n: int) -> int:
    """The n lowest cards, by rank and then d c h s; all when there are fewer."""
    return set_of(cards_of(hand)[:n])


def highest(hand: int, n: int) -> int:
    """The n highest cards, by rank and then s h c d; all when there are fewer."""
    return set_of(cards_of(hand)[-n:]) if n else 0


__all__ = [
    "BJ",
    "BJ_RANK",
    "COPIES",
    "DECK",
    "FOUR",
    "HIGH_FROM",
    "JOKERS_FROM",
    "ONE",
    "RANKS",
    "RJ",
    "RJ_RANK",
    "SIZE_BYTES",
    "THREE",
    "THREES",
    "TWO",
    "UNITS",
    "cards_of",
    "common",
    "count_of",
    "counts_of",
    "covers",
    "highest",
    "lowest",
    "minus",
    "names_of",
    "of_rank",
    "parse_set",
    "set_of",
    "size_of",
    "text_of",
    "union",
]
