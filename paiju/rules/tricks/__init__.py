"""Trick games with a trump suit: what ranks how, what may be led and followed, who wins.

`packs` are sets of cards of up to three decks; a `Ranking` knows suits and rungs once level
and trump suit are fixed; `Tractors` and `Sticks` are the rules of leads and follows.
"""

from paiju.rules.tricks.ranking import NO_TRUMP, TRUMP, Ranking, points_of, ranking
from paiju.rules.tricks.rules import (
    Lead,
    Sticks,
    Tractors,
    TrickRules,
    best_of,
    lead_of,
    sticks,
    tractors,
)
from paiju.rules.tricks.shapes import KIND_NAMES, Component

__all__ = [
    "KIND_NAMES",
    "NO_TRUMP",
    "TRUMP",
    "Component",
    "Lead",
    "Ranking",
    "Sticks",
    "Tractors",
    "TrickRules",
    "best_of",
    "lead_of",
    "points_of",
    "ranking",
    "sticks",
    "tractors",
]
