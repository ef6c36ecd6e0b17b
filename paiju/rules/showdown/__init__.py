"""Showdown games: seats bet or arrange, often all at once, then hands or cards decide.

`RoundState` and `RoundGame` are what such hands and games do alike: choices that stay hidden
until all are in, log, snapshot, escape, worlds, text. `settle` pays out what winners are owed,
capped by what everybody has. A rule set adds its phases and its order of hands.
"""

from paiju.rules.showdown.game import RoundGame
from paiju.rules.showdown.parameters import amount, numbers
from paiju.rules.showdown.round import ARGUMENT, ESCAPE, Action, RoundState
from paiju.rules.showdown.settle import Settlement, fees_taken, share, through_banker

__all__ = [
    "ARGUMENT",
    "ESCAPE",
    "Action",
    "RoundGame",
    "RoundState",
    "Settlement",
    "amount",
    "fees_taken",
    "numbers",
    "share",
    "through_banker",
]
