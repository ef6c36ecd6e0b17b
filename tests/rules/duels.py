"""Duplicate deals: is a bot better than a player who picks any legal action?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import mean, stdev
from typing import Any

from paiju.rules.api import CHANCE, Game, State
from paiju.rules.shuffle import ShakeRng


def _hand(game: Game, deal: int, bot: int | None) -> State:
    """A hand in which the seat `bot` plays by hints and all others at random."""
    chance = ShakeRng(b"deal %d" % deal)
    luck = [ShakeRng(b"luck %d %d" % (deal, seat)) for seat in range(game.info.max_seats)]
    state = game.new_state(game.info.max_seats)
    while not state.is_terminal():
        seats = state.to_act()
        seat = next((s for s in seats if s != CHANCE), CHANCE)
        if seat == CHANCE:
            state.apply(CHANCE, state.sample_chance(chance))
            continue
        action: Any
        if seat == bot:
            action = state.hint(seat)
            assert state.is_legal(seat, action)
        else:
            legal = state.legal_actions(seat)
            action = legal[luck[seat].below(len(legal))]
        state.apply(seat, action)
    return state


def gains(game: Game, deals: Sequence[int]) -> list[float]:
    """Per deal: hands won by the bot, sitting once on each seat, less those a random player won."""
    out = []
    for deal in deals:
        usual = _hand(game, deal, None).outcome().deltas
        won = 0
        for seat in range(game.info.max_seats):
            won += _hand(game, deal, seat).outcome().deltas[seat] > 0
            won -= usual[seat] > 0
        out.append(float(won))
    return out


def z_score(values: Sequence[float]) -> float:
    """How many standard errors the mean lies above 0; 2.33 is 99 % confidence."""
    return mean(values) / (stdev(values) / math.sqrt(len(values)))
