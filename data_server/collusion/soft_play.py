"""Does a player let another's plays pass more often than those of other opponents?

Compared with the player's own habit against everybody else. The passes of one hand belong
together (a weak hand passes all the time), so a hand counts as one value.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from data_server.collusion import tails
from data_server.collusion.hands import Hand
from data_server.collusion.meetings import Pair

_LEAST_ELSEWHERE = 50  # answers to others, before there is a habit


@dataclass
class _Count:
    answers: int = 0
    passes: int = 0


@dataclass
class SoftPlay:
    _habit: dict[int, _Count] = field(default_factory=lambda: defaultdict(_Count))
    _hands: dict[tuple[int, int], list[_Count]] = field(default_factory=lambda: defaultdict(list))

    @classmethod
    def of(cls, hands: Iterable[Hand]) -> SoftPlay:
        made = cls()
        for hand in hands:
            counts: dict[tuple[int, int], _Count] = defaultdict(_Count)
            for answer in hand.answers:
                for count in (made._habit[answer.who], counts[answer.who, answer.whom]):
                    count.answers += 1
                    count.passes += answer.passed
            for key, count in counts.items():
                made._hands[key].append(count)
        return made

    def p_value(self, pair: Pair) -> tuple[int, float, float]:
        """(passes, expected passes, chance of so many more), both directions together."""
        passes, expected, values = 0, 0.0, []
        for who, whom in (pair, pair[::-1]):
            hands = self._hands.get((who, whom), [])
            habit = self._habit[who]
            here, passed = sum(c.answers for c in hands), sum(c.passes for c in hands)
            elsewhere = habit.answers - here
            if elsewhere < _LEAST_ELSEWHERE:
                continue
            rate = (habit.passes - passed) / elsewhere
            passes += passed
            expected += rate * here
            values += [count.passes - rate * count.answers for count in hands]
        return passes, expected, tails.above(tails.self_normalised(values))
