"""Finds the plays that a hand holds, by tables: what may be led, what beats a reading."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final, NamedTuple

from paiju.rules.climbing.above import FOURS, Above
from paiju.rules.climbing.combos import Combos, Kind, Reading
from paiju.rules.climbing.packed import (
    BJ_RANK,
    FROM,
    ONE,
    RANKS,
    RUN_MASK,
    RUN_RANKS,
    SPACED,
    covers,
    held,
    held_more,
    ranks_of,
)
from paiju.rules.climbing.plays import PASS, PLAY, Plays, PlaysInParts
from paiju.rules.climbing.wings import Carried, Chosen, Grid

Found = tuple[int, ...]
_ONLY_PASS: Final[Found] = (PASS,)


class _Runs(dict[int, Found]):
    """Spaced mask of ranks -> the runs of equal groups within it, packed; made when asked for.

    lengths: of the runs, in this order; copies: cards of a group.
    """

    def __init__(self, lengths: Iterable[int], copies: int) -> None:
        self._bodies = [(length, sum(ONE[:length]) * copies) for length in lengths]

    def __missing__(self, mask: int) -> Found:
        found: Found = ()
        for length, body in self._bodies:
            starts = mask
            for step in range(1, length):
                starts &= mask >> 4 * step
            if starts:
                found += tuple([body << 4 * rank for rank in range(RANKS) if starts & ONE[rank]])
        self[mask] = found
        return found


@cache
def _runs(lengths: Found, copies: int) -> _Runs:
    """Shared by the rule sets. Asked for run ranks only, a table has at most 4,096 keys."""
    return _Runs(lengths, copies)


_LOW: Final = sum(ONE[:8])
_HIGH: Final = FROM[8]
_GROUPS: Final = [_runs((1,), copies) for copies in range(9)]
"""By copies: each rank of a mask, so many times. Asked for half the ranks at a time: then the
tables are full after a few hands."""


def _groups(mask: int, copies: int) -> Found:
    groups = _GROUPS[copies]
    return groups[mask & _LOW] + groups[mask & _HIGH]


class _Plan(NamedTuple):
    """How the plays above a reading are found."""

    copies: int
    ranks: int
    """Spaced mask of the ranks that its groups may have."""
    length: int
    """Consecutive groups."""
    winged: Kind | None
    bombs: tuple[int, ...]
    """Ranks whose four, five, six ... equal cards beat it."""
    jokers: Sequence[Found]
    """By the packed jokers of a hand: the sets of jokers that beat it."""


class Finder:
    """Finds the plays of a rule set's combinations."""

    def __init__(self, combos: Combos) -> None:
        self._combos = combos
        self._ambiguous = combos.ambiguous
        self._pick = combos.deck.pick
        self._pairs = FROM[0] & ~FROM[combos.pair_ranks]
        self._planes = [kind for kind in combos.kinds if kind.winged and kind.is_run]
        self._winged = [kind for kind in combos.kinds if kind.winged and not kind.is_run]
        self._solid = [self._solid_runs(copies) for copies in range(4)]
        self._big_bombs = max(combos.deck.of_rank) > 4
        self._all_bombs, self._all_jokers = self._bombs_above(None)
        self._plans = {body.reading: self._plan(body.reading) for body in combos.bodies()}
        self._above = self._groups_above()

    def _solid_runs(self, copies: int) -> _Runs:
        """Mask of run ranks -> all runs without wings of these copies."""
        lengths: list[int] = []
        for kind in self._combos.kinds:
            if kind.copies == copies and kind.is_run and not kind.winged:
                lengths += range(kind.shortest, min(kind.longest, RUN_RANKS) + 1)
        return _runs(tuple(lengths), copies)

    def _bombs_above(self, table: Reading | None) -> tuple[tuple[int, ...], Sequence[Found]]:
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

    def _groups_above(self) -> dict[Reading, Above]:
        """For groups without wings."""
        return {
            reading: Above(
                self._combos.deck, reading.rank, plan.copies, plan.ranks, self._all_jokers
            )
            for reading, plan in self._plans.items()
            if not self._combos.by_name[reading.kind].bomb
            and plan.length == 1
            and plan.winged is None
        }

    def leads(self, hand: int, counts: int) -> Plays:
        """Every lead. hand: the cards; counts: the same, packed."""
        if counts & FOURS or counts & counts >> 1 & SPACED:
            return self._many_leads(hand, counts)
        two = counts >> 1 & SPACED
        return PlaysInParts(self._pick, hand, self._few_leads(counts, counts & SPACED | two, two))

    def _few_leads(self, counts: int, one: int, two: int) -> list[Sequence[int]]:
        """Singles, pairs, runs of them, bombs of jokers, by the ranks held once and twice."""
        ones, twos, solid = _GROUPS[1], _GROUPS[2], self._solid
        return [
            ones[one & _LOW],
            ones[one & _HIGH],
            solid[1][one & RUN_MASK],
            twos[two & _LOW],
            twos[two & _HIGH & self._pairs],
            solid[2][two & RUN_MASK],
            self._all_jokers[counts >> 4 * BJ_RANK],
        ]

    def _many_leads(self, hand: int, counts: int) -> Plays:
        """Leads of a hand with three equal cards or more."""
        masks = one, two, three, four = held(counts)
        parts = self._few_leads(counts, one, two)
        parts += (_groups(three, 3), self._solid[3][three & RUN_MASK])
        if four:
            parts.append(self._bombs(counts, four, self._all_bombs))
        for kind in self._winged:
            mask = masks[kind.copies - 1]
            if mask:
                parts += self._with_wings(kind, counts, masks, mask)
        if three & three >> 4 & RUN_MASK >> 4:
            for kind in self._planes:
                parts += self._planes_of(kind, counts, masks)
        if self._ambiguous and _many(masks):
            return self._distinct_leads(hand, parts)
        return PlaysInParts(self._pick, hand, parts)

    def follows(self, hand: int, counts: int, table: Reading) -> Plays | Found:
        """Pass, and every play that beats the table."""
        above = self._above.get(table)
        if above is None or counts & FOURS:
            return self._follows(hand, counts, table)
        return above[hand & above.mask]

    def _follows(self, hand: int, counts: int, table: Reading) -> Plays | Found:
        """The same by counts alone: for all readings and any bombs."""
        copies, ranks, length, winged, bombs, jokers = self._plans[table]
        four = counts >> 2 | counts >> 3
        if copies == 1:
            mask = (counts | counts >> 1 | four) & ranks
        elif copies == 2:
            mask = (counts >> 1 | four) & ranks
        elif copies == 3:
            mask = (four | counts >> 1 & counts) & ranks
        else:
            mask = four & ranks
        if winged is not None and mask:
            return self._winged_follows(hand, counts, table, mask)
        if not mask:
            found = _ONLY_PASS
        elif length == 1:
            found = _ONLY_PASS + _groups(mask, copies)
        else:
            found = _ONLY_PASS + _runs((length,), copies)[mask]
        four &= SPACED
        if four:
            found += self._bombs(counts, four, bombs)
        more = jokers[counts >> 4 * BJ_RANK]
        if more:
            found += more
        return Plays(self._pick, hand, found) if len(found) > 1 else _ONLY_PASS

    def _winged_follows(self, hand: int, counts: int, table: Reading, mask: int) -> Plays | Found:
        """mask: ranks that the groups may have."""
        _, _, length, kind, bombs, jokers = self._plans[table]
        assert kind is not None
        masks = held(counts)
        four = masks[3]
        plain = _ONLY_PASS + (self._bombs(counts, four, bombs) if four else ())
        plain += jokers[counts >> 4 * BJ_RANK]
        if kind.is_run:
            winged = self._with_wings_run(kind, counts, masks, mask, length)
        else:
            winged = self._with_wings(kind, counts, masks, mask)
        if not winged:
            return Plays(self._pick, hand, plain) if len(plain) > 1 else _ONLY_PASS
        parts: list[Sequence[int]] = [plain, *winged]
        if self._ambiguous and _many(masks):
            parts = [tuple(_each_once(parts))]
        return PlaysInParts(self._pick, hand, parts)

    def beating(self, counts: int, table: Reading) -> Iterable[int]:
        """Packed counts of every play of these cards that beats the table."""
        found = self._follows(0, counts, table)
        return found.counts() if isinstance(found, Plays) else ()

    def _bombs(self, counts: int, four: int, bombs: tuple[int, ...]) -> Found:
        """Bombs of equal cards; four: the ranks that are held so often."""
        plain = _groups(four & bombs[0], 4)
        if self._big_bombs:
            for copies, mask in enumerate(held_more(counts), start=5):
                if mask & bombs[copies - 4]:
                    plain += _groups(mask & bombs[copies - 4], copies)
        return plain

    def _with_wings(
        self, kind: Kind, counts: int, masks: _Masks, mask: int
    ) -> Sequence[Sequence[int]]:
        """A kind with one group, on any rank of the mask."""
        bodies = _groups(mask, 1)
        if kind.cards == 1:
            return _grid(bodies, kind.copies, masks[0], 1)
        if kind.pairs == 1:
            return _grid(bodies, kind.copies, masks[1] & self._pairs, 2)
        found = [
            Carried(body * kind.copies, self._wings(kind, counts, masks, body, 1))
            for body in bodies
        ]
        return [carried for carried in found if len(carried)]

    def _planes_of(self, kind: Kind, counts: int, masks: _Masks) -> list[Sequence[int]]:
        """Leads of a kind that is a run with wings, shorter ones first."""
        out: list[Sequence[int]] = []
        mask = masks[kind.copies - 1] & RUN_MASK
        for length in range(kind.shortest, kind.longest + 1):
            if not _runs((length,), kind.copies)[mask]:
                break
            out += self._with_wings_run(kind, counts, masks, mask, length)
        return out

    def _with_wings_run(
        self, kind: Kind, counts: int, masks: _Masks, mask: int, length: int
    ) -> Sequence[Sequence[int]]:
        """Runs of that length in the mask."""
        found = [
            Carried(body, self._wings(kind, counts, masks, body, length))
            for body in _runs((length,), kind.copies)[mask]
        ]
        return [carried for carried in found if len(carried)]

    def _wings(
        self, kind: Kind, counts: int, masks: _Masks, body: int, length: int
    ) -> Sequence[int]:
        """What the rest of the hand gives a body; wings keep off the ranks of the body."""
        free = ~ranks_of(body)
        if kind.pair_run:
            return _runs((length,), 2)[masks[1] & RUN_MASK & free]
        if kind.cards:
            return Chosen((masks[0] if kind.distinct else counts) & free, kind.cards * length, 1)
        pairs = (masks[1] & self._pairs) << 1 if kind.distinct else counts & self._pairs * 14
        return Chosen(pairs & free, kind.pairs * length, 2)

    def _distinct_leads(self, hand: int, parts: Sequence[Sequence[int]]) -> Plays:
        """Each set of cards once, and behind them the actions that name another reading."""
        every = _each_once(parts)
        more = [
            self._pick(hand, counts) << 8 | PLAY + place
            for counts in every
            for place in self.other_readings(counts)
        ]
        return PlaysInParts(self._pick, hand, [tuple(every)], tuple(more))

    def other_readings(self, counts: int) -> list[int]:
        """Numbers (1 + place of the kind) of what a leader may name besides the default."""
        readings = self._combos.readings[counts]
        if len(readings) < 2:
            return []
        names = dict.fromkeys(r.kind for r in readings if r.kind != readings[0].kind)
        return [1 + self._combos.names.index(name) for name in names]


_Masks = tuple[int, int, int, int]


def _many(masks: _Masks) -> bool:
    """Whether one set of cards of such a hand may have several readings.

    It takes four trios (a longer run, or a trio among the wings) or two fours; all else
    cannot be listed twice.
    """
    return masks[2].bit_count() >= 4 or masks[3].bit_count() >= 2


def _each_once(parts: Iterable[Iterable[int]]) -> dict[int, None]:
    return dict.fromkeys(counts for part in parts for counts in part)


def _grid(bodies: Found, copies: int, wings: int, carried: int) -> Sequence[Sequence[int]]:
    """wings: spaced mask of the ranks that may be carried."""
    return [Grid(bodies, copies, wings, carried)] if wings & wings - 1 else ()
