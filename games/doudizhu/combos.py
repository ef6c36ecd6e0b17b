"""Card combinations (牌型) of the one-deck games: every legal set and all its readings.

A set of cards counts by its ranks only. Ranks 0..14 are 3..2, BJ, RJ; counts are packed four
bits a rank into one integer ("counts"), so that hands and plays add and subtract as numbers.
There are 33,675 legal sets with 34,152 readings; they are built once, by the definitions of
the family's specification (section 3), and `READINGS` answers what a set is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from paiju.rules.cards import RANK_NAMES, RANK_OF

HAND_MAX = 20
RUN_RANKS = 12  # 3..A
SMALL_JOKER, BIG_JOKER = 13, 14
ONE = tuple(1 << 4 * rank for rank in range(15))
"""One card of each rank, packed."""
CARD_COUNTS = tuple(ONE[rank] for rank in RANK_OF)
FULL = (*(4,) * 13, 1, 1)
"""Cards of each rank in the deck."""

KINDS = (
    "rocket",
    "bomb",
    "trio_straight",
    "plane_pair",
    "plane_single",
    "four_two_pair",
    "four_two_single",
    "pair_straight",
    "straight",
    "trio_pair",
    "trio_single",
    "trio",
    "pair",
    "single",
)
"""In the default order of readings: the first that fits is laid when the leader names none."""

BOMBS = frozenset({"rocket", "bomb"})


class Reading(NamedTuple):
    """What a set of cards is played as. rank 0..14; length as the specification says."""

    kind: str
    rank: int
    length: int

    def shown(self) -> dict[str, object]:
        return {"kind": self.kind, "rank": RANK_NAMES[self.rank], "length": self.length}


def power(reading: Reading) -> tuple[int, int]:
    """Strength of a bomb-like reading: the rocket is above all bombs."""
    return (2, 0) if reading.kind == "rocket" else (1, reading.rank)


def beats(follow: Reading, lead: Reading) -> bool:
    """Whether a reading may be laid on another (specification, section 4)."""
    if follow.kind in BOMBS:
        return lead.kind not in BOMBS or power(follow) > power(lead)
    return follow.kind == lead.kind and follow.length == lead.length and follow.rank > lead.rank


def count_of(counts: int, rank: int) -> int:
    return counts >> 4 * rank & 15


def size_of(counts: int) -> int:
    """Number of cards."""
    size = 0
    while counts:
        size += counts & 15
        counts >>= 4
    return size


def covers(hand: int, play: int) -> bool:
    """Whether packed `hand` has all cards of packed `play` (no nibble borrows)."""
    rest = hand - play
    return rest >= 0 and not (hand ^ play ^ rest) & 0x1111111111111110


def _run(first: int, length: int, copies: int) -> int:
    return sum(ONE[rank] * copies for rank in range(first, first + length))


@cache
def wing_cards(number: int) -> tuple[int, ...]:
    """All multisets of so many single cards, packed."""
    out = []
    for ranks in combinations_with_replacement(range(15), number):
        if all(ranks.count(rank) <= FULL[rank] for rank in set(ranks)):
            out.append(sum(ONE[rank] for rank in ranks))
    return tuple(out)


@cache
def wing_pairs(number: int) -> tuple[int, ...]:
    """All multisets of so many pairs; four equal cards are two pairs, jokers never a pair."""
    out = []
    for ranks in combinations_with_replacement(range(13), number):
        if all(ranks.count(rank) <= 2 for rank in set(ranks)):
            out.append(sum(ONE[rank] * 2 for rank in ranks))
    return tuple(out)


def bodies() -> Iterator[tuple[str, int, int, int, int, int]]:
    """(kind, rank, length, packed body, wing cards, wing pairs) of every kind with a body."""
    for rank in range(15):
        yield "single", rank, 1, ONE[rank], 0, 0
    for rank in range(13):
        yield "pair", rank, 1, ONE[rank] * 2, 0, 0
        yield "trio", rank, 1, ONE[rank] * 3, 0, 0
        yield "trio_single", rank, 1, ONE[rank] * 3, 1, 0
        yield "trio_pair", rank, 1, ONE[rank] * 3, 0, 1
        yield "bomb", rank, 4, ONE[rank] * 4, 0, 0
        yield "four_two_single", rank, 1, ONE[rank] * 4, 2, 0
        yield "four_two_pair", rank, 1, ONE[rank] * 4, 0, 2
    yield "rocket", BIG_JOKER, 2, ONE[SMALL_JOKER] + ONE[BIG_JOKER], 0, 0
    for kind, copies, shortest, wings, pairs in (
        ("straight", 1, 5, 0, 0),
        ("pair_straight", 2, 3, 0, 0),
        ("trio_straight", 3, 2, 0, 0),
        ("plane_single", 3, 2, 1, 0),
        ("plane_pair", 3, 2, 0, 1),
    ):
        for length in range(shortest, RUN_RANKS + 1):
            if length * (copies + wings + 2 * pairs) > HAND_MAX:
                break
            for first in range(RUN_RANKS - length + 1):
                body = _run(first, length, copies)
                yield kind, first + length - 1, length, body, wings * length, pairs * length


def _ranks_used(counts: int) -> int:
    """The low bit of each nibble that is not zero."""
    counts |= counts >> 2
    counts |= counts >> 1
    return counts & 0x111111111111111


def _build() -> dict[int, tuple[Reading, ...]]:
    readings: dict[int, list[Reading]] = {}
    for kind, rank, length, body, cards, pairs in bodies():
        reading = Reading(kind, rank, length)
        wings: Sequence[int] = (0,)
        if cards:
            wings = wing_cards(cards)
        elif pairs:
            wings = wing_pairs(pairs)
        body_ranks = _ranks_used(body)
        for wing in wings:
            if not _ranks_used(wing) & body_ranks:
                readings.setdefault(body + wing, []).append(reading)
    order = {kind: place for place, kind in enumerate(KINDS)}
    return {
        counts: tuple(sorted(found, key=lambda r: (order[r.kind], -r.length, -r.rank)))
        for counts, found in readings.items()
    }


READINGS: dict[int, tuple[Reading, ...]] = _build()
"""Packed counts -> all readings, in the default order. A set that is not here is illegal."""


def reading_on(counts: int, table: Reading | None, kind: str | None) -> Reading | None:
    """The reading that is laid when these cards are played, or None when they may not be.

    table None: a lead. kind: the reading that the player asks for.
    """
    for reading in READINGS.get(counts, ()):
        if kind is not None and reading.kind != kind:
            continue
        if table is None or beats(reading, table):
            return reading
    return None
