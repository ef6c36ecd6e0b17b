"""Golden cases of Huanle and Huopin Dou Dizhu."""

from __future__ import annotations

from typing import Any

from games.doudizhu import titles
from games.doudizhu.cases import (
    Case,
    CaseTable,
    Operations,
    booked,
    combinations,
    fled,
    playing,
    titled,
)
from games.doudizhu.huanle import SEATS, Huanle, HuanleState, Huopin, flight_penalty
from games.doudizhu.step_deal import STEPS


class HuanleTable(CaseTable):
    """Cases do not say when cards are dealt: the deal goes on as far as a line needs it."""

    state: HuanleState

    def deal(self) -> None:
        deck, deal = self.state.deck, self.case["deal"]
        self._cards = [[deck.parse(name) for name in text.split()] for text in deal["hands"]]
        self._bottom = [deck.parse(name) for name in deal.get("bottom", "").split()]
        self._bottom += [0] * (SEATS - len(self._bottom))
        self._next_step(self.case["first_seat"], [0] * SEATS)

    def _next_step(self, number: int, piles: list[int]) -> None:
        self.state.deal_unchecked((number, tuple(piles), 0, 0))

    def _deal_up_to(self, step: int) -> None:
        while self.state.step < min(step, STEPS):
            at = self.state.step
            self._next_step(at + 1, [hand[at] if at < len(hand) else 0 for hand in self._cards])
        if step > STEPS and self.state.stage == "deal":
            self._next_step(STEPS + 1, self._bottom)

    def act(self, seat: int, text: str) -> None:
        verb, _, argument = text.partition(" ")
        started = self.state.step > 0
        if verb == "show_hand" and argument.isdecimal():
            self._deal_up_to(int(argument) if int(argument) < STEPS else STEPS + 1)
        elif text != "show_hand start" and (text != "escape" or started):
            self._deal_up_to(STEPS + 1)
        super().act(seat, text)

    def standing(self) -> dict[str, Any]:
        if not self.state.is_terminal():
            self._deal_up_to(STEPS + 1)
        return super().standing()


def _settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    bombs, robs = given.get("bombs", 0), given.get("robs", 0)
    stakes = max([1, *given.get("shows", ())]) * 2 ** (robs + bombs)
    unit = given.get("initial", 1) * given.get("N", 1)
    if given.get("escape"):
        flown = given["escape"]["seat"] == given.get("landlord")
        penalty = flight_penalty(stakes, landlord=flown, unit=unit)
        return fled(given, penalty=penalty, seats=SEATS)
    unit *= stakes * (2 if given.get("spring") else 1)
    return booked(given, unit=unit, seats=SEATS, by_wealth=True)


HUOPIN: Operations = {
    **combinations(Huopin.combos),
    "settle": _settle,
    "play": playing(Huopin, HuanleTable),
}
HUANLE: Operations = {
    **HUOPIN,
    **titled(titles.BY_BEANS),
    "play": playing(Huanle, HuanleTable),
}
