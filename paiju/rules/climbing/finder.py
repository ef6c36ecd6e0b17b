"""Finds the plays that a hand holds, by tables: what may be led, what beats a reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from paiju.rules.climbing.combos import Combos, Kind, Reading
from paiju.rules.climbing.packed import (
    BJ_RANK,
    FROM,
    ONE,
    RUN_MASK,
    RUN_RANKS,
    SPACED,
    covers,
    held,
    held_more,
    ranks_of,
)
from paiju.rules.climbing.plays import PASS, PLAY, Plays

_CACHED = 1 << 13
_ONLY_PASS = (PASS,)


def _spaced_ranks(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() >> 2
        mask ^= low


_Found = tuple[int, ...]
_LOW = sum(ONE[:8])
_HIGH = FROM[8]


class _Runs(dict[int, _Found]):
    """Spaced mask of first ranks -> runs that begin there. At most 4,096 keys."""

    def __init__(self, length: int, copies: int) -> None:
        self._body = sum(ONE[:length]) * copies

    def __missing__(self, starts: int) -> _Found:
        body = self._body
        found = self[starts] = tuple([body << 4 * rank for rank in _spaced_ranks(starts)])
        return found


_RUNS = [[_Runs(length, copies) for length in range(RUN_RANKS + 1)] for copies in range(9)]


def _groups(mask: int, copies: int) -> _Found:
    """Each rank of the mask, so many times."""
    groups = _RUNS[copies][1]
    return groups[mask & _LOW] + groups[mask & _HIGH]


def _runs(mask: int, length: int, copies: int) -> _Found:
    """Every run of that length in the mask."""
    starts = mask
    for step in range(1, length):
        starts &= mask >> 4 * step
    return _RUNS[copies][length][starts] if starts else ()


class _Solid(dict[int, _Found]):
    """Spaced mask of run ranks -> all runs without wings of these copies. At most 4,096 keys."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self._kinds = [kind for kind in kinds if kind.is_run]

    def __missing__(self, mask: int) -> _Found:
        out: _Found = ()
        for kind in self._kinds:
            for length in range(kind.shortest, min(kind.longest, RUN_RANKS) + 1):
                out += _runs(mask, length, kind.copies)
        self[mask] = out
        return out


@lru_cache(_CACHED)
def _choose(rest: int, number: int, step: int) -> tuple[int, ...]:
    """All ways to take `number` groups of `step` equal cards from `rest`, packed."""
    if number == 0:
        return (0,)
    if rest == 0:
        return ()
    shift = (rest & -rest).bit_length() - 1 & 60
    here = rest >> shift & 15
    rest ^= here << shift
    out: list[int] = []
    for groups in range(min(number, here // step) + 1):
        taken = groups * step << shift
        out += [taken + more for more in _choose(rest, number - groups, step)]
    return tuple(out)


class _Plan(NamedTuple):
    """How the plays above a reading are found."""

    copies: int
    ranks: int
    """Spaced mask of the ranks that its groups may have."""
    length: int
    winged: Kind | None
    bombs: tuple[int, ...]
    """Ranks whose four, five, six ... equal cards beat it."""
    jokers: Sequence[_Found]
    """By the packed jokers of a hand: the sets of jokers that beat it."""


class Finder:
    """Finds the plays of a rule set's combinations."""

    def __init__(self, combos: Combos) -> None:
        self._combos = combos
        self._pick = combos.deck.pick
        self._pairs = FROM[0] & ~FROM[combos.pair_ranks]
        self._planes = [kind for kind in combos.kinds if kind.winged and kind.is_run]
        self._winged = [kind for kind in combos.kinds if kind.winged and not kind.is_run]
        self._solid = [
            _Solid([k for k in combos.kinds if k.copies == copies and not k.winged])
            for copies in range(4)
        ]
        self._big_bombs = max(combos.deck.of_rank) > 4
        self._all_bombs, self._all_jokers = self._bombs_above(None)
        self._plans = {body.reading: self._plan(body.reading) for body in combos.bodies()}

    def _bombs_above(self, table: Reading | None) -> tuple[tuple[int, ...], Sequence[_Found]]:
        """Bombs of equal cards as ranks by size (from 4), sets of jokers by packed jokers."""
        combos = self._combos
        ranks = dict.fromkeys(range(4, max(combos.deck.of_rank) + 1), 0)
        jokers = []
        for reading, counts, _ in combos.bodies():
            if reading.kind in combos.bombs and (table is None or combos.beats(reading, table)):
                if counts >> 4 * BJ_RANK:
                    jokers.append(counts)
                else:
                    ranks[reading.length] |= ONE[reading.rank]
        by_held = [
            tuple(counts for counts in jokers if covers(joker << 4 * BJ_RANK, counts))
            for joker in range(1 << 8)
        ]
        return tuple(ranks.values()), by_held

    def _plan(self, table: Reading) -> _Plan:
        name, rank, length = table
        kind = self._combos.by_name[name]
        if kind.bomb:
            return _Plan(1, 0, 1, None, *self._bombs_above(table))
        ranks = FROM[rank + 1]
        if kind.is_run:
            ranks = FROM[rank - length + 2] & RUN_MASK
        elif kind.copies == 2:
            ranks &= self._pairs
        winged = kind if kind.winged else None
        return _Plan(kind.copies, ranks, length, winged, self._all_bombs, self._all_jokers)

    def leads(self, hand: int, counts: int) -> Plays:
        """Every lead. hand: the cards; counts: the same, packed."""
        _, singles, pairs, trios = self._solid
        masks = one, two, three, four = held(counts)
        plain = _groups(one, 1) + singles[one & RUN_MASK]
        if two:
            plain += _groups(two & self._pairs, 2) + pairs[two & RUN_MASK]
        jokers = self._all_jokers[counts >> 4 * BJ_RANK]
        if jokers:
            plain += jokers
        if not three:
            return Plays(self._pick, hand, 0, plain)
        plain += _groups(three, 3) + trios[three & RUN_MASK]
        if four:
            plain += self._bombs(counts, four, self._all_bombs)
        winged: _Winged = []
        for kind in self._winged:
            mask = masks[kind.copies - 1]
            if mask:
                winged += self._with_wings(kind, counts, masks, mask)
        if three & three >> 4 & RUN_MASK >> 4:
            for kind in self._planes:
                for length in range(kind.shortest, kind.longest + 1):
                    winged += self._with_wings_run(kind, counts, masks, three & RUN_MASK, length)
        return self._distinct(hand, 0, plain, winged, masks)

    def follows(self, hand: int, counts: int, table: Reading) -> Plays | _Found:
        """Pass, and every play that beats the table."""
        copies, ranks, length, kind, bombs, jokers = self._plans[table]
        four = counts >> 2 | counts >> 3
        if copies == 1:
            mask = (counts | counts >> 1 | four) & ranks
        elif copies == 2:
            mask = (counts >> 1 | four) & ranks
        elif copies == 3:
            mask = (four | counts >> 1 & counts) & ranks
        else:
            mask = four & ranks
        four &= SPACED
        plain: _Found = ()
        if mask:
            if kind is not None:
                masks = held(counts)
                if kind.is_run:
                    winged = self._with_wings_run(kind, counts, masks, mask, length)
                else:
                    winged = self._with_wings(kind, counts, masks, mask)
                if winged:
                    if four:
                        plain = self._bombs(counts, four, bombs)
                    plain += jokers[counts >> 4 * BJ_RANK]
                    return self._distinct(hand, 1, plain, winged, masks)
            elif length == 1:
                groups = _RUNS[copies][1]
                plain = groups[mask & _LOW] + groups[mask & _HIGH]
            else:
                plain = _runs(mask, length, copies)
        if four:
            plain += self._bombs(counts, four, bombs)
        more = jokers[counts >> 4 * BJ_RANK]
        if more:
            plain += more
        return Plays(self._pick, hand, 1, plain) if plain else _ONLY_PASS

    def beating(self, counts: int, table: Reading) -> Iterable[int]:
        """Packed counts of every play of these cards that beats the table."""
        found = self.follows(0, counts, table)
        return found.counts() if isinstance(found, Plays) else ()

    def _bombs(self, counts: int, four: int, bombs: tuple[int, ...]) -> _Found:
        """Bombs of equal cards; four: the ranks that are held so often."""
        plain = _groups(four & bombs[0], 4)
        if self._big_bombs:
            for copies, mask in enumerate(held_more(counts), start=5):
                if mask & bombs[copies - 4]:
                    plain += _groups(mask & bombs[copies - 4], copies)
        return plain

    def _with_wings(self, kind: Kind, counts: int, masks: _Masks, mask: int) -> _Winged:
        """A kind with one group, on any rank of the mask."""
        out: _Winged = []
        copies, cards, pairs = kind.copies, kind.cards, kind.pairs
        for one in _groups(mask, 1):
            if cards == 1:
                wings = _groups(masks[0] ^ one, 1)
            elif pairs == 1:
                wings = _groups((masks[1] ^ one) & self._pairs, 2)
            else:
                wings = self._wings(kind, counts, masks, one, 1)
            if wings:
                out.append((one * copies, wings))
        return out

    def _with_wings_run(
        self, kind: Kind, counts: int, masks: _Masks, mask: int, length: int
    ) -> _Winged:
        """Runs of that length in the mask."""
        out: _Winged = []
        for body in _runs(mask, length, kind.copies):
            wings = self._wings(kind, counts, masks, body, length)
            if wings:
                out.append((body, wings))
        return out

    def _wings(self, kind: Kind, counts: int, masks: _Masks, body: int, length: int) -> _Found:
        """What the rest of the hand gives a body; wings keep off the ranks of the body."""
        free = ~ranks_of(body)
        if kind.pair_run:
            return _runs(masks[1] & RUN_MASK & free, length, 2)
        if kind.cards:
            return _choose((masks[0] if kind.distinct else counts) & free, kind.cards * length, 1)
        pairs = (masks[1] & self._pairs) << 1 if kind.distinct else counts & self._pairs * 14
        return _choose(pairs & free, kind.pairs * length, 2)

    def _distinct(
        self, hand: int, passes: int, plain: _Found, winged: _Winged, masks: _Masks
    ) -> Plays:
        """The plays, each once.

        One set of cards has several readings only with four trios (a longer run, or a trio
        among the wings) or two fours, and in some rule sets never; everything else cannot
        occur twice.
        """
        if not self._combos.ambiguous or (masks[2].bit_count() < 4 and masks[3].bit_count() < 2):
            return Plays(self._pick, hand, passes, plain, winged)
        every = dict.fromkeys(plain)
        for body, wings in winged:
            every.update(dict.fromkeys([body + wing for wing in wings]))
        more: list[int] = []
        if not passes:
            for counts in every:
                for place in self.other_readings(counts):
                    more.append(self._pick(hand, counts) << 8 | PLAY + place)
        return Plays(self._pick, hand, passes, tuple(every), (), tuple(more))

    def other_readings(self, counts: int) -> list[int]:
        """Numbers (1 + place of the kind) of what a leader may name besides the default."""
        readings = self._combos.readings[counts]
        if len(readings) < 2:
            return []
        names = dict.fromkeys(r.kind for r in readings if r.kind != readings[0].kind)
        return [1 + self._combos.names.index(name) for name in names]


_Masks = tuple[int, int, int, int]
_Winged = list[tuple[int, _Found]]
"""Bodies with the wings that the rest of the hand gives them."""
