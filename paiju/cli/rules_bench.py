"""How fast a rule set is: random legal play through the public interface, on one core."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

from paiju.rules import shuffle, views
from paiju.rules.api import CHANCE, SPECTATOR, Game, State

_SAMPLES = 2000
Luck = Callable[[], float]
"""Draws from [0, 1) choose the moves."""


class Playouts(NamedTuple):
    hands: int
    actions: int
    seconds: float


def playouts(game: Game, seconds: float, *, seed: int = 1) -> Playouts:
    """Whole hands at a full table, deal included, until so much CPU time is used."""
    rng, luck = shuffle.ShakeRng(b"bench %d" % seed), random.Random(seed).random
    hands = actions = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        state = game.new_state(game.info.max_seats)
        while acting := state.to_act():
            seat = acting[0] if len(acting) == 1 else _next(state, acting, luck)
            if seat == CHANCE:
                state.apply(CHANCE, state.sample_chance(rng))
            else:
                legal = state.legal_actions(seat)
                state.apply(seat, legal[int(luck() * len(legal))])
            actions += 1
        hands += 1
    return Playouts(hands, actions, spent)


def _next(state: State, acting: tuple[int, ...], luck: Luck) -> int:
    """Any; a seat that has nothing to say in a deal leaves it to chance."""
    seat = acting[int(luck() * len(acting))]
    return seat if seat != CHANCE and state.legal_actions(seat) else acting[0]


def timings(game: Game, *, samples: int = _SAMPLES) -> dict[str, float]:
    """Median microseconds over actions of seats.

    legal_us: legal_actions of the seat. apply_us: is_legal and apply. view_us: what all seats
    and the spectators must be sent then: their views, as texts, and what changed in them.
    """
    rng, luck = shuffle.ShakeRng(b"timings"), random.Random(2).random
    found: dict[str, list[float]] = {"legal_us": [], "apply_us": [], "view_us": []}
    clock = time.perf_counter
    while len(found["view_us"]) < samples:
        state = game.new_state(game.info.max_seats)
        viewers = (*range(game.info.max_seats), SPECTATOR)
        screens = {viewer: views.encode(state.view(viewer)) for viewer in viewers}
        while acting := state.to_act():
            seat = acting[0] if len(acting) == 1 else _next(state, acting, luck)
            if seat == CHANCE:
                state.apply(CHANCE, state.sample_chance(rng))
                screens = {viewer: views.encode(state.view(viewer)) for viewer in viewers}
                continue
            begun = clock()
            legal = state.legal_actions(seat)
            listed = clock()
            action = legal[int(luck() * len(legal))]
            chosen = clock()
            state.is_legal(seat, action)
            state.apply(seat, action)
            applied = clock()
            for viewer in viewers:
                new = views.encode(state.view(viewer))
                views.diff(screens[viewer], new)
                screens[viewer] = new
            shown = clock()
            found["legal_us"].append(listed - begun)
            found["apply_us"].append(applied - chosen)
            found["view_us"].append(shown - applied)
    return {name: statistics.median(values) * 1e6 for name, values in found.items()}


def worst_list(game: Game, hands: int) -> float:
    """Microseconds of CPU time of the dearest `legal_actions` in so many hands."""
    rng, luck = shuffle.ShakeRng(b"worst"), random.Random(3).random
    clock, worst = time.process_time, 0.0
    for _ in range(hands):
        state = game.new_state(game.info.max_seats)
        while acting := state.to_act():
            seat = acting[0] if len(acting) == 1 else _next(state, acting, luck)
            if seat == CHANCE:
                state.apply(CHANCE, state.sample_chance(rng))
                continue
            begun = clock()
            legal = state.legal_actions(seat)
            worst = max(worst, clock() - begun)
            state.apply(seat, legal[int(luck() * len(legal))])
    return worst * 1e6


def results(game: Game, seconds: float, *, hands: int = 50) -> float:
    """Ended hands settled (`outcome`; showdowns, where there are any) in a second of CPU time."""
    rng, luck = shuffle.ShakeRng(b"results"), random.Random(4).random
    ended = []
    for _ in range(hands):
        state = game.new_state(game.info.max_seats)
        while acting := state.to_act():
            seat = acting[0] if len(acting) == 1 else _next(state, acting, luck)
            legal = () if seat == CHANCE else state.legal_actions(seat)
            action = legal[int(luck() * len(legal))] if legal else state.sample_chance(rng)
            state.apply(seat, action)
        ended.append(state)
    counted = 0
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        for state in ended:
            state.outcome()
        counted += hands
    return counted / spent


def figures(game: Game, seconds: float) -> dict[str, str | float]:
    """All of one game: what `paiju rules bench` writes."""
    played = playouts(game, seconds)
    return {
        "game": game.id.name,
        "playouts_per_s": round(played.hands / played.seconds, 1),
        "actions_per_s": round(played.actions / played.seconds, 1),
        **{name: round(value, 2) for name, value in timings(game).items()},
    }
