"""Hands of every game, played by the games' own hints: records as the hall keeps them."""

from __future__ import annotations

import hashlib
import zlib
from functools import cache
from typing import Any

from hall_client.web.replays import frames
from paiju.rules import record as records
from paiju.rules import shuffle
from paiju.rules.api import CHANCE, Game, State
from paiju.rules.record import Record, RecordedAction, RecordedOutcome
from paiju.rules.registry import Registry

REGISTRY = Registry.default()
GAMES = sorted(rule_set.name for rule_set in REGISTRY.rule_sets())
TABLE, HAND = "4711", 3
NAMES = ["Anna", "小明", "Robot-17", "阿珍", "Guest964346843", "老王"]


@cache
def recorded(name: str, number: int = 0) -> Record:
    """One whole hand, the same for the same number."""
    game = REGISTRY.latest(name)
    seats = game.info.max_seats
    secret = hashlib.shake_256(f"{name} {number}".encode()).digest(shuffle.SECRET_BYTES)
    contributions = [bytes([seat]) * 32 for seat in range(seats)]
    rng = shuffle.ShakeRng(secret, contributions, context=shuffle.hand_context(TABLE, HAND))
    state = game.new_state(seats)
    actions: list[RecordedAction] = []
    while not state.is_terminal():
        seat, line = _next(game, state, rng)
        actions.append(RecordedAction(seat, line, 900 * len(actions), "player"))
    return Record(
        game=name,
        version=game.id.version,
        package="1.0.0",
        parameters=game.id.parameters,
        table=TABLE,
        hand=HAND,
        seats=[str(1000 + seat) for seat in range(seats)],
        bots=[False] * seats,
        wealth=None,
        carry={},
        commitment=shuffle.commitment(secret).hex(),
        contributions=[one.hex() for one in contributions],
        secret=secret.hex(),
        actions=actions,
        started_us=1,
        ended_us=2,
        outcome=RecordedOutcome.of(state.outcome(), seats=seats),
    )


def _next(game: Game, state: State, rng: shuffle.ShakeRng) -> tuple[int, str]:
    """Nature first where it may go on, else whoever may act."""
    waits = state.to_act() == (CHANCE,) or any(d.seat == CHANCE for d in state.deadlines())
    seat = CHANCE if waits else state.to_act()[0]
    action = state.sample_chance(rng) if waits else state.hint(seat)
    line = game.format(action)
    state.apply(seat, action)
    return seat, line


def packed(record: Record) -> bytes:
    return zlib.compress(records.encode(record), 9)


def boards(name: str, seat: int, number: int = 0) -> list[dict[str, Any]]:
    """What the seat saw, one view after the other."""
    told = frames(recorded(name, number), REGISTRY, seat=seat, names=NAMES)
    view = told["view"]
    out = [view]
    for step in told["steps"]:
        gone = set(step["del"])
        view = {**{k: v for k, v in view.items() if k not in gone}, **step["set"]}
        out.append(view)
    return out
