"""What may be seen of a hand of Aiqipai Niuniu, and what else it could be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from games.niuniu.bulls import best_split
from games.niuniu.game import ARRANGE, BET, DEAL, HINT, arrange
from paiju.rules.api import CHANCE, Rng
from paiju.rules.cards import names_of
from paiju.rules.showdown import Action

if TYPE_CHECKING:
    from games.niuniu.aiqipai_hand import AiqipaiState


def public_view(state: AiqipaiState) -> dict[str, Any]:
    """By allow-list: bets when all are in, hands when they are shown."""
    over = state.result is not None
    open_hands = [over or shown for shown in state.shown]
    view: dict[str, Any] = {
        "phase": state.stage,
        "to_act": [seat for seat in state.to_act() if seat != CHANCE],
        "priority": None if state.first < 0 else state.first,
        "banker": None if state.banker < 0 else state.banker,
        "bids": list(state.bids),
        "gone": list(state.gone),
        "chips": state.chips,
        "chosen": state.chosen(),
        "bets": state.bets() if over or state.stage in ("deal", "arrange") else None,
        "declared": list(state.shown),
        "hands": [names_of(h) if o else None for h, o in zip(state.hands, open_hands, strict=True)],
        "groups": [names_of(g) if o else None for g, o in zip(state.laid, open_hands, strict=True)],
    }
    if over:
        outcome = state.outcome()
        view["kinds"] = state.kinds()
        view["result"] = {
            "result": outcome.result,
            "deltas": list(outcome.deltas),
            "fees": list(outcome.fees),
        }
    return view


def redrawn(state: AiqipaiState, seat: int, rng: Rng) -> Sequence[tuple[int, Action]]:
    """Bets that are not open are any chip; hands that are not shown are dealt anew."""
    hidden_bets = state.stage == "bet"
    known = [s == seat or state.shown[s] for s in range(state.seats)]
    hands = state.redealt(known, rng) if state.dealt else ()
    log: list[tuple[int, Action]] = []
    for who, action in state.log():
        if isinstance(action, tuple):
            action = (DEAL, hands) if action[0] == DEAL else action
        elif who != seat:
            code = action & 0xFF
            if code == BET and hidden_bets:
                offered = state.chips[who] or []
                action = offered[rng.below(len(offered))] << 8 | BET
            elif code == ARRANGE and not known[who]:
                cards = best_split(hands[who])
                action = arrange(cards) if cards else HINT
        log.append((who, action))
    return log
