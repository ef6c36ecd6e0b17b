"""The plays of a hand that are worth a thought: hints, buttons, bots and random players.

Not all legal plays: with four decks a hand has too many that differ in nothing. Listed are,
of each base rank, every number of its cards; all of them with 2s on top or jokers hung on;
pure jokers; and the whole hand. On a play of others: of each base rank and number of jokers
the one with the fewest 2s. Cards are taken lowest suit first.
"""

from __future__ import annotations

from collections.abc import Iterator

from games.gouji import deck
from games.gouji.deck import BJ_RANK, RJ_RANK, THREE, TWO, count_of, of_rank
from games.gouji.plays import PlayRules, Reading


class Finder:
    """Stateless; one per rule set."""

    def __init__(self, rules: PlayRules) -> None:
        self._rules = rules

    def leads(self, hand: int, *, bie_san: bool) -> list[int]:
        """Card sets, each once, at least one for a hand with cards."""
        if bie_san and not hand >> 12:
            return [hand]
        found: dict[int, None] = {}
        twos = count_of(hand, TWO)
        small, big = count_of(hand, BJ_RANK), count_of(hand, RJ_RANK)
        for rank in range(THREE + bie_san, TWO + 1):
            held = count_of(hand, rank)
            for n in range(1, held + 1):
                found[of_rank(hand, rank, n)] = None
            if not held:
                continue
            full = of_rank(hand, rank, held)
            for n in range(1, twos + 1 if rank != TWO else 1):
                found[full + of_rank(hand, TWO, n)] = None
            for joker, count in ((BJ_RANK, small), (RJ_RANK, big)):
                for n in range(1, count + 1):
                    hung = of_rank(hand, joker, n)
                    found[full + hung] = found[of_rank(hand, rank, 1) + hung] = None
        for joker, count in ((BJ_RANK, small), (RJ_RANK, big)):
            for n in range(1, count + 1):
                found[of_rank(hand, joker, n)] = None
        if (not bie_san or not hand & deck.THREES) and self._rules.reading(hand):
            found[hand] = None
        return list(found)

    def follows(self, hand: int, top: Reading, *, bie_san: bool) -> list[int]:
        """Card sets that beat `top`, each once; may be empty."""
        if self._rules.big_joker_rules and top.joker == RJ_RANK:
            return []
        found: dict[int, None] = {}
        twos = count_of(hand, TWO)
        for jokers in self._hung(hand, top):
            rest = top.size - deck.size_of(jokers)
            if not rest:
                found[jokers] = None
                continue
            for rank in range(max(top.rank + 1, THREE + bie_san), TWO):
                held = min(rest, count_of(hand, rank))
                if held and held + twos >= rest:
                    base = of_rank(hand, rank, held)
                    found[base + of_rank(hand, TWO, rest - held) + jokers] = None
            if top.rank < TWO and twos >= rest:
                found[of_rank(hand, TWO, rest) + jokers] = None
        return list(found)

    def _hung(self, hand: int, top: Reading) -> Iterator[int]:
        """Sets of jokers that meet the joker side of `top`, fewest first; the empty set too."""
        small, big = count_of(hand, BJ_RANK), count_of(hand, RJ_RANK)
        if not top.jokers:
            yield 0
        for n in range(max(top.jokers, 1), min(top.size, small + big) + 1):
            more = n > top.jokers
            if more and n <= small and top.joker != RJ_RANK:
                yield of_rank(hand, BJ_RANK, n)
            if n <= big and (more or top.joker == BJ_RANK):
                yield of_rank(hand, RJ_RANK, n)
            mixes = self._rules.mixed and top.joker != RJ_RANK and small and big
            if mixes and more and n > max(small, big):
                few = min(small, n - 1)
                yield of_rank(hand, BJ_RANK, few) + of_rank(hand, RJ_RANK, n - few)

    def can_beat(self, hand: int, top: Reading, *, bie_san: bool) -> bool:
        """Exactly whether the hand holds any play that beats `top`."""
        return bool(self.follows(hand, top, bie_san=bie_san))
