"""How fast a rule set is: random legal play through the public interface, on one core."""

from __future__ import annotations

import statistics
import time
from typing import NamedTuple

from paiju.rules import shuffle, views
from paiju.rules.api import CHANCE, SPECTATOR, Game, State

_SAMPLES = 2000
_MASK = (1 << 64) - 1


class Luck:
    """Quick and even enough for choosing moves: Knuth's linear congruential generator."""

    def __init__(self, seed: int) -> None:
        self._x = seed

    def below(self, n: int) -> int:
        """0..n-1, for n far below 2^32."""
        self._x = x = (self._x * 6364136223846793005 + 1442695040888963407) & _MASK
        return (x >> 32) * n >> 32


class Playouts(NamedTuple):
    hands: int
    actions: int
    seconds: float


def playouts(game: Game, seconds: float, *, seed: int = 1) -> Playouts:
    """Whole hands at a full table, deal included, until the time is over."""
    rng, luck = shuffle.ShakeRng(b"bench %d" % seed), Luck(seed)
    hands = actions = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        state = game.new_state(game.info.max_seats)
        while acting := state.to_act():
            seat = _next(state, acting, luck)
            if seat == CHANCE:
                state.apply(CHANCE, state.sample_chance(rng))
            else:
                legal = state.legal_actions(seat)
                state.apply(seat, legal[luck.below(len(legal))])
            actions += 1
        hands += 1
    return Playouts(hands, actions, spent)


def _next(state: State, acting: tuple[int, ...], luck: Luck) -> int:
    """The only one, or any; a seat that has nothing to say in a deal leaves it to chance."""
    if len(acting) == 1:
        return acting[0]
    seat = acting[luck.below(len(acting))]
    return seat if seat != CHANCE and state.legal_actions(seat) else acting[0]


def timings(game: Game, *, samples: int = _SAMPLES) -> dict[str, float]:
    """Median microseconds over actions of seats.

    legal_us: legal_actions of the seat. apply_us: is_legal and apply. view_us: what all seats
    and the spectators must be sent then: their views, as texts, and what changed in them.
    """
    rng, luck = shuffle.ShakeRng(b"timings"), Luck(2)
    found: dict[str, list[float]] = {"legal_us": [], "apply_us": [], "view_us": []}
    clock = time.perf_counter
    while len(found["view_us"]) < samples:
        state = game.new_state(game.info.max_seats)
        viewers = (*range(game.info.max_seats), SPECTATOR)
        screens = {viewer: views.encode(state.view(viewer)) for viewer in viewers}
        while acting := state.to_act():
            seat = _next(state, acting, luck)
            if seat == CHANCE:
                state.apply(CHANCE, state.sample_chance(rng))
                screens = {viewer: views.encode(state.view(viewer)) for viewer in viewers}
                continue
            begun = clock()
            legal = state.legal_actions(seat)
            listed = clock()
            action = legal[luck.below(len(legal))]
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


def figures(game: Game, seconds: float) -> dict[str, str | float]:
    """All of one game: what `paiju rules bench` writes."""
    played = playouts(game, seconds)
    return {
        "game": game.id.name,
        "playouts_per_s": round(played.hands / played.seconds, 1),
        "actions_per_s": round(played.actions / played.seconds, 1),
        **{name: round(value, 2) for name, value in timings(game).items()},
    }
