"""What everybody may see of a hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paiju.rules.cards import RANKS, names_of

if TYPE_CHECKING:
    from games.wuhuaguo.hand import WuhuaguoState


def public_view(state: WuhuaguoState) -> dict[str, Any]:
    """By allow-list; hands only when the hand is over."""
    if state.stage == "deal":
        return {"phase": "deal", "to_act": []}
    table = state.table
    view: dict[str, Any] = {
        "phase": state.stage,
        "to_act": list(state.to_act()),
        "counts": [hand.bit_count() for hand in state.hands],
        "dealer": state.first,
        "banker": state.banker,
        "asked": state.asked,
        "open": state.open_cards(),
        "table": None if table is None else {"seat": state.last, **table.shown()},
        "last": state.last,
        "shown": [None if cards is None else names_of(cards) for cards in state.shown],
        "played": "".join(str(state.played >> 4 * rank & 15) for rank in range(len(RANKS))),
        "plays": list(state.plays),
    }
    if state.result is not None:
        outcome = state.outcome()
        view["result"] = {
            "result": outcome.result,
            "reason": state.reason(),
            "winner": state.winning_seat(),
            "deltas": list(outcome.deltas),
            "fees": list(outcome.fees),
        }
        view["hands"] = [names_of(hand) for hand in state.hands]
    return view
