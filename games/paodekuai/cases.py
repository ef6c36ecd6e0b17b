"""Golden cases of Paodekuai: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.paodekuai.kinds import COMBOS, DECK
from games.paodekuai.rules import Paodekuai, booked
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cases import told


def reads(case: Mapping[str, Any]) -> list[list[Any]]:
    """What the cards may be played as: [kind, rank, length] each, in the default order."""
    found = COMBOS.readings.get(DECK.counts(DECK.parse(case["cards"])), ())
    return [list(reading.shown().values()) for reading in found]


def beats(case: Mapping[str, Any]) -> bool:
    """Whether `cards` may be laid on `table`."""
    counts = DECK.counts(DECK.parse(case["cards"]))
    table = COMBOS.readings[DECK.counts(DECK.parse(case["table"]))][0]
    return COMBOS.reading_on(counts, table, None) is not None


def settle(case: Mapping[str, Any]) -> dict[str, list[int]]:
    given = case["input"]
    money = booked(
        given["left"],
        given["plays"],
        winner=given["winner"],
        unit=given.get("N", 1) * 2 ** given.get("bombs", 0),
        fee=given.get("A", 0),
        wealth=given.get("wealth"),
    )
    return {"deltas": list(money.deltas), "fees": list(money.fees)}


def play(case: Mapping[str, Any]) -> dict[str, Any]:
    """How the hand stands after the actions, or `illegal_at`. hands: one text per seat."""
    game = Paodekuai(case.get("config", {}))
    state = game.new_state(3)
    hands = tuple(DECK.parse(cards) for cards in case["hands"])
    state.deal_unchecked((case.get("first", 0), hands, 0, 0))
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            state.apply(seat, game.parse(state, seat, text))
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
    over = state.is_terminal()
    return told(case, game, state) | {
        "phase": state.phase(),
        "to_act": list(state.to_act()),
        "deltas": list(state.outcome().deltas) if over else None,
        "next": state.outcome().next_first if over else None,
    }


def opens(case: Mapping[str, Any]) -> dict[str, Any]:
    """Whether this deal may be dealt."""
    game = Paodekuai()
    state = game.new_state(3, carry=case.get("carry"))
    return {"legal": state.is_legal(CHANCE, game.parse(state, CHANCE, case["deal"]))}


OPERATIONS = {"reads": reads, "beats": beats, "settle": settle, "play": play, "opens": opens}
