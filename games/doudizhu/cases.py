"""Golden cases of the Dou Dizhu family: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.doudizhu import titles
from games.doudizhu.kinds import COMBOS
from games.doudizhu.rules import ESCAPE_FACTOR, SEATS, Doudizhu, DoudizhuState
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cards import mask_of, parse_cards
from paiju.rules.climbing import escaped, landlord_game
from paiju.rules.climbing.packed import counts_of

Case = Mapping[str, Any]
_PARAMETERS = ("N", "A")


def _counts(text: str) -> int | None:
    """Packed counts; None for a set with more copies than the deck has."""
    try:
        return counts_of(mask_of(parse_cards(text)))
    except ValueError:
        return None


def classify(case: Case) -> list[dict[str, object]]:
    counts = _counts(case["cards"])
    return (
        [] if counts is None else [reading.shown() for reading in COMBOS.readings.get(counts, ())]
    )


def beats_(case: Case) -> bool:
    lead, follow = _counts(case["lead"]), _counts(case["follow"])
    if lead is None or lead not in COMBOS.readings:
        raise ValueError("lead is no legal play")
    table = COMBOS.readings[lead][0]
    if "lead_as" in case:
        table = next(r for r in COMBOS.readings[lead] if r.kind == case["lead_as"])
    if follow is None:
        return False
    return any(COMBOS.beats(reading, table) for reading in COMBOS.readings.get(follow, ()))


def settle_(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    wealth, coefficient = given.get("wealth"), given.get("N", 1)
    base, bombs = given.get("base", 1), given.get("bombs", 0)
    if given.get("escape"):
        booked = escaped(
            seat=given["escape"]["seat"],
            penalty=ESCAPE_FACTOR * max(base, 1) * 2**bombs * coefficient,
            wealth=wealth,
            seats=SEATS,
        )
    else:
        multiplier = 2**bombs * (2 if given.get("spring") else 1)
        booked = landlord_game(
            landlord=given["landlord"],
            landlord_won=given["winner"] == "landlord",
            unit=base * multiplier * coefficient,
            fee=given.get("A", 0),
            wealth=wealth,
        )
    return {"deltas": list(booked.deltas), "fee": list(booked.fees)}


def title(case: Case) -> dict[str, object]:
    level, name = titles.title(case["score"])
    return {"level": level, "title": name}


def play(case: Case) -> dict[str, Any]:
    """How the hand stands after the actions, or `illegal_at`."""
    config = case.get("config", {})
    game = Doudizhu({k: v for k, v in config.items() if k in _PARAMETERS})
    state = game.new_state(SEATS, wealth=config.get("wealth"), carry={"first": case["first_seat"]})
    hands = [mask_of(parse_cards(text)) for text in case["deal"]["hands"]]
    bottom = mask_of(parse_cards(case["deal"].get("bottom", "")))
    state.deal_unchecked((case["first_seat"], (hands[0], hands[1], hands[2]), bottom))
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            if text == "timeout":
                if seat not in state.to_act():
                    raise IllegalAction("not_your_turn")
                state.apply(seat, state.default_action(seat))
            else:
                state.apply(seat, game.parse(state, seat, text))
        except IllegalAction:
            return {"illegal_at": index}
    return _standing(state)


def _standing(state: DoudizhuState) -> dict[str, Any]:
    over = state.is_terminal()
    outcome = state.outcome() if over else None
    standing: dict[str, Any] = {
        "landlord": state.landlord if state.stage != "bid" else None,
        "multiplier": state.multiplier(),
        "result": state.result or "running",
        "phase": state.phase(),
        "to_act": [seat for seat in state.to_act() if seat != CHANCE],
        "hands_left": [hand.bit_count() for hand in state.hands],
        "next_first": outcome.next_first if outcome else None,
        "deltas": list(outcome.deltas) if outcome else None,
        "fee": list(outcome.fees) if outcome else None,
    }
    if state.result == "finished":
        standing["winner"] = "landlord" if state.winner == state.landlord else "farmers"
    return standing


OPERATIONS = {
    "classify": classify,
    "beats": beats_,
    "settle": settle_,
    "title": title,
    "play": play,
}
