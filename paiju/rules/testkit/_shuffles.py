"""Packs that were shuffled badly: hands full of pairs, runs and bombs, which luck deals seldom.

A game must keep its promises whatever is dealt, and its corners lie in such hands.
"""

from __future__ import annotations

from paiju.rules.api import Rng

_DECKS = (1, 2, 3, 4)


class BadShuffle:
    """An Rng whose permutations keep much of the order in which decks come out of the box.

    seats: the pack is cut for so many hands, whether they are dealt as blocks or card by card.
    """

    def __init__(self, rng: Rng, seats: int) -> None:
        self._rng = rng
        self._seats = seats

    def below(self, n: int) -> int:
        return self._rng.below(n)

    def permutation(self, n: int) -> list[int]:
        """0..n-1: equal cards of several decks side by side, cut once, some pairs exchanged."""
        below = self._rng.below
        able = [decks for decks in _DECKS if n % decks == 0]
        size = max(1, n // able[below(len(able))])
        order = sorted(range(n), key=lambda place: place % size)
        cut = below(n) if n else 0
        order = order[cut:] + order[:cut]
        for _ in range(below(n // 3 + 1)):
            one, other = below(n), below(n)
            order[one], order[other] = order[other], order[one]
        return self._by_turns(order) if below(2) else order

    def _by_turns(self, order: list[int]) -> list[int]:
        """So that hands dealt a card each in turn hold what lay side by side."""
        height = -(-len(order) // self._seats)
        blocks = [order[seat * height : (seat + 1) * height] for seat in range(self._seats)]
        return [block[row] for row in range(height) for block in blocks if row < len(block)]
