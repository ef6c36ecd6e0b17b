"""Which plays of a hand are legal: what the hand, the table and three extra rules allow.

The same for a state and for a client that has only its view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.wuhuaguo.kinds import Kinds
from paiju.rules.cards import BITS, parse_card
from paiju.rules.climbing import PASS, Reading
from paiju.rules.climbing.packed import counts_of
from paiju.rules.climbing.plays import LOWEST_PLAY

OPENING_CARD = parse_card("3h")
OPENING = BITS[OPENING_CARD]
"""3h as a set."""
_THREES = 0b1111


class Turn(NamedTuple):
    """One seat's turn in the play. table None: it leads."""

    hand: int
    table: Reading | None
    opening: bool
    """It must play 3h."""
    alarm: bool
    """The next seat holds one card: a single must be of the highest rank. Not when opening."""
    must_beat: bool
    """It may not pass when it can beat the table."""

    def plays(self, kinds: Kinds) -> Sequence[int]:
        """The legal actions, each multiset of ranks once, pass first."""
        counts = counts_of(self.hand)
        if self.table is not None:
            found: Sequence[int] = kinds.finder.follows(self.hand, counts, self.table)
        else:
            found = kinds.finder.leads(self.hand, counts)
        if not (self.opening or self.alarm or self.must_beat):
            return found
        plays = list(found)
        if self.opening:
            plays = [opened(action) for action in plays if action >> 8 & _THREES]
        if self.alarm:
            top = highest_rank(self.hand)
            plays = [a for a in plays if not is_low_single(a, top)]
        if self.must_beat and plays[0] == PASS and len(plays) > 1:
            del plays[0]
        return plays


def opened(action: int) -> int:
    """The same play with 3h in the place of its lowest 3."""
    cards = action >> 8
    if cards & OPENING:
        return action
    lowest = cards & -cards
    return (cards ^ lowest | OPENING) << 8 | action & 0xFF


def highest_rank(hand: int) -> int:
    return (hand.bit_length() - 1) // 4


def is_low_single(action: int, top: int) -> bool:
    """Whether a play is one card below that rank."""
    cards = action >> 8
    return action >= LOWEST_PLAY and cards.bit_count() == 1 and highest_rank(cards) < top


def has_opening(cards: int) -> bool:
    return bool(cards & OPENING)
