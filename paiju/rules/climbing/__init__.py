"""Climbing games of the Dou Dizhu family: combinations, plays, the hand, settlement.

`Combos` holds what a set of cards may be played as, `Finder` which plays a hand holds,
`ClimbingState` and `ClimbingGame` what every rule set of the family does alike. A rule set
adds its kinds of combinations, its phases before the first lead, and its scoring.
"""

from paiju.rules.climbing.combos import ROCKET, Combos, Kind, Reading
from paiju.rules.climbing.game import ClimbingGame, play, shown_reading
from paiju.rules.climbing.plays import PASS, PLAY, Finder, Plays
from paiju.rules.climbing.settle import Settlement, by_claim, escaped, landlord_game
from paiju.rules.climbing.state import ESCAPE, ClimbingState, Deal, Move

__all__ = [
    "ESCAPE",
    "PASS",
    "PLAY",
    "ROCKET",
    "ClimbingGame",
    "ClimbingState",
    "Combos",
    "Deal",
    "Finder",
    "Kind",
    "Move",
    "Plays",
    "Reading",
    "Settlement",
    "by_claim",
    "escaped",
    "landlord_game",
    "play",
    "shown_reading",
]
