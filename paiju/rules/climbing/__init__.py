"""Climbing games of the Dou Dizhu family: combinations, plays, the hand, settlement.

`Combos` holds what a set of cards may be played as, `Finder` which plays a hand holds,
`ClimbingState` and `ClimbingGame` what every rule set of the family does alike. A rule set
adds its kinds of combinations, its phases before the first lead, and its scoring.
"""

from paiju.rules.climbing.combos import ROCKET, Combos, Kind, Reading
from paiju.rules.climbing.decks import ONE_DECK, TWO_DECKS
from paiju.rules.climbing.finder import Finder
from paiju.rules.climbing.game import ClimbingGame, play, shown_reading
from paiju.rules.climbing.hand import Deal, Move
from paiju.rules.climbing.plays import PASS, PLAY, Plays
from paiju.rules.climbing.settle import (
    Settlement,
    escaped,
    landlord_game,
    settled,
    two_sides,
)
from paiju.rules.climbing.state import ESCAPE, ClimbingState
from paiju.rules.climbing.worlds import Known

__all__ = [
    "ESCAPE",
    "ONE_DECK",
    "PASS",
    "PLAY",
    "ROCKET",
    "TWO_DECKS",
    "ClimbingGame",
    "ClimbingState",
    "Combos",
    "Deal",
    "Finder",
    "Kind",
    "Known",
    "Move",
    "Plays",
    "Reading",
    "Settlement",
    "escaped",
    "landlord_game",
    "play",
    "settled",
    "shown_reading",
    "two_sides",
]
