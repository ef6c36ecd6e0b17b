"""Golden cases of Dou Dizhu for five."""

from __future__ import annotations

from typing import Any

from games.doudizhu.cases import Case, CaseTable, Operations, combinations, fled, playing
from games.doudizhu.five import (
    ESCAPE_FACTOR,
    NEXT,
    SEATS,
    FivePlayers,
    FiveState,
    sides_settled,
)
from games.doudizhu.five_kinds import doubling
from paiju.rules.api import CHANCE, IllegalAction


class FiveTable(CaseTable):
    """Cases ask the landlords only, and go on when these have answered."""

    state: FiveState

    def _asked(self) -> list[int]:
        return [seat for seat in self.state.landlords() if self.state.answers[seat] is None]

    def to_act(self) -> list[int]:
        return self._asked() if self.state.stage == "reveal" else super().to_act()

    def act(self, seat: int, text: str) -> None:
        revealing = self.state.stage == "reveal"
        if revealing and text != "escape" and seat not in self._asked():
            raise IllegalAction("not_your_turn")
        super().act(seat, text)
        if self.state.stage == "reveal" and not self._asked():
            self.state.apply(CHANCE, NEXT)

    def standing(self) -> dict[str, Any]:
        state = self.state
        return {
            **super().standing(),
            "hidden_public": state.public and state.hidden is not None,
        }


def _settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    stakes = doubling(given.get("bombs", ())) << given.get("doubles", 0)
    unit = stakes * (2 if given.get("revealed") else 1) * given.get("base", 1) * given.get("N", 1)
    if given.get("escape"):
        return fled(given, penalty=ESCAPE_FACTOR * unit, seats=SEATS)
    booked = sides_settled(
        landlord=given["landlord"],
        hidden=given.get("hidden"),
        landlords_won=given["winner"] == "landlord",
        unit=unit * (2 if given.get("spring") else 1),
        fee=given.get("A", 0),
        wealth=given.get("wealth"),
    )
    return {"deltas": list(booked.deltas), "fee": list(booked.fees)}


OPERATIONS: Operations = {
    **combinations(FivePlayers.combos),
    "settle": _settle,
    "play": playing(FivePlayers, FiveTable),
}
