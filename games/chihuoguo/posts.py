"""Two posts and a third card: kinds, results, stakes. Ranks are 1 (A) .. 13 (K)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from paiju.rules.cards import RANKS

RANK = tuple((place + 2) % 13 + 1 for place in range(13))
"""Rank of each place in the order of paiju.rules.cards: 3 .. K, A = 1, 2."""
ACE, KING = 1, 13
LETTERS = "".join(sorted(RANKS, key=lambda letter: RANK[RANKS.index(letter)]))
"""A 2 .. K: the letter of rank r is LETTERS[r - 1]."""


class Result(NamedTuple):
    """What the third card does. factor: times the stake; 0 for the whole pot."""

    outcome: str
    factor: int


class Limits(NamedTuple):
    """Legal stakes are all integers from lowest to highest."""

    lowest: int
    highest: int


class Stakes(NamedTuple):
    """What a room plays for; amounts in units. See docs/games/chihuoguo.md."""

    min_stake: int
    stake_cap: int
    loss_cap: int
    wealth_divisor: int
    pillar_factor: int
    pillar_factor_ak: int

    def limits(self, kind: str, pot: int, wealth: int | None) -> Limits | None:
        """None: no stake is legal. wealth None: score play, no cap by wealth."""
        if kind == "consecutive":
            return None
        lowest = min(self.min_stake, pot)
        highest = min(pot, self.stake_cap)
        if wealth is not None:
            highest = min(highest, wealth // self.wealth_divisor)
        if highest < lowest:
            return None
        return Limits(lowest, lowest if kind == "pair" else highest)

    def result(self, posts: Sequence[int], third: int) -> Result:
        """posts and third: cards. The posts are not consecutive."""
        low, high = ranks_of(posts)
        rank = RANK[third // 4]
        kind = kind_of(posts)
        if kind == "pair":
            return Result("triple", 0) if rank == low else Result("pair_miss", -1)
        if low < rank < high:
            return Result("between", 1)
        if rank not in (low, high):
            return Result("outside", -1)
        return Result(
            "pillar", -(self.pillar_factor_ak if kind == "ace_king" else self.pillar_factor)
        )

    def change(self, result: Result, stake: int, pot: int, wealth: int | None) -> int:
        """What the seat wins (> 0) from the pot or pays (< 0) into it."""
        if result.outcome == "triple":
            return pot
        if result.factor > 0:
            return result.factor * stake
        loss = min(-result.factor * stake, self.loss_cap)
        return -(loss if wealth is None else min(loss, wealth))


def ranks_of(posts: Sequence[int]) -> tuple[int, int]:
    """The lower and the higher rank."""
    first, second = (RANK[card // 4] for card in posts)
    return min(first, second), max(first, second)


def kind_of(posts: Sequence[int]) -> str:
    low, high = ranks_of(posts)
    if low == high:
        return "pair"
    if high - low == 1:
        return "consecutive"
    return "ace_king" if (low, high) == (ACE, KING) else "spread"


def letters(ranks: Iterable[int]) -> str:
    """Ranks as the letters on the cards, A first."""
    return "".join(LETTERS[rank - 1] for rank in ranks)


def winning_ranks(posts: Sequence[int]) -> str:
    """The ranks of third cards that win, as letters."""
    low, high = ranks_of(posts)
    return letters((low,) if low == high else range(low + 1, high))


def costly_ranks(posts: Sequence[int]) -> str:
    """The ranks that hit a post and cost a multiple; none for a pair."""
    low, high = ranks_of(posts)
    return "" if low == high else letters((low, high))


def parting(pot: int, seats: int, present: Sequence[int]) -> tuple[list[int], int]:
    """Half of what is left is shared by those present: (each seat's share, what stays)."""
    each = pot // 2 // len(present)
    return [each if seat in present else 0 for seat in range(seats)], pot - each * len(present)
