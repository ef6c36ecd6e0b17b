"""What a run of the driver found out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

MAX_ERRORS = 100


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds from sending an action to seeing it on the own board."""

    p50: float
    p99: float
    max: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Latency:
        """Exact percentiles (nearest rank) of all samples; zeros without any."""
        ordered = sorted(seconds)
        if not ordered:
            return cls(0.0, 0.0, 0.0)
        return cls(_rank(ordered, 0.50), _rank(ordered, 0.99), _ms(ordered[-1]))


def _rank(ordered: Sequence[float], q: float) -> float:
    return _ms(ordered[max(0, math.ceil(q * len(ordered)) - 1)])


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 3)


@dataclass(kw_only=True)
class LoadResult:
    """hands: finished ones, each once. resumes: connections dropped on purpose after which
    exactly the missed numbers came and every view check was right. resumed_by_snapshot:
    those for which the host sent a snapshot instead (its epoch had changed)."""

    players: int
    hands: int
    voided: int
    actions: int
    latency_samples: int
    latency_ms: Latency
    resumes: int
    resumed_by_snapshot: int
    views_checked: int
    view_mismatches: int
    too_late: int
    broke: int
    seconds: float
    error_count: int = 0
    errors: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
