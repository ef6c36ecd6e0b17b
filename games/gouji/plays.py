"""What may be played and what beats what (specification, section 2).

A play is cards of one base rank, any number of 2s on top of it, any number of jokers hung on
it. Everything follows from the packed counts, so readings are kept per counts.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from games.gouji import deck
from paiju.rules.cards import RANK_NAMES

_T, _J, _Q, _K, _A = 7, 8, 9, 10, 11
THRESHOLDS = {deck.TWO: 1, _A: 2, _K: 2, _Q: 3, _J: 4, _T: 5}
"""Cards that make a threshold play (够级牌) without jokers; 2s on top count."""

_READINGS = 1 << 14


class Reading(NamedTuple):
    """What a set of cards is as a play. Ranks 0..14 = 3 .. 2, BJ, RJ."""

    kind: str
    """single, set, topped, hung or jokers."""
    rank: int
    """Base rank; of pure jokers the joker's."""
    size: int
    """Number of cards."""
    jokers: int
    joker: int
    """BJ or RJ rank; BJ for a mix; 0 without jokers."""
    topped: bool
    """2s on a lower base, also under jokers."""
    gouji: bool
    """Threshold play."""
    opens: bool
    """Opening play (开点牌)."""

    def shown(self) -> dict[str, Any]:
        """As views and golden cases name it."""
        return {
            "kind": self.kind,
            "rank": RANK_NAMES[self.rank],
            "count": self.size,
            "jokers": self.jokers,
            "joker": RANK_NAMES[self.joker] if self.jokers else None,
            "topped": self.topped,
            "gouji": self.gouji,
            "opens": self.opens,
        }


class PlayRules:
    """The two rule sets differ in three points here.

    mixed: RJ and BJ in one play are allowed (and count as BJ). topped_opens: 2s on a lower
    base may open. big_joker_rules: nothing beats a play with an RJ.
    """

    def __init__(self, *, mixed: bool, topped_opens: bool, big_joker_rules: bool) -> None:
        self.mixed = mixed
        self.topped_opens = topped_opens
        self.big_joker_rules = big_joker_rules
        self.reading = lru_cache(_READINGS)(self._reading)
        """Cards -> Reading, None for what is no play."""

    def _reading(self, cards: int) -> Reading | None:
        counts = deck.counts_of(cards)
        have = [counts // one & 0xFFF for one in deck.ONE]
        small, big = have[deck.BJ_RANK], have[deck.RJ_RANK]
        twos = have[deck.TWO]
        jokers, count = small + big, counts % 0xFFF
        bases = [rank for rank in range(deck.TWO) if have[rank]]
        if not count or len(bases) > 1 or (small and big and not self.mixed):
            return None
        joker = 0 if not jokers else deck.BJ_RANK if small else deck.RJ_RANK
        rank = bases[0] if bases else deck.TWO if twos else joker
        topped = bool(bases and twos)
        gouji = bool(jokers) or count >= THRESHOLDS.get(rank, count + 1)
        opens = gouji and not jokers and not (rank == deck.TWO and count == 1)
        if topped and not self.topped_opens:
            opens = False
        return Reading(
            _kind(count, jokers, topped), rank, count, jokers, joker, topped, gouji, opens
        )

    def beats(self, ours: Reading, theirs: Reading) -> bool:
        """Whether `ours` may be laid on `theirs`: both the jokers and the rank are greater."""
        if ours.size != theirs.size:
            return False
        if theirs.jokers:
            if self.big_joker_rules and theirs.joker == deck.RJ_RANK:
                return False
            if ours.jokers == theirs.jokers:
                if ours.joker <= theirs.joker:
                    return False
            elif ours.jokers < theirs.jokers or ours.joker < theirs.joker:
                return False
        return ours.jokers == ours.size or ours.rank > theirs.rank


def _kind(count: int, jokers: int, topped: bool) -> str:
    if count == 1:
        return "single"
    if jokers:
        return "jokers" if jokers == count else "hung"
    return "topped" if topped else "set"
