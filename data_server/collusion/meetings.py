"""Do two players meet more often than chance seats them together?

A trial is a player who joins a table while the other one plays in the same pool: chance would
seat the other beside with (seats beside) / (others who play). Only joining counts, so staying
together for a hundred hands is one meeting.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from data_server.collusion import tails
from data_server.collusion.hands import Hand

SLOT_US = 1800 * 10**6  # who plays in the same half hour could have met
GAP_US = 600 * 10**6  # a table that rests longer begins anew

Pair = tuple[int, int]


def pair_of(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True, slots=True)
class Join:
    """A player comes to a table; `beside`: who is there in the first hand after that."""

    slot: tuple[str, int]
    beside: frozenset[int]
    together: frozenset[int]  # those of `beside` who came at the same time


@dataclass
class Meetings:
    met: Counter[Pair] = field(default_factory=Counter)
    _joins: dict[int, list[Join]] = field(default_factory=lambda: defaultdict(list))
    _active: dict[tuple[str, int], set[int]] = field(default_factory=lambda: defaultdict(set))

    @classmethod
    def of(cls, hands: Iterable[Hand]) -> Meetings:
        """hands: in the order of their ends."""
        made = cls()
        seated: dict[int, tuple[int, frozenset[int]]] = {}
        for hand in hands:
            here = frozenset(hand.nets)
            ended, before = seated.get(hand.table, (0, frozenset()))
            if hand.ended_us - ended > GAP_US:
                before = frozenset()
            seated[hand.table] = (hand.ended_us, here)
            slot = (hand.pool, hand.ended_us // SLOT_US)
            made._active[slot] |= here
            made._note(slot, here, came=here - before)
        return made

    def _note(self, slot: tuple[str, int], here: frozenset[int], *, came: frozenset[int]) -> None:
        for player in came:
            join = Join(slot, here - {player}, came - {player})
            self._joins[player].append(join)
            for other in join.beside:
                if other not in came or player < other:
                    self.met[pair_of(player, other)] += 1

    def chances(self, pair: Pair) -> list[float]:
        """Of each trial in which they could have met."""
        chances = []
        for player, other in (pair, pair[::-1]):
            for join in self._joins[player]:
                if other in join.together and other < player:
                    continue  # one meeting, counted from the other side
                others = self._active[join.slot] - {player}
                if other in others:
                    chances.append(min(1.0, len(join.beside) / len(others)))
        return chances

    def p_value(self, pair: Pair) -> tuple[float, float]:
        """(expected meetings, chance of at least as many as there were)."""
        chances = self.chances(pair)
        return sum(chances), tails.at_least(self.met[pair], chances)
