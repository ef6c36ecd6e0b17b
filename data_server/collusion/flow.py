"""Do coins go from one player to another more one-sidedly than their play explains?

What a loser loses in a hand goes to its winners in proportion to their gains. Skill explains
part of it: who wins from everybody wins from this one, too. So from each hand's flow, as a part
of the hand's turnover, we take what the two win and lose where they do not meet; the rest is
one-sided for colluders and symmetric for others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from data_server.collusion import tails
from data_server.collusion.hands import Hand
from data_server.collusion.meetings import Pair, pair_of

_SHRINK = 30.0  # hands: a mean over fewer says little about skill


@dataclass
class _Mean:
    total: float = 0.0
    hands: int = 0


@dataclass
class Flow:
    """coins: from the first to the second of a pair, negative the other way."""

    coins: dict[Pair, float] = field(default_factory=lambda: defaultdict(float))
    _parts: dict[Pair, list[tuple[float, int]]] = field(default_factory=lambda: defaultdict(list))
    _net: dict[int, _Mean] = field(default_factory=lambda: defaultdict(_Mean))
    _net_together: dict[tuple[int, int], _Mean] = field(default_factory=lambda: defaultdict(_Mean))

    @classmethod
    def of(cls, hands: Iterable[Hand]) -> Flow:
        made = cls()
        for hand in hands:
            if hand.turnover > 0:
                made._add(hand)
        return made

    def _add(self, hand: Hand) -> None:
        nets, turnover = hand.nets, hand.turnover
        for player, net in nets.items():
            share = net / turnover
            _note(self._net[player], share)
            for other, theirs in nets.items():
                if other == player:
                    continue
                _note(self._net_together[player, other], share)
                if player < other:
                    moved = _moved(net, theirs, turnover)
                    pair = pair_of(player, other)
                    self.coins[pair] += moved
                    self._parts[pair].append((moved / turnover, hand.seats))

    def _skill(self, player: int, without: int) -> float:
        """Mean share of the turnover per hand, in hands without the other."""
        whole, part = self._net[player], self._net_together[player, without]
        hands = whole.hands - part.hands
        return (whole.total - part.total) / (hands + _SHRINK)

    def hands(self, pair: Pair) -> int:
        return len(self._parts[pair])

    def p_value(self, pair: Pair) -> float:
        """Chance of so one-sided a flow, in either direction."""
        first, second = pair
        edge = self._skill(second, first) - self._skill(first, second)
        rest = [part - edge / seats for part, seats in self._parts[pair]]
        return min(1.0, 2 * tails.above(abs(tails.self_normalised(rest))))


def _note(mean: _Mean, value: float) -> None:
    mean.total += value
    mean.hands += 1


def _moved(first: int, second: int, turnover: int) -> float:
    """Coins from the first to the second."""
    if first < 0 < second:
        return -first * second / turnover
    if second < 0 < first:
        return second * first / turnover
    return 0.0
