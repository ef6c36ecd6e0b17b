"""Card combinations (牌型) of one deck: every legal set and all its readings.

A rule set lists its kinds in the default order of readings; the tables follow from the
definitions. The seven games of the family differ in kinds, lengths and wings only.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing.packed import (
    JOKERS,
    ONE,
    RANKS,
    RJ_RANK,
    RUN_RANKS,
    ranks_of,
    run,
)

FULL = (*(4,) * 13, 1, 1)
"""Cards of each rank in the deck."""


class Kind(NamedTuple):
    """One kind of combination: `run` groups of `copies` equal cards, and what they carry."""

    name: str
    copies: int
    shortest: int = 1
    longest: int = 1
    """Consecutive groups; 1 and 1 for kinds that are no run."""
    cards: int = 0
    """Wing cards per group."""
    pairs: int = 0
    """Wing pairs per group."""
    bomb: bool = False
    distinct: bool = False
    """Wing pairs must be of different ranks; else four equal cards are two pairs."""

    @property
    def is_run(self) -> bool:
        return self.longest > 1

    @property
    def winged(self) -> bool:
        return bool(self.cards or self.pairs)


ROCKET = Kind("rocket", 1, bomb=True)
"""Both jokers; above every bomb. The one kind that is not made of equal cards."""


class Reading(NamedTuple):
    """What a set of cards is played as. rank 0..14; length as the specifications say."""

    kind: str
    rank: int
    length: int

    def shown(self) -> dict[str, object]:
        return {"kind": self.kind, "rank": RANK_NAMES[self.rank], "length": self.length}


class Body(NamedTuple):
    """The cards that decide a reading, packed, with the number of wings that they carry."""

    reading: Reading
    counts: int
    cards: int
    pairs: int
    distinct: bool = False


@cache
def wing_cards(number: int) -> tuple[int, ...]:
    """All multisets of so many single cards, packed."""
    out = []
    for ranks in combinations_with_replacement(range(RANKS), number):
        if all(ranks.count(rank) <= FULL[rank] for rank in set(ranks)):
            out.append(sum(ONE[rank] for rank in ranks))
    return tuple(out)


@cache
def wing_pairs(number: int, distinct: bool = False) -> tuple[int, ...]:
    """All multisets of so many pairs; two of one rank unless distinct; jokers never a pair."""
    out = []
    for ranks in combinations_with_replacement(range(13), number):
        if all(ranks.count(rank) <= (1 if distinct else 2) for rank in set(ranks)):
            out.append(sum(ONE[rank] * 2 for rank in ranks))
    return tuple(out)


class Combos:
    """The tables of one rule set. kinds: in the default order; hand_max: the largest hand.

    readings: packed counts -> all readings in the default order (then longer, then higher);
    a set that is not there is illegal.
    """

    def __init__(self, kinds: Sequence[Kind], *, hand_max: int) -> None:
        self.kinds = tuple(kinds)
        self.names = tuple(kind.name for kind in kinds)
        self.bombs = frozenset(kind.name for kind in kinds if kind.bomb)
        self.by_name = {kind.name: kind for kind in kinds}
        self._hand_max = hand_max
        self.readings = self._build()

    def bodies(self) -> Iterator[Body]:
        """Every body of every kind."""
        for kind in self.kinds:
            if kind is ROCKET:
                yield Body(Reading(kind.name, RJ_RANK, 2), JOKERS, 0, 0)
            elif kind.is_run:
                yield from self._runs(kind)
            else:
                ranks = RANKS if kind.copies == 1 else RANKS - 2
                length = kind.copies if kind.bomb else 1
                for rank in range(ranks):
                    reading = Reading(kind.name, rank, length)
                    yield Body(
                        reading, ONE[rank] * kind.copies, kind.cards, kind.pairs, kind.distinct
                    )

    def _runs(self, kind: Kind) -> Iterator[Body]:
        group = kind.copies + kind.cards + 2 * kind.pairs
        longest = min(kind.longest, self._hand_max // group)
        for length in range(kind.shortest, longest + 1):
            for first in range(RUN_RANKS - length + 1):
                yield Body(
                    Reading(kind.name, first + length - 1, length),
                    run(first, length, kind.copies),
                    kind.cards * length,
                    kind.pairs * length,
                    kind.distinct,
                )

    def _build(self) -> dict[int, tuple[Reading, ...]]:
        found: dict[int, list[Reading]] = {}
        for body in self.bodies():
            wings: Sequence[int] = (0,)
            if body.cards:
                wings = wing_cards(body.cards)
            elif body.pairs:
                wings = wing_pairs(body.pairs, body.distinct)
            taken = ranks_of(body.counts)
            for wing in wings:
                if not wing & taken:
                    found.setdefault(body.counts + wing, []).append(body.reading)
        order = {name: place for place, name in enumerate(self.names)}
        return {
            counts: tuple(sorted(readings, key=lambda r: (order[r.kind], -r.length, -r.rank)))
            for counts, readings in found.items()
        }

    def power(self, reading: Reading) -> tuple[int, int]:
        """Strength among bombs: the rocket is above all others."""
        return (2, 0) if reading.kind == ROCKET.name else (1, reading.rank)

    def beats(self, follow: Reading, lead: Reading) -> bool:
        """Whether a reading may be laid on another (equal strength never beats)."""
        kind, rank, length = follow
        if kind in self.bombs:
            return lead[0] not in self.bombs or self.power(follow) > self.power(lead)
        return kind == lead[0] and length == lead[2] and rank > lead[1]

    def named(self, readings: Sequence[Reading], number: int) -> tuple[Reading, ...]:
        """Those of the kind with that number (1 + its place in the default order)."""
        if not 0 < number <= len(self.names):
            return ()
        name = self.names[number - 1]
        return tuple(reading for reading in readings if reading.kind == name)

    def reading_on(self, counts: int, table: Reading | None, kind: str | None) -> Reading | None:
        """The reading that is laid when these cards are played, None when they may not be.

        table None: a lead. kind: the reading that the player asks for.
        """
        for reading in self.readings.get(counts, ()):
            if (kind is None or reading.kind == kind) and (
                table is None or self.beats(reading, table)
            ):
                return reading
        return None
