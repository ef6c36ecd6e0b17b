"""Hands of the showdown games played by bots and by chance, for their tests."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from paiju.rules.api import CHANCE, Game, Outcome, State
from paiju.rules.shuffle import ShakeRng

Z_99 = 2.326
"""One-sided 99 % limit of the normal distribution."""


def play_hand(
    game: Game,
    seed: str,
    *,
    seats: int | None = None,
    bots: Collection[int] = (),
    wealth: Sequence[int] | None = None,
    carry: Mapping[str, Any] | None = None,
    watch: Callable[[State], None] = lambda state: None,
) -> Outcome:
    """One hand; bots play their hint, the others anything legal.

    Each step of chance has its own stream, named by the number of chance steps before it, so
    that the same seed deals the same cards whatever the seats do. watch: called at each step.
    """
    seats = seats or game.info.max_seats
    state = game.new_state(seats, wealth=wealth, carry=carry)
    luck, steps = ShakeRng(f"luck {seed}".encode()), 0
    while not state.is_terminal():
        watch(state)
        (seat, *_) = state.to_act()
        if seat == CHANCE:
            rng = ShakeRng(f"chance {seed} {steps}".encode())
            state.apply(CHANCE, state.sample_chance(rng))
            steps += 1
        elif seat in bots:
            state.apply(seat, state.hint(seat))
        else:
            legal = state.legal_actions(seat)
            state.apply(seat, legal[luck.below(len(legal))])
    watch(state)
    return state.outcome()


def advantage(game: Game, deals: int, *, wealth: Sequence[int] | None = None) -> float:
    """How far a bot in one seat is ahead of a random player there, in standard errors.

    Every deal is played twice, with the bot and without, in turn at each seat.
    """
    seats = game.info.max_seats
    gains = []
    for deal in range(deals):
        seat, seed = deal % seats, f"duel {deal}"
        with_bot = play_hand(game, seed, bots={seat}, wealth=wealth)
        without = play_hand(game, seed, wealth=wealth)
        gains.append(with_bot.deltas[seat] - without.deltas[seat])
    return statistics.mean(gains) * math.sqrt(deals) / statistics.stdev(gains)
