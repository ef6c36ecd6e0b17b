"""When a bot cuts its own connection: seeded, and in the middle of a hand."""

from __future__ import annotations

import enum
import random
from dataclasses import dataclass


class When(enum.Enum):
    """Relative to an own action. DURING: sent, but the answer not awaited."""

    BEFORE = "before"
    DURING = "during"
    AFTER = "after"


@dataclass(frozen=True, slots=True)
class Drop:
    when: When
    away_s: float


class DropPlan:
    """One bot's moments. rate: probability per own action."""

    def __init__(self, *, seed: int, bot: int, rate: float, away_s: tuple[float, float]) -> None:
        self._random = random.Random(f"{seed}/{bot}/drops")
        self._rate = rate
        self._away_s = away_s

    def next(self) -> Drop | None:
        """Whether and how the connection is cut at the bot's next action."""
        if self._random.random() >= self._rate:
            return None
        when = self._random.choice(list(When))
        return Drop(when, self._random.uniform(*self._away_s))
