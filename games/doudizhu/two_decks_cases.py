"""Golden cases of the two-deck games against three."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from games.doudizhu.cases import (
    Case,
    Operations,
    booked,
    combinations,
    fled,
    playing,
)
from games.doudizhu.four import ESCAPE_FACTOR, SEATS, FourPlayers
from games.doudizhu.landlord import LandlordGame
from games.doudizhu.one_v_three import OneAgainstThree
from games.doudizhu.two_decks import factor


def _settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    stake = factor(given.get("bombs", ())) * given.get("N", 1)
    base = given.get("base", 1)
    if given.get("escape"):
        return fled(given, penalty=ESCAPE_FACTOR * max(base, 1) * stake, seats=SEATS)
    return booked(given, unit=base * stake * (2 if given.get("spring") else 1), seats=SEATS)


def _operations(game: Callable[[Any], LandlordGame]) -> Operations:
    return {
        **combinations(game({}).combos),
        "settle": _settle,
        "play": playing(game),
    }


FOUR_PLAYERS: Operations = _operations(FourPlayers)
ONE_AGAINST_THREE: Operations = _operations(OneAgainstThree)
