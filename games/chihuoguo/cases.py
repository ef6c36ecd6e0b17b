"""Golden cases of Chihuoguo: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.chihuoguo.hand import DRAW, FIRST, ChihuoguoState
from games.chihuoguo.posts import costly_ranks, kind_of, parting, winning_ranks
from games.chihuoguo.rules import Chihuoguo
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cards import parse_cards
from paiju.rules.cases import told

Case = Mapping[str, Any]


def _game(given: Mapping[str, Any]) -> Chihuoguo:
    return Chihuoguo({key: value for key, value in given.items() if key in Chihuoguo.parameters})


def classify(case: Case) -> list[dict[str, object]]:
    cards = parse_cards(case["cards"])
    found: dict[str, object] = {"kind": kind_of(cards[:2])}
    if len(cards) == 3:
        result = _game(case.get("config", {})).stakes.result(cards[:2], cards[2])
        found |= {"outcome": result.outcome, "factor": result.factor}
    return [found]


def shown(case: Case) -> dict[str, str]:
    """What the screen tells the seat on turn: on which third cards it wins, which cost most."""
    posts = parse_cards(case["cards"])
    return {"wins_on": winning_ranks(posts), "costly": costly_ranks(posts)}


def limits(case: Case) -> dict[str, object]:
    given = case["input"]
    kind = kind_of(parse_cards(given["cards"]))
    stakes = _game({**case.get("config", {}), **given}).stakes
    found = stakes.limits(kind, given["pot"], given["wealth"])
    return {
        "auto_fold": kind == "consecutive",
        "min": None if found is None else found.lowest,
        "max": None if found is None else found.highest,
    }


def settle(case: Case) -> dict[str, object]:
    """One turn, or the last parting of the pot."""
    given = case["input"]
    if "final_pot" in given:
        shares, rest = parting(given["final_pot"], given["seats"], given["in_game"])
        return {"deltas": shares, "fee": [0] * given["seats"], "residue": rest}
    stakes = _game({**case.get("config", {}), **given}).stakes
    *posts, third = parse_cards(given["cards"])
    result = stakes.result(posts, third)
    change = stakes.change(result, given["stake"], given["pot"], given["wealth"])
    return {"deltas": [change], "fee": [0], "pot": given["pot"] - change}


def play(case: Case) -> dict[str, Any]:
    """How the game stands after the actions, or `illegal_at`."""
    config = case.get("config", {})
    game = _game(config)
    seats = game.info.max_seats
    state = game.new_state(seats, wealth=config.get("wealth"))
    state.apply(CHANCE, (FIRST, case["first_seat"]))
    laps = [parse_cards(text) for text in case["deal"]["laps"]]
    _draw(state, laps)
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            if text != "timeout":
                state.apply(seat, game.parse(state, seat, text))
            elif seat in state.to_act():
                state.apply(seat, state.default_action(seat))
            else:
                return {"illegal_at": index}
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
        _draw(state, laps)
    return told(case, game, state) | _standing(state)


def _draw(state: ChihuoguoState, laps: list[list[int]]) -> None:
    """Nature's turns with the cards of the case, which name none that nobody sees."""
    while state.to_act() == (CHANCE,):
        lap = state.turn // state.seats
        cards = laps[lap] if lap < len(laps) else []
        count = 2 if state.stage == "posts" else 1
        if len(cards) < count:
            return
        drawn, laps[lap] = cards[:count], cards[count:]
        state.apply(CHANCE, (DRAW, tuple(drawn)))


def _standing(state: ChihuoguoState) -> dict[str, Any]:
    if not state.is_terminal():
        return {"result": "running", "phase": state.phase(), "to_act": list(state.to_act())}
    outcome = state.outcome()
    return {
        "result": outcome.result,
        "deltas": list(outcome.deltas),
        "fee": list(outcome.fees),
        "pot_end": state.pot,
        "turns": state.turn,
    }


OPERATIONS = {
    "classify": classify,
    "shown": shown,
    "limits": limits,
    "settle": settle,
    "play": play,
}
