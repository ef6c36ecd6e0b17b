"""What a hand is worth: the heart of the bot.

`burden(counts)` is about the number of times that the hand must still be given the lead: each
play costs one, less what it is likely to win back (a 2 often, a low single never, a bomb more
than itself), and small groups that a trio can carry are free. It is the least over all
partitions of the hand into plays, found from the lowest rank upwards and kept by counts.
"""

from __future__ import annotations

from functools import lru_cache

from paiju.rules.climbing import Reading
from paiju.rules.climbing.packed import BJ_RANK, JOKERS, ONE, RJ_RANK, RUN_RANKS, count_of

_RUNS = ((1, 5, "straight"), (2, 3, "pair_straight"), (3, 2, "trio_straight"))
_A, _TWO = 11, 12
_SINGLE = {RJ_RANK: 1.1, BJ_RANK: 0.95, _TWO: 0.7, _A: 0.35, 10: 0.15, 9: 0.05}
_PAIR = {_TWO: 1.0, _A: 0.65, 10: 0.4, 9: 0.25, 8: 0.15, 7: 0.05}
_CARRIED = 0.85
"""What is saved when a trio carries a small group."""
_SMALL = 10
"""Up to kings a single or pair is rather carried than played."""
_KEPT = 5
"""Partitions kept per rest of a hand."""


def gain(kind: str, rank: int, length: int) -> float:
    """Chance to win the lead back with a play, 0..1; bombs are worth more than that."""
    if kind == "rocket":
        return 2.3
    if kind == "bomb":
        return 1.7 + 0.02 * rank
    if kind == "single":
        return _SINGLE.get(rank, 0.0)
    if kind == "pair":
        return _PAIR.get(rank, 0.0)
    if kind.startswith("four"):
        return 0.9
    if (kind.startswith("trio_s") and length > 1) or kind.startswith("plane"):
        return 0.6 + 0.03 * rank
    if kind.startswith("trio"):
        return min(0.9, 0.15 + 0.06 * rank)
    if kind == "straight":
        return min(0.9, 0.06 * (rank - 4) + 0.08 * (length - 5) + 0.05)
    return min(0.9, 0.06 * (rank - 2) + 0.1 * (length - 3) + 0.2)


def cost(reading: Reading) -> float:
    return 1.0 - gain(*reading)


_Option = tuple[float, int, int]
"""(cost of the plays, trios that can carry, small groups to be carried)."""


def _total(option: _Option) -> float:
    plays, trios, small = option
    return plays - _CARRIED * min(trios, small)


_COST = {
    (kind, rank, length): 1.0 - gain(kind, rank, length)
    for kind, longest in (("straight", 12), ("pair_straight", 10), ("trio_straight", 6))
    for rank in range(RUN_RANKS)
    for length in range(2, longest + 1)
}
_GROUP = {
    (copies, rank): 1.0 - gain(kind, rank, 1)
    for copies, kind in ((1, "single"), (2, "pair"), (3, "trio"), (4, "bomb"))
    for rank in range(15)
}
_ROCKET_COST = 1.0 - gain("rocket", RJ_RANK, 2)


@lru_cache(maxsize=1 << 15)
def _options(counts: int) -> tuple[_Option, ...]:
    """The few best ways to play the hand, as totals."""
    if counts == 0:
        return ((0.0, 0, 0),)
    if counts == JOKERS:
        return ((_ROCKET_COST, 0, 0),)
    rank = ((counts & -counts).bit_length() - 1) >> 2
    one, held = ONE[rank], count_of(counts, rank)
    steps: list[tuple[int, float, int, int]] = []
    for copies, shortest, kind in _RUNS:
        if held < copies or rank >= RUN_RANKS:
            continue
        taken, top = 0, rank
        while top < RUN_RANKS and count_of(counts, top) >= copies:
            taken += ONE[top] * copies
            length = top - rank + 1
            if length >= shortest:
                trios = length if copies == 3 else 0
                steps.append((taken, _COST[kind, top, length], trios, 0))
            top += 1
    small = 1 if rank <= _SMALL else 0
    for copies in range(1, held + 1):
        trios, carried = (1, 0) if copies == 3 else (0, small if copies < 3 else 0)
        steps.append((one * copies, _GROUP[copies, rank], trios, carried))
    found = {
        (price + plays, trios + more_trios, carried + more_small)
        for taken, price, trios, carried in steps
        for plays, more_trios, more_small in _options(counts - taken)
    }
    return tuple(sorted(found, key=lambda option: (_total(option), option))[:_KEPT])


@lru_cache(maxsize=1 << 15)
def burden(counts: int) -> float:
    """About how often the hand must be given the lead to get rid of it; 0 when it is empty."""
    return _total(_options(counts)[0])
