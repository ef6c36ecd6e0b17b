"""Golden cases of Wuhuaguo: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.wuhuaguo.hand import SEATS, WuhuaguoState
from games.wuhuaguo.kinds import figs
from games.wuhuaguo.rules import Wuhuaguo
from paiju.rules.api import IllegalAction
from paiju.rules.cards import BJ, cards_of, mask_of, parse_cards
from paiju.rules.cases import told
from paiju.rules.climbing import Reading
from paiju.rules.climbing.packed import counts_of

Case = Mapping[str, Any]


def _game(given: Mapping[str, Any]) -> Wuhuaguo:
    return Wuhuaguo({key: value for key, value in given.items() if key in Wuhuaguo.parameters})


def _readings(game: Wuhuaguo, text: str) -> tuple[Reading, ...]:
    """All readings; none for cards that are not in the deck, or twice."""
    try:
        mask = mask_of(parse_cards(text))
    except ValueError:
        return ()
    if any(card >= BJ for card in cards_of(mask)):
        return ()
    return game.combos.readings.get(counts_of(mask), ())


def classify(case: Case) -> list[dict[str, object]]:
    game = _game(case.get("config", {}))
    return [reading.shown() for reading in _readings(game, case["cards"])]


def beats(case: Case) -> bool:
    game = _game(case.get("config", {}))
    named = case.get("lead_as")
    leads = [r for r in _readings(game, case["lead"]) if named in (None, r.kind)]
    if not leads:
        raise ValueError("lead is no legal play")
    follows = _readings(game, case["follow"])
    return any(game.combos.beats(reading, leads[0]) for reading in follows)


def wuhuaguo_kinds(case: Case) -> list[str]:
    return figs(mask_of(parse_cards(case["cards"])))


def settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    rates, wealth = _game({**case.get("config", {}), **given}).rates, given.get("wealth")
    if "winner" in given:
        left = given["left"]
        booked = rates.out(given["winner"], left, [cards < 13 for cards in left], wealth)
    elif "declared" in given:
        booked = rates.declared(given["declared"], SEATS, wealth)
    else:
        booked = rates.escaped(given["escaped"], SEATS, wealth)
    return {"deltas": list(booked.deltas), "fee": list(booked.fees)}


def play(case: Case) -> dict[str, Any]:
    """How the hand stands after the actions, or `illegal_at`."""
    config = case.get("config", {})
    game = _game(config)
    state = game.new_state(SEATS, wealth=config.get("wealth"))
    hands = [mask_of(parse_cards(text)) for text in case["deal"]["hands"]]
    state.deal_unchecked((case["first_seat"], tuple(hands), 0, 0))
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            if text == "timeout":
                if seat not in state.to_act():
                    raise IllegalAction("not_your_turn")
                state.apply(seat, state.default_action(seat))
            else:
                state.apply(seat, game.parse(state, seat, text))
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
    return told(case, game, state) | _standing(state)


def _standing(state: WuhuaguoState) -> dict[str, Any]:
    if not state.is_terminal():
        return {"result": "running", "phase": state.phase(), "to_act": list(state.to_act())}
    outcome = state.outcome()
    return {
        "result": outcome.result,
        "reason": state.reason(),
        "winner": state.winning_seat(),
        "deltas": list(outcome.deltas),
        "fee": list(outcome.fees),
    }


OPERATIONS = {
    "classify": classify,
    "beats": beats,
    "wuhuaguo_kinds": wuhuaguo_kinds,
    "settle": settle,
    "play": play,
}
