"""What may be seen, by allow-list: one public part, and what a seat adds for itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.gouji import deck
from games.gouji.actions import ASK_THREE, AUTO_REVOLUTION, BUY, SEATS

if TYPE_CHECKING:
    from games.gouji.state import State

_REPORTED = 10
"""报牌: at so many cards and fewer a seat shows how many it has left."""


def public(state: State) -> dict[str, Any]:
    """For everybody."""
    if state.stage == "deal":
        return {"phase": "deal", "to_act": [], "hand_number": state.number}
    view: dict[str, Any] = {
        "phase": state.stage,
        "to_act": [seat for seat in state.to_act() if seat >= 0],
        "hand_number": state.number,
        "counts": _counts(state),
        "standing": _standing(state),
        "debts": [debt.shown() for debt in state.debts],
        "trading": _trading(state),
        "played": _by_rank(sum(state.gone)),
        "table": _table(state),
        "trick": _trick(state),
        "passed": _seats(state.passed),
        "burn": _burn(state),
    }
    if state.result is not None:
        view.update(_result(state))
    return view


def of_seat(state: State, everybody: dict[str, Any], seat: int) -> dict[str, Any]:
    """The public part and the seat's own."""
    view = dict(everybody)
    if 0 <= seat < SEATS and state.stage != "deal":
        view["hand"] = deck.names_of(state.hands[seat])
        asked = state.result is None and seat in state.to_act()
        view["legal"] = _verbs(state, seat) if asked else []
        if asked and state.stage == "tribute" and not state.returning:
            view["payable"] = deck.names_of(state.own[seat])
    return view


def _counts(state: State) -> list[int | None]:
    """Cards left where the rules have them shown."""
    if state.bie_san and state.result is None:
        return [0 if not hand else None for hand in state.hands]
    sizes = [deck.size_of(hand) for hand in state.hands]
    if state.result is not None:
        return [*sizes]
    return [size if size <= _REPORTED else None for size in sizes]


def _seats(mask: int) -> list[int]:
    return [seat for seat in range(SEATS) if mask >> seat & 1]


def _by_rank(cards: int) -> list[int]:
    """How many of 3 .. 2, BJ, RJ."""
    counts = deck.counts_of(cards)
    return [counts >> 12 * rank & 0xFFF for rank in range(deck.RANKS)]


def _table(state: State) -> dict[str, Any] | None:
    if state.top is None or state.top_seat is None:
        return None
    cards = deck.names_of(state.laid[state.top_seat])
    return {"seat": state.top_seat, "cards": cards, "dead": state.dead, **state.top.shown()}


def _trick(state: State) -> list[Any]:
    """Each seat's last word: cards, "pass", "yield" or null."""
    return [
        deck.names_of(cards) if cards else said
        for said, cards in zip(state.said, state.laid, strict=True)
    ]


def _standing(state: State) -> dict[str, Any]:
    """What stays over tricks; grouped, because it changes seldom."""
    return {
        "revolution": state.revolution,
        "credits": state.credits,
        "opened": _seats(state.opened),
        "announced": _seats(state.announced),
        "finished": state.finished[:],
        "failed": state.failed[:],
        "melee": state.melee(),
    }


def _burn(state: State) -> dict[str, Any] | None:
    """Obligation, burn window, and who may send a burn out of turn."""
    may = state.stage == "play" and state.window is None and state.may_burn()
    if not may and state.burner is None and state.window is None:
        return None
    return {
        "burner": state.burner,
        "victim": state.victim,
        "window": state.window is not None,
        "may": _seats(may),
    }


def _trading(state: State) -> dict[str, Any] | None:
    """What changes hands before the play, and the best show for the lead; null in the play.

    paying: the debt that is being paid, with the number of cards of this step.
    """
    if state.stage in ("play", "over"):
        return None
    paying = None
    if state.stage == "tribute":
        shown = state.debt().shown()
        paying = {**shown, "count": state.owes(), "returning": state.returning}
    return {
        "paying": paying,
        "need": _need(state),
        "bought": state.bought[:],
        "show": None if state.show_seat is None else [state.show_seat, state.show_count],
    }


def _need(state: State) -> str | None:
    """What a seat without a three is asked for."""
    need = state.need(state.queue[0]) if state.stage == "buy_three" else None
    return None if need is None else _NEEDS[need.verb]


def _result(state: State) -> dict[str, Any]:
    outcome = state.outcome()
    return {
        "result": {
            "result": outcome.result,
            "places": state.places(),
            "sweep": state.is_sweep(),
            "deltas": list(outcome.deltas),
            "fees": list(outcome.fees),
        },
        "burned": state.burned[:],
        "smothered": state.smothered[:],
        "hands": [deck.names_of(hand) for hand in state.hands],
    }


def _verbs(state: State, seat: int) -> list[str]:
    """The seat's buttons; which cards they may name the hint set tells."""
    stage = state.stage
    if stage == "play":
        if state.top is None:
            return ["play"]
        if state.window is not None:
            return ["pass", "burn"]
        return ["pass", "yield", "play"] if state.may_yield(seat) else ["pass", "play"]
    if stage == "tribute":
        return ["return_tribute" if state.returning else "tribute"]
    if stage == "buy_three":
        return [state_need] if (state_need := _need(state)) else []
    return list(_STAGE_VERBS[stage])


_NEEDS = {BUY: "buy_three", ASK_THREE: "ask_three", AUTO_REVOLUTION: "auto_revolution"}
_STAGE_VERBS = {
    "revolution": ("pass", "revolution"),
    "head": ("no_head", "want_head"),
    "announce": ("pass", "announce_point"),
    "show_lead": ("pass", "show_lead"),
}
