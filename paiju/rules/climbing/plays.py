"""Which plays a hand holds, found by tables and listed lazily.

A play is listed once per multiset of ranks, with the lowest suits of the hand. A lead can
have thousands of them (wings multiply), most callers want one or a few: so what is kept is
the packed counts of plays without wings and, for each body with wings, the tuple of its
wings; cards are picked when an item is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, overload

from paiju.rules.climbing.combos import ROCKET, Combos, Kind, Reading
from paiju.rules.climbing.packed import (
    FROM,
    JOKERS,
    ONE,
    PAIR_MASK,
    RUN_MASK,
    RUN_RANKS,
    SPACED,
    held,
    pick,
    ranks_of,
)

PASS = 0
PLAY = 16
"""An action is `cards << 8 | PLAY + kind`, kind 0: the default reading, else 1 + its place."""

_CACHED = 1 << 13
_ONLY_PASS = (PASS,)


class Plays(Sequence[int]):
    """The legal actions of a hand, in canonical order: pass first where it is legal."""

    __slots__ = ("_hand", "_length", "_more", "_passes", "_plain", "_winged")

    def __init__(
        self,
        hand: int,
        passes: int,
        plain: tuple[int, ...],
        winged: Sequence[tuple[int, tuple[int, ...]]] = (),
        more: tuple[int, ...] = (),
    ) -> None:
        self._hand = hand
        self._passes = passes  # 1: pass is legal
        self._plain = plain
        self._winged = winged
        self._more = more  # actions that name another reading
        self._length = passes + len(plain)
        if winged or more:
            self._length += len(more) + sum([len(wings) for _, wings in winged])

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        try:
            counts = self._plain[index - self._passes]  # type: ignore[operator]
            if index >= self._passes:  # type: ignore[operator]
                return pick(self._hand, counts) << 8 | PLAY
        except (IndexError, TypeError):
            pass
        return self._item(index)

    def _item(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        index %= self._length
        if index < self._passes:
            return PASS
        index -= self._passes + len(self._plain)
        if index < 0:
            return pick(self._hand, self._plain[index]) << 8 | PLAY
        for body, wings in self._winged:
            if index < len(wings):
                return pick(self._hand, body + wings[index]) << 8 | PLAY
            index -= len(wings)
        return self._more[index]

    def counts(self) -> Iterator[int]:
        """Packed counts of every play, each once."""
        yield from self._plain
        for body, wings in self._winged:
            for wing in wings:
                yield body + wing

    def __iter__(self) -> Iterator[int]:
        if self._passes:
            yield PASS
        hand = self._hand
        for counts in self.counts():
            yield pick(hand, counts) << 8 | PLAY
        yield from self._more


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


_RUNS = [[_Runs(length, copies) for length in range(RUN_RANKS + 1)] for copies in range(5)]


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
    fours: int
    """Ranks whose four beat it."""
    rocket: bool


class Finder:
    """Finds the plays of a rule set's combinations."""

    def __init__(self, combos: Combos) -> None:
        self._combos = combos
        usual = [kind for kind in combos.kinds if kind is not ROCKET]
        self._winged = [kind for kind in usual if kind.winged and not kind.is_run]
        self._planes = [kind for kind in usual if kind.winged and kind.is_run]
        self._solid = [
            _Solid([kind for kind in usual if kind.copies == copies and not kind.winged])
            for copies in range(5)
        ]
        self._plans = {body.reading: self._plan(body.reading) for body in combos.bodies()}

    def _plan(self, table: Reading) -> _Plan:
        name, rank, length = table
        kind = self._combos.by_name[name]
        if kind is ROCKET:
            return _Plan(1, 0, 1, None, 0, False)
        ranks = FROM[rank + 1]
        if kind.bomb:
            return _Plan(4, 0, 1, None, ranks, True)
        if kind.is_run:
            ranks = FROM[rank - length + 2] & RUN_MASK
        return _Plan(kind.copies, ranks, length, kind if kind.winged else None, SPACED, True)

    def leads(self, hand: int, counts: int) -> Plays:
        """Every lead. hand: the cards; counts: the same, packed."""
        _, singles, pairs, trios, _ = self._solid
        masks = one, two, three, four = held(counts)
        plain = _groups(one, 1) + singles[one & RUN_MASK]
        if two:
            plain += _groups(two, 2) + pairs[two & RUN_MASK]
        if one & JOKERS == JOKERS:
            plain += (JOKERS,)
        if not three:
            return Plays(hand, 0, plain)
        plain += _groups(three, 3) + trios[three & RUN_MASK]
        if four:
            plain += _groups(four, 4)
        winged = []
        for kind in self._winged:
            mask = masks[kind.copies - 1]
            if mask:
                winged += _winged(kind, counts, masks, mask)
        if three & three >> 4 & RUN_MASK >> 4:
            for kind in self._planes:
                for length in range(kind.shortest, kind.longest + 1):
                    winged += _planes(kind, counts, three & RUN_MASK, length)
        return self._distinct(hand, 0, plain, winged, masks)

    def follows(self, hand: int, counts: int, table: Reading) -> Plays | _Found:
        """Pass, and every play that beats the table."""
        copies, ranks, length, kind, fours, rocket = self._plans[table]
        four = counts >> 2
        if copies == 1:
            mask = (counts | counts >> 1 | four) & ranks
        elif copies == 2:
            mask = (counts >> 1 | four) & ranks
        elif copies == 3:
            mask = (four | counts >> 1 & counts) & ranks
        else:
            mask = four & ranks
        plain: _Found = ()
        if mask:
            if kind is not None:
                masks = held(counts)
                if kind.is_run:
                    winged = _planes(kind, counts, mask, length)
                else:
                    winged = _winged(kind, counts, masks, mask)
                if winged:
                    plain = _groups(four & fours, 4)
                    if counts & JOKERS == JOKERS:
                        plain += (JOKERS,)
                    return self._distinct(hand, 1, plain, winged, masks)
            elif length == 1:
                groups = _RUNS[copies][1]
                plain = groups[mask & _LOW] + groups[mask & _HIGH]
            else:
                plain = _runs(mask, length, copies)
        if four & fours:
            plain += _groups(four & fours, 4)
        if rocket and counts & JOKERS == JOKERS:
            plain += (JOKERS,)
        return Plays(hand, 1, plain) if plain else _ONLY_PASS

    def _distinct(
        self,
        hand: int,
        passes: int,
        plain: _Found,
        winged: _Winged,
        masks: tuple[int, int, int, int],
    ) -> Plays:
        """The plays, each once.

        One set of cards has several readings only with four trios (a longer run, or a trio
        among the wings) or two fours; everything else cannot occur twice.
        """
        if masks[2].bit_count() < 4 and masks[3].bit_count() < 2:
            return Plays(hand, passes, plain, winged)
        every = dict.fromkeys(plain)
        for body, wings in winged:
            every.update(dict.fromkeys([body + wing for wing in wings]))
        more: list[int] = []
        if not passes:
            for counts in every:
                for place in self.other_readings(counts):
                    more.append(pick(hand, counts) << 8 | PLAY + place)
        return Plays(hand, passes, tuple(every), (), tuple(more))

    def other_readings(self, counts: int) -> list[int]:
        """Numbers (1 + place of the kind) of what a leader may name besides the default."""
        readings = self._combos.readings[counts]
        if len(readings) < 2:
            return []
        names = dict.fromkeys(r.kind for r in readings if r.kind != readings[0].kind)
        return [1 + self._combos.names.index(name) for name in names]


_Winged = list[tuple[int, _Found]]
"""Bodies with the wings that the rest of the hand gives them."""


def _winged(kind: Kind, counts: int, masks: tuple[int, int, int, int], mask: int) -> _Winged:
    """A kind with one group, on any rank of the mask."""
    out: _Winged = []
    copies, cards, pairs = kind.copies, kind.cards, kind.pairs
    for one in _groups(mask, 1):
        if cards == 1:
            wings = _groups(masks[0] ^ one, 1)
        elif pairs == 1:
            wings = _groups(masks[1] ^ one, 2)
        else:
            wings = _wings(counts & ~(one * 15), cards, pairs, kind.distinct)
        if wings:
            out.append((one * copies, wings))
    return out


def _planes(kind: Kind, counts: int, mask: int, length: int) -> _Winged:
    """Runs of that length in the mask."""
    out: _Winged = []
    for body in _runs(mask, length, kind.copies):
        rest = counts & ~ranks_of(body)
        wings = _wings(rest, kind.cards * length, kind.pairs * length, kind.distinct)
        if wings:
            out.append((body, wings))
    return out


def _wings(rest: int, cards: int, pairs: int, distinct: bool) -> _Found:
    if cards:
        return _choose(rest, cards, 1)
    return _choose(held(rest)[1] * 2 if distinct else _pairs_only(rest), pairs, 2)


def _pairs_only(counts: int) -> int:
    """The counts rounded down to even numbers: what pairs can be taken from."""
    return counts & PAIR_MASK * 6
