"""Card combinations (牌型): every legal set of cards and all its readings.

A rule set lists its kinds in the default order of readings; the tables follow from the
definitions. The games of the family differ in kinds, lengths, wings and bombs only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import Final, NamedTuple

from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing.decks import ONE_DECK, Deck
from paiju.rules.climbing.packed import BJ_RANK, JOKERS, ONE, RANKS, RUN_RANKS, ranks_of, run

_KEPT: Final = 1 << 13


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
    distinct: bool = False
    """No two wings of one rank: single cards, or pairs."""
    pair_run: bool = False
    """Carries a run of as many pairs as it has groups."""
    bomb: bool = False
    sets: tuple[int, ...] = ()
    """For kinds that are not made of equal cards: the sets, packed."""

    @property
    def is_run(self) -> bool:
        return self.longest > 1

    @property
    def winged(self) -> bool:
        return bool(self.cards or self.pairs or self.pair_run)

    @property
    def group(self) -> int:
        """Cards per group, wings included."""
        return self.copies + self.cards + 2 * (self.pairs + self.pair_run)


ROCKET = Kind("rocket", 1, bomb=True, sets=(JOKERS,))
"""Both jokers of one deck."""
ONE_DECK_LADDER: Mapping[tuple[str, int], int] = {("bomb", 4): 1, ("rocket", 2): 2}


class Reading(NamedTuple):
    """What a set of cards is played as. rank 0..14; length as the specifications say."""

    kind: str
    rank: int
    length: int

    def shown(self) -> dict[str, object]:
        return {"kind": self.kind, "rank": RANK_NAMES[self.rank], "length": self.length}


class Laid:
    """What there is to know of a set of cards that somebody lays.

    counts: packed; readings: in the default order, () when it may never be played.
    """

    __slots__ = ("counts", "names", "readings")

    def __init__(self, counts: int, names: tuple[str, ...], readings: tuple[Reading, ...]) -> None:
        self.counts = counts
        self.names = names
        self.readings = readings


class Body(NamedTuple):
    """The cards that decide a reading, packed, and its kind (None: it carries nothing)."""

    reading: Reading
    counts: int
    winged: Kind | None = None


@cache
def wing_cards(of_rank: tuple[int, ...], number: int, distinct: bool) -> tuple[int, ...]:
    """All multisets (distinct: sets) of so many single cards, packed."""
    if distinct:
        return tuple(sum(ONE[rank] for rank in r) for r in combinations(range(RANKS), number))
    return tuple(
        sum(ONE[rank] for rank in ranks)
        for ranks in combinations_with_replacement(range(RANKS), number)
        if all(ranks.count(rank) <= of_rank[rank] for rank in set(ranks))
    )


@cache
def wing_pairs(of_rank: tuple[int, ...], number: int, distinct: bool) -> tuple[int, ...]:
    """All multisets of so many pairs, packed; four equal cards are two pairs unless distinct."""
    return tuple(
        sum(ONE[rank] * 2 for rank in ranks)
        for ranks in combinations_with_replacement(range(RANKS), number)
        if all(2 * ranks.count(rank) <= of_rank[rank] for rank in set(ranks))
        and not (distinct and len(set(ranks)) < number)
    )


class Combos:
    """The tables of one rule set.

    kinds: in the default order; hand_max: cards of the largest hand; ladder: (kind, length)
    of a bomb -> its step, where the higher step beats and equal steps go by rank;
    joker_pairs: whether two equal jokers are a pair.

    readings: packed counts -> all readings in the default order (then longer, then higher);
    a set that is not there is illegal.
    """

    def __init__(
        self,
        kinds: Sequence[Kind],
        *,
        hand_max: int,
        deck: Deck = ONE_DECK,
        ladder: Mapping[tuple[str, int], int] = ONE_DECK_LADDER,
        joker_pairs: bool = False,
    ) -> None:
        self.kinds = tuple(kinds)
        self.names = tuple(kind.name for kind in kinds)
        self.bombs = frozenset(kind.name for kind in kinds if kind.bomb)
        self.by_name = {kind.name: kind for kind in kinds}
        self.deck = deck
        self.joker_pairs = joker_pairs
        self.pair_ranks = RANKS if joker_pairs else BJ_RANK
        self._ladder = dict(ladder)
        self._hand_max = hand_max
        self.readings = self._build()
        self.ambiguous = any(len(found) > 1 for found in self.readings.values())
        self._known: dict[int, Laid] = {}

    def laid(self, cards: int) -> Laid:
        """By cards of the deck, suits and all."""
        known = self._known.get(cards)
        return self._find(cards) if known is None else known

    def _find(self, cards: int) -> Laid:
        if len(self._known) >= _KEPT:
            self._known.clear()
        counts, names = self.deck.counts(cards), tuple(self.deck.names(cards))
        laid = self._known[cards] = Laid(counts, names, self.readings.get(counts, ()))
        return laid

    def bodies(self) -> Iterator[Body]:
        """Every body of every kind."""
        for kind in self.kinds:
            if kind.sets:
                yield from (self._set(kind, counts) for counts in kind.sets)
            elif kind.is_run:
                yield from self._runs(kind)
            elif kind.bomb:
                yield from self._equal(kind)
            else:
                winged = kind if kind.winged else None
                ranks = self.pair_ranks if kind.copies == 2 else RANKS
                for rank in range(ranks):
                    if self.deck.of_rank[rank] >= kind.copies:
                        reading = Reading(kind.name, rank, 1)
                        yield Body(reading, ONE[rank] * kind.copies, winged)

    def _set(self, kind: Kind, counts: int) -> Body:
        """rank: the highest; length: the number of cards."""
        held = [counts >> 4 * rank & 15 for rank in range(RANKS)]
        rank = max(rank for rank in range(RANKS) if held[rank])
        return Body(Reading(kind.name, rank, sum(held)), counts)

    def _equal(self, kind: Kind) -> Iterator[Body]:
        """Bombs of `copies` equal cards or more."""
        for rank in range(BJ_RANK):
            for copies in range(kind.copies, self.deck.of_rank[rank] + 1):
                yield Body(Reading(kind.name, rank, copies), ONE[rank] * copies)

    def _runs(self, kind: Kind) -> Iterator[Body]:
        longest = min(kind.longest, self._hand_max // kind.group)
        winged = kind if kind.winged else None
        for length in range(kind.shortest, longest + 1):
            for first in range(RUN_RANKS - length + 1):
                reading = Reading(kind.name, first + length - 1, length)
                yield Body(reading, run(first, length, kind.copies), winged)

    def _wings(self, kind: Kind, length: int) -> Sequence[int]:
        """All wings of a body with so many groups, wherever the body is."""
        of_rank = self.deck.of_rank
        if kind.cards:
            return wing_cards(of_rank, kind.cards * length, kind.distinct)
        if kind.pair_run:
            return [run(first, length, 2) for first in range(RUN_RANKS - length + 1)]
        paired = (*of_rank[: self.pair_ranks], 0, 0)
        return wing_pairs(paired, kind.pairs * length, kind.distinct)

    def _build(self) -> dict[int, tuple[Reading, ...]]:
        found: dict[int, list[Reading]] = {}
        for body in self.bodies():
            if body.winged is None:
                found.setdefault(body.counts, []).append(body.reading)
                continue
            taken = ranks_of(body.counts)
            for wing in self._wings(body.winged, body.reading.length):
                if not wing & taken:
                    found.setdefault(body.counts + wing, []).append(body.reading)
        order = {name: place for place, name in enumerate(self.names)}
        return {
            counts: tuple(sorted(readings, key=lambda r: (order[r.kind], -r.length, -r.rank)))
            for counts, readings in found.items()
        }

    def size(self, reading: Reading) -> int:
        """Number of cards of a play, wings included."""
        kind = self.by_name[reading.kind]
        return reading.length * (1 if kind.bomb else kind.group)

    def power(self, bomb: Reading) -> tuple[int, int]:
        """Strength among bombs."""
        return self._ladder[bomb.kind, bomb.length], bomb.rank

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
