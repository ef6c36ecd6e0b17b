"""How likely so much is by chance."""

from __future__ import annotations

import math
from collections.abc import Sequence

_EXACT = 2_000  # trials; beyond, the normal law does


def at_least(successes: int, chances: Sequence[float]) -> float:
    """P(at least so many of independent trials with these chances succeed)."""
    if successes <= 0:
        return 1.0
    if successes > len(chances):
        return 0.0
    if len(chances) > _EXACT:
        mean = math.fsum(chances)
        spread = math.sqrt(math.fsum(p * (1 - p) for p in chances))
        return above((successes - 0.5 - mean) / spread) if spread else float(mean >= successes)
    # below[k]: the chance of exactly k so far, for k < successes
    below = [1.0] + [0.0] * (successes - 1)
    for p in chances:
        for k in range(successes - 1, 0, -1):
            below[k] += p * (below[k - 1] - below[k])
        below[0] *= 1 - p
    return max(0.0, 1 - math.fsum(below))


def above(z: float) -> float:
    """P(a standard normal value exceeds z)."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def self_normalised(values: Sequence[float]) -> float:
    """Sum over root of the sum of squares: about standard normal, and never beyond it in the
    tail, when the values are independent and symmetric about 0, however they are spread
    (Efron, 1969). 0 for none."""
    squares = math.fsum(value * value for value in values)
    return math.fsum(values) / math.sqrt(squares) if squares > 0 else 0.0
