"""How few plays a hand needs: the heart of the bot.

`fewest(counts)` is the least number of plays that empty the hand if nobody interferes, wings
absorbed: an upper bound by depth-first search over the lowest rank, memoised by the counts.
"""

from __future__ import annotations

from functools import lru_cache

from paiju.rules.climbing.packed import JOKERS, ONE, RUN_RANKS, count_of

_RUNS = ((1, 5), (2, 3), (3, 2))  # copies, shortest


@lru_cache(maxsize=200_000)
def _groups(counts: int) -> tuple[tuple[int, int, int], ...]:
    """Reachable (plays without trios' wings, trio bodies, small groups) that are not dominated."""
    if counts == 0:
        return ((0, 0, 0),)
    if counts == JOKERS:
        return ((1, 0, 0), (0, 0, 2))
    rank = ((counts & -counts).bit_length() - 1) // 4
    held = count_of(counts, rank)
    options: list[tuple[int, tuple[int, int, int]]] = []
    one = ONE[rank]
    for copies, shortest in _RUNS:
        if held < copies or rank >= RUN_RANKS:
            continue
        taken, length, r = 0, 0, rank
        while r < RUN_RANKS and count_of(counts, r) >= copies:
            taken += ONE[r] * copies
            length += 1
            r += 1
            if length >= shortest:
                step = (1, length, 0) if copies == 3 else (1, 0, 0)
                options.append((taken, step))
    options.append((one, (0, 0, 1)))
    if held >= 2:
        options.append((one * 2, (0, 0, 1)))
    if held >= 3:
        options.append((one * 3, (1, 1, 0)))
    if held == 4:
        options.append((one * 4, (1, 0, 0)))
    found: set[tuple[int, int, int]] = set()
    for taken, (plays, trios, small) in options:
        for more in _groups(counts - taken):
            found.add((plays + more[0], trios + more[1], small + more[2]))
    return tuple(_best(found))


def _best(found: set[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """The few candidates that can still be the best."""
    ordered = sorted(found, key=lambda f: (f[0] + max(0, f[2] - f[1]), f[0]))
    return ordered[:4]


@lru_cache(maxsize=200_000)
def fewest(counts: int) -> int:
    """Plays needed to empty the hand, when each trio takes a small group with it."""
    return min(plays + max(0, small - trios) for plays, trios, small in _groups(counts))
