"""Golden cases of the Gouji family: operation -> function(case) -> answer.

An object in `expect` names only the fields to be checked, and card sets are equal whatever
their order, so an answer is cut to what the case names (`_asked`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.gouji import deck, scores, threes, tributes
from games.gouji.actions import ASK_THREE, AUTO_REVOLUTION, BUY, SEATS
from games.gouji.opening import best_show
from games.gouji.rules import Gouji
from games.gouji.state import State, seats_of
from games.gouji.xin import XinGouji
from paiju.rules.api import IllegalAction
from paiju.rules.cases import told

Case = Mapping[str, Any]

_ACTS = {BUY: "buy_three", ASK_THREE: "ask_three", AUTO_REVOLUTION: "auto_revolution"}


def operations(game_class: type[Gouji]) -> dict[str, Callable[[Case], Any]]:
    """All operations of one rule set."""
    rules = game_class.state_class.plays

    def classify(case: Case) -> Any:
        try:
            reading = rules.reading(deck.parse_set(case["cards"]))
        except ValueError:
            return []
        found = [] if reading is None else [reading.shown()]
        return _asked(found, case["expect"])

    def beats(case: Case) -> bool:
        lead = rules.reading(deck.parse_set(case["lead"]))
        if lead is None:
            raise ValueError("lead is no legal play")
        try:
            follow = rules.reading(deck.parse_set(case["follow"]))
        except ValueError:
            return False
        return follow is not None and rules.beats(follow, lead)

    def tribute_plan(case: Case) -> Any:
        given = case["input"]
        debts = tributes.plan(
            places=given["places"],
            announced=given["announced"],
            opened=given["opened"],
            burned=given.get("burned", ()),
            smothered=given.get("smothered", ()),
            order=game_class.state_class.tribute_order,
        )
        return _asked([debt.shown() for debt in debts], case["expect"])

    def play(case: Case) -> Any:
        return _play(case, game_class)

    return {
        "classify": classify,
        "beats": beats,
        "settle": _settle,
        "tribute_plan": tribute_plan,
        "tribute_ok": _tribute_ok,
        "buy_plan": _buy_plan,
        "first_lead": _first_lead,
        "play": play,
    }


def _settle(case: Case) -> Any:
    given = case["input"]
    unit = given.get("unit", 1)
    if "escape" in given:
        penalty = given.get("escape_penalty", Gouji.parameters["escape_penalty"].default)
        booked = scores.escaped(given["escape"], int(penalty) * unit, None)
        return _asked({"deltas": list(booked.deltas)}, case["expect"])
    table = scores.all_places(given["order"], given.get("burn_failed", ()), given.get("revolution"))
    answer = {
        "places": table,
        "chuan": scores.is_sweep(table),
        "deltas": list(scores.settled(table, unit, None).deltas),
    }
    return _asked(answer, case["expect"])


def _tribute_ok(case: Case) -> bool:
    hand, given = deck.parse_set(case["hand"]), deck.parse_set(case["give"])
    return deck.size_of(given) == case["count"] and tributes.pays(hand, case["count"], given)


def _buy_plan(case: Case) -> Any:
    """The round of buying where everybody pays as usual."""
    hands = [deck.parse_set(text) for text in case["hands"]]
    first, aside = case.get("first_seat", 0), None
    plan: list[dict[str, Any]] = []
    for seat in ((first + step) % SEATS for step in range(SEATS)):
        need = threes.need(hands, seat, aside)
        if need is None:
            continue
        plan.append({"seat": seat, "act": _ACTS[need.verb]})
        if need.source is None:
            if aside is not None:
                break
            aside = seat
            continue
        plan[-1]["from"] = need.source
        paid = threes.usual_payment(hands[seat]) if need.verb == BUY else 0
        three = threes.three_of(hands[need.source])
        hands[seat] += three - paid
        hands[need.source] += paid - three
    return _asked(plan, case["expect"])


def _first_lead(case: Case) -> int | None:
    shows = [(seat, deck.parse_set(text)) for seat, text in case["shows"]]
    return best_show(shows, bie_san=case.get("bie_san", False))


# ---- play --------------------------------------------------------------------------------------

_PARAMETERS = ("bie_san", "series", "unit", "escape_penalty")


def _play(case: Case, game_class: type[Gouji]) -> Any:
    """How the hand stands after the actions, or `illegal_at`."""
    config = case.get("config", {})
    game = game_class({name: config[name] for name in _PARAMETERS if name in config})
    state = _begun(case, game, config)
    for index, element in enumerate(case["actions"]):
        try:
            _act(game, state, element)
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
    return _asked(told(case, game, state) | _standing(state), case["expect"])


def _begun(case: Case, game: Gouji, config: Mapping[str, Any]) -> State:
    carry = {"first": case["first_seat"], "tributes": config.get("tributes", [])}
    state = game.new_state(SEATS, wealth=config.get("wealth"), carry=carry)
    hands = tuple(deck.parse_set(text) for text in case["deal"]["hands"])
    if config.get("full"):
        state.deal_unchecked(hands)
        return state
    state.begin_unchecked(
        hands,
        finished=config.get("finished", ()),
        revolution=config.get("revolution"),
        wants_head=config.get("head") == "want_head",
    )
    return state


def _act(game: Gouji, state: State, element: Any) -> None:
    if isinstance(element[0], list):
        claims = [(seat, game.parse(state, seat, text)) for seat, text in element]
        seat, action = state.order_claims(claims)[0]
        state.apply(seat, action)
        return
    seat, text = element
    if text == "timeout":
        if seat not in state.to_act():
            raise IllegalAction("not_your_turn")
        state.apply(seat, state.default_action(seat))
    else:
        state.apply(seat, game.parse(state, seat, text))


def _standing(state: State) -> dict[str, Any]:
    over, table = state.is_terminal(), state.places()
    top = None if state.top_seat is None else deck.text_of(state.laid[state.top_seat])
    return {
        "phase": state.phase(),
        "to_act": list(state.to_act()),
        "result": state.result or "running",
        "leading": state.stage == "play" and state.top is None,
        "top": top,
        "top_seat": state.top_seat,
        "finished": state.finished,
        "failed": state.failed,
        "opened": [seat for seat in range(SEATS) if state.opened >> seat & 1],
        "burner": state.burner,
        "burned": [list(pair) for pair in state.burned],
        "smothered": [list(pair) for pair in state.smothered],
        "melee": state.melee(),
        "revolution": state.revolution,
        "announced": seats_of(state.announced),
        "hands": [deck.text_of(hand) for hand in state.hands],
        "hands_left": [deck.size_of(hand) for hand in state.hands],
        "void": state.result in ("redeal", "escaped"),
        "places": table,
        "chuan": state.is_sweep(),
        "deltas": list(state.outcome().deltas) if over else None,
    }


# ---- comparing ---------------------------------------------------------------------------------


def _asked(got: Any, expected: Any) -> Any:
    """What the case asks of an answer; equal card sets and sets of seats read the same."""
    if isinstance(got, dict) and isinstance(expected, dict):
        return {name: _field(name, got[name], expected[name]) for name in expected if name in got}
    if isinstance(got, list) and isinstance(expected, list) and len(got) == len(expected):
        return [_asked(mine, theirs) for mine, theirs in zip(got, expected, strict=True)]
    return got


def _field(name: str, got: Any, expected: Any) -> Any:
    if name == "opened" and isinstance(expected, list):
        return expected if sorted(got) == sorted(expected) else got
    if name == "hands" and isinstance(expected, list) and len(got) == len(expected):
        return [_cards(mine, theirs) for mine, theirs in zip(got, expected, strict=True)]
    return _cards(got, expected) if name == "top" else got


def _cards(got: Any, expected: Any) -> Any:
    """The expected text where it names the same cards."""
    same = (
        isinstance(got, str)
        and isinstance(expected, str)
        and sorted(got.split()) == sorted(expected.split())
    )
    return expected if same else got


OPERATIONS = operations(Gouji)
XIN_OPERATIONS = operations(XinGouji)
