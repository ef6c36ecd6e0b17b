"""Golden cases of the package: operation -> function(case) -> answer.

What a rule set adds is in its own `*_cases` functions; the common operations are here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.doudizhu import titles
from games.doudizhu.classic import ESCAPE_FACTOR, SEATS
from games.doudizhu.landlord import LandlordGame, LandlordState
from games.doudizhu.rules import Doudizhu
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cases import told
from paiju.rules.climbing import Combos, escaped, landlord_game

Case = Mapping[str, Any]
Operations = Mapping[str, Callable[[Case], Any]]


def combinations(combos: Combos) -> Operations:
    """`classify` and `beats`."""

    def counts_of(text: str) -> int | None:
        """Packed counts; None for a set with more copies than the deck has."""
        try:
            return combos.deck.counts(combos.deck.parse(text))
        except ValueError:
            return None

    def classify(case: Case) -> list[dict[str, object]]:
        counts = counts_of(case["cards"])
        if counts is None:
            return []
        return [reading.shown() for reading in combos.readings.get(counts, ())]

    def beats(case: Case) -> bool:
        lead, follow = counts_of(case["lead"]), counts_of(case["follow"])
        if lead is None or lead not in combos.readings:
            raise ValueError("lead is no legal play")
        table = combos.readings[lead][0]
        if "lead_as" in case:
            table = next(r for r in combos.readings[lead] if r.kind == case["lead_as"])
        return follow is not None and combos.reading_on(follow, table, None) is not None

    return {"classify": classify, "beats": beats}


class CaseTable:
    """The hand of one `play` case. A rule set with a deal in steps has its own."""

    def __init__(self, state: LandlordState, case: Case) -> None:
        self.state = state
        self.case = case
        self.deal()

    def deal(self) -> None:
        """The cards of the case, first seat and turned-up card as it says."""
        deck, deal = self.state.deck, self.case["deal"]
        hands = tuple(deck.parse(text) for text in deal["hands"])
        bottom, mark = deck.parse(deal.get("bottom", "")), deck.parse(deal.get("open_card", ""))
        first = deal.get("open_seat", self.case["first_seat"])
        self.state.deal_unchecked((first, hands, bottom, mark))

    def act(self, seat: int, text: str) -> None:
        """One line; `timeout` is the default action of a seat that is to act. IllegalAction."""
        state = self.state
        if text != "timeout":
            state.apply(seat, state.game.parse(state, seat, text))
        elif seat in self.to_act():
            state.apply(seat, state.default_action(seat))
        else:
            raise IllegalAction("not_your_turn")

    def to_act(self) -> list[int]:
        return [seat for seat in self.state.to_act() if seat != CHANCE]

    def phase(self) -> str:
        return self.state.phase()

    def standing(self) -> dict[str, Any]:
        """The fields that `expect` may ask for."""
        state = self.state
        outcome = state.outcome() if state.is_terminal() else None
        answer: dict[str, Any] = {
            "landlord": state.public_landlord(),
            "multiplier": state.multiplier(),
            "result": state.result or "running",
            "phase": self.phase(),
            "to_act": self.to_act(),
            "hands_left": [state.deck.length(hand) for hand in state.hands],
            "next_first": outcome.next_first if outcome else None,
            "deltas": list(outcome.deltas) if outcome else None,
            "fee": list(outcome.fees) if outcome else None,
        }
        if state.result == "finished":
            answer["winner"] = state.winning_side()
        return answer


def playing(
    make: Callable[[Mapping[str, Any]], LandlordGame], table: type[CaseTable] = CaseTable
) -> Callable[[Case], dict[str, Any]]:
    """The operation `play`: how the hand stands after the actions, or `illegal_at`."""

    def play(case: Case) -> dict[str, Any]:
        config = dict(case.get("config", {}))
        wealth = config.pop("wealth", None)
        config = {key: value for key, value in config.items() if not key.startswith("time_")}
        game = make(config)
        at = table(game.new_state(game.info.max_seats, wealth=wealth), case)
        for index, (seat, text) in enumerate(case["actions"]):
            try:
                at.act(seat, text)
            except IllegalAction as refused:
                return {"illegal_at": index, "code": refused.code}
        return told(case, game, at.state) | at.standing()

    return play


def booked(given: Mapping[str, Any], *, unit: int, seats: int, **more: Any) -> dict[str, list[int]]:
    """`settle` of a hand with one landlord that was played to the end."""
    settlement = landlord_game(
        landlord=given["landlord"],
        landlord_won=given["winner"] == "landlord",
        unit=unit,
        fee=given.get("A", 0),
        wealth=given.get("wealth"),
        seats=seats,
        **more,
    )
    return {"deltas": list(settlement.deltas), "fee": list(settlement.fees)}


def fled(given: Mapping[str, Any], *, penalty: int, seats: int) -> dict[str, list[int]]:
    """`settle` of an escape."""
    settlement = escaped(
        seat=given["escape"]["seat"], penalty=penalty, wealth=given.get("wealth"), seats=seats
    )
    return {"deltas": list(settlement.deltas), "fee": list(settlement.fees)}


def titled(table: titles.Table) -> Operations:
    """`title`."""

    def title(case: Case) -> dict[str, object]:
        level, name = titles.title(table, case["score"])
        return {"level": level, "title": name}

    return {"title": title}


def _settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    stake = 2 ** given.get("bombs", 0) * given.get("N", 1)
    base = given.get("base", 1)
    if given.get("escape"):
        return fled(given, penalty=ESCAPE_FACTOR * max(base, 1) * stake, seats=SEATS)
    return booked(given, unit=base * stake * (2 if given.get("spring") else 1), seats=SEATS)


OPERATIONS: Operations = {
    **combinations(Doudizhu.combos),
    **titled(titles.BY_SCORE),
    "settle": _settle,
    "play": playing(Doudizhu),
}
