"""What beats a group of equal cards - a single, a pair, a trio - by the cards above it.

Most questions of a hand are these, and few cards are above most groups: the answers are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from paiju.rules.climbing.decks import Deck
from paiju.rules.climbing.packed import BJ_RANK, ONE, RANKS, SPACED
from paiju.rules.climbing.plays import PASS, PLAY

_KEPT: Final = 1 << 11


class Above(dict[int, tuple[int, ...]]):
    """Cards -> the actions: pass, the groups of higher ranks, the bombs of jokers.

    A hand is looked up by those of its cards that are in `mask`. It must not hold four equal
    cards: those are bombs, too.
    """

    def __init__(
        self,
        deck: Deck,
        rank: int,
        copies: int,
        ranks: int,
        jokers: Sequence[tuple[int, ...]],
    ) -> None:
        """ranks: spaced mask of those above; jokers: packed jokers -> the bombs in them."""
        self._deck = deck
        self._copies = copies
        self._ranks = ranks
        self._jokers = jokers
        self.mask = _cards_above(deck, min(rank, BJ_RANK - 1))

    def __missing__(self, cards: int) -> tuple[int, ...]:
        if len(self) >= _KEPT:
            self.clear()
        pick, counts = self._deck.pick, self._deck.counts(cards)
        groups = [
            ONE[rank] * self._copies
            for rank in range(RANKS)
            if self._ranks & ONE[rank] and counts >> 4 * rank & 15 >= self._copies
        ]
        groups += self._jokers[counts >> 4 * BJ_RANK]
        found = (PASS, *[pick(cards, group) << 8 | PLAY for group in groups])
        self[cards] = found
        return found


def _cards_above(deck: Deck, rank: int) -> int:
    """All bits of the cards above a rank."""
    below = deck.of(range(sum(deck.of_rank[: rank + 1])))
    whole = (1 << deck.full.bit_length()) - 1
    return whole >> below.bit_length() << below.bit_length()


FOURS: Final = SPACED * 12
"""Packed counts of a hand have no bit in it unless a rank is held four times."""
