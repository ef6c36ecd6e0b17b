"""What a hand is worth: the heart of the bots.

`burden(counts)` is about the number of times that the hand must still be given the lead: each
play costs one, less what it is likely to win back (a 2 often, a low single never, a bomb more
than itself), and small groups that a trio can carry are free. It is the least over the
partitions of the hand into plays, found from the lowest rank upwards and kept by counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from paiju.rules.climbing import Combos
from paiju.rules.climbing.packed import BJ_RANK, ONE, RUN_RANKS, count_of, covers, run, size_of

_A, _TWO, _BJ, _RJ = 11, 12, 13, 14
_SINGLE = {_RJ: 1.1, _BJ: 0.95, _TWO: 0.7, _A: 0.35, 10: 0.15, 9: 0.05}
_PAIR = {_RJ: 1.1, _BJ: 1.0, _TWO: 1.0, _A: 0.65, 10: 0.4, 9: 0.25, 8: 0.15, 7: 0.05}
_CARRIED = 0.85
"""What is saved when a trio carries a small group."""
_SMALL = 10
"""Up to kings a single or pair is rather carried than played."""
_KEPT = 5
"""Partitions kept per rest of a hand."""
_SEARCHED_UP_TO = 14
"""Cards up to which every way to take the lowest rank is tried. Of a larger hand only whole
groups and the longest runs: two decks give hands of 33 cards, and a hint has 20 ms."""
_CACHED = 1 << 15


def gain(kind: str, rank: int, length: int) -> float:
    """Chance to win the lead back with a play, 0..1; bombs are worth more than that."""
    if kind in ("rocket", "joker_bomb"):
        return 2.3
    if kind == "bomb":
        return 1.7 + 0.02 * rank + 0.15 * (length - 4)
    if kind == "single":
        return _SINGLE.get(rank, 0.0)
    if kind == "pair":
        return _PAIR.get(rank, 0.0)
    if kind.startswith("four"):
        return 0.9
    if (kind.startswith("trio_s") and length > 1) or kind.startswith(("plane", "butterfly")):
        return 0.6 + 0.03 * rank
    if kind.startswith("trio"):
        return min(0.9, 0.15 + 0.06 * rank)
    if kind == "straight":
        return min(0.9, 0.06 * (rank - 4) + 0.08 * (length - 5) + 0.05)
    return min(0.9, 0.06 * (rank - 2) + 0.1 * (length - 3) + 0.2)


class _Step(NamedTuple):
    """One play taken off a hand. trios: groups that can carry; small: groups to be carried."""

    taken: int
    price: float
    trios: int
    small: int


_Option = tuple[float, int, int]
"""(price of the plays, trios that can carry, small groups to be carried)."""


def _total(option: _Option) -> float:
    price, trios, small = option
    return price - _CARRIED * min(trios, small)


class Partition:
    """The judgement for one rule set; what was judged is kept."""

    def __init__(self, combos: Combos) -> None:
        kinds = combos.by_name
        self._carries = {1: "trio_single" in kinds, 2: "trio_pair" in kinds}
        self._runs = [
            (kind.copies, kind.shortest, kind.longest, kind.name)
            for kind in combos.kinds
            if kind.is_run and not kind.winged
        ]
        self._groups = [self._group_steps(rank, combos) for rank in range(BJ_RANK)]
        self._jokers = [
            (counts, 1.0 - gain(reading.kind, reading.rank, reading.length))
            for reading, counts, winged in combos.bodies()
            if counts >> 4 * BJ_RANK and not winged
        ]
        self._run_table = {
            (name, first, length): _Step(
                run(first, length, copies),
                1.0 - gain(name, first + length - 1, length),
                length if copies == 3 else 0,
                0,
            )
            for copies, shortest, longest, name in self._runs
            for first in range(RUN_RANKS)
            for length in range(shortest, min(longest, RUN_RANKS - first) + 1)
        }
        self._options = lru_cache(_CACHED)(self._find)
        self.burden = lru_cache(_CACHED)(self._burden)

    def _burden(self, counts: int) -> float:
        """About how often the hand must be given the lead to get rid of it; 0 when empty."""
        return _total(self._options(counts)[0])

    def _group_steps(self, rank: int, combos: Combos) -> list[list[_Step]]:
        """By the cards held of the rank: its plays of equal cards."""
        one, most = ONE[rank], combos.deck.of_rank[rank]
        names = {1: "single", 2: "pair", 3: "trio"}
        steps = [
            _Step(
                one * copies,
                1.0 - gain(names.get(copies, "bomb"), rank, max(1, copies if copies > 3 else 1)),
                1 if copies == 3 else 0,
                1 if rank <= _SMALL and self._carries.get(copies) else 0,
            )
            for copies in range(1, most + 1)
        ]
        return [
            [step for copies, step in enumerate(steps, start=1) if copies < 4 or copies == held]
            if held > 3
            else steps[:held]
            for held in range(most + 1)
        ]

    def _find(self, counts: int) -> tuple[_Option, ...]:
        """The few best ways to play the hand, as totals."""
        if counts >> 4 * BJ_RANK << 4 * BJ_RANK == counts:
            return ((self._joker_price(counts), 0, 0),)
        rank = ((counts & -counts).bit_length() - 1) >> 2
        whole = size_of(counts) > _SEARCHED_UP_TO
        steps = self._groups[rank][count_of(counts, rank)]
        if whole:
            steps = steps[-1:]
        if rank < RUN_RANKS:
            steps = [*steps, *self._run_steps(counts, rank, longest_only=whole)]
        found = {
            (step.price + price, step.trios + trios, step.small + small)
            for step in steps
            for price, trios, small in self._options(counts - step.taken)
        }
        return tuple(sorted(found, key=lambda option: (_total(option), option))[:_KEPT])

    def _run_steps(self, counts: int, first: int, *, longest_only: bool) -> list[_Step]:
        """The runs that begin with the lowest rank."""
        steps: list[_Step] = []
        held = count_of(counts, first)
        for copies, shortest, longest, name in self._runs:
            if held < copies:
                continue
            top, end = first + 1, min(first + longest, RUN_RANKS)
            while top < end and counts >> 4 * top & 15 >= copies:
                top += 1
            length = top - first
            if length >= shortest:
                lengths = (length,) if longest_only else range(shortest, length + 1)
                steps += [self._run_table[name, first, n] for n in lengths]
        return steps

    def _joker_price(self, counts: int) -> float:
        """Of a hand of jokers only."""
        if counts == 0:
            return 0.0
        return min(
            price + self._joker_price(counts - taken)
            for taken, price in self._jokers
            if covers(counts, taken)
        )
