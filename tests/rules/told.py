"""Tells all that the installed rules do, as text: golden cases, then seeded hands.

    PYTHONPATH=TREE python tests/rules/told.py HANDS

is run on the plain rules and on compiled ones; the texts must be the same. It imports only
what TREE has. The first line says whether the engine there is compiled.
"""

from __future__ import annotations

import hashlib
import importlib
import random
import sys
from collections.abc import Iterator
from importlib import resources
from typing import Any

import msgspec

from paiju.rules import cases, record
from paiju.rules.api import CHANCE, SPECTATOR, Game, IllegalAction, State
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng

LISTED = 400
"""So many legal actions of a long list are told."""
COMPILED = {"doudizhu", "wuhuaguo"}
"""The packages whose engine can be compiled; of others one hand in ten is enough."""


def engine() -> str:
    suffix = str(importlib.import_module("paiju.rules.climbing.state").__file__).rpartition(".")[2]
    return "plain" if suffix == "py" else "compiled"


def golden(registry: Registry) -> Iterator[str]:
    for package in sorted({registry.package_of(one.name) for one in registry.rule_sets()}):
        with resources.as_file(resources.files(f"games.{package}")) as folder:
            for path in sorted(folder.glob("cases*.jsonl")):
                for answer in cases.check(cases.read(path), registry):
                    yield repr((answer.id, answer.passed, answer.got))


def hand(game: Game, seed: str) -> Iterator[str]:
    """Every step of one hand: what may be done, what is refused, what is done, what is seen."""
    rng, luck = ShakeRng(seed.encode()), random.Random(seed)
    state = game.new_state(game.info.max_seats, wealth=[500] * game.info.max_seats)
    done = []
    while acting := state.to_act():
        seat = luck.choice(acting)
        legal = () if seat == CHANCE else state.legal_actions(seat)
        if legal:
            yield f"{len(legal)} {list(legal[:LISTED])!r} {legal[-1]!r} {refusal(state, seat)}"
            action = legal[luck.randrange(len(legal))]
            assert state.is_legal(seat, action) and state.canonical(seat, action) == action
        elif CHANCE in acting:
            seat, action = CHANCE, state.sample_chance(rng)
        else:
            continue
        events = state.apply(seat, action)
        done.append(record.RecordedAction(seat, game.format(action), 0, "player"))
        yield repr((done[-1], events, state.deadlines(), state.hash()))
        viewer = luck.choice((SPECTATOR, *range(game.info.max_seats)))
        yield text((state.view(viewer), state.resample(viewer, rng).view(viewer)))
        again = game.load(state.dump()).clone()
        assert again.hash() == state.clone().hash() == state.hash()
    yield text((done, state.outcome()))


def refusal(state: State, seat: int) -> str:
    """Of the default action by another seat, and of a play of cards that nobody has."""
    told = []
    for who, action in ((seat + 1, state.default_action(seat)), (seat, 5 << 200)):
        try:
            state.clone().apply(who, action)
        except (IllegalAction, TypeError, ValueError, LookupError, OverflowError) as refused:
            told.append(type(refused).__name__ + str(getattr(refused, "params", "")))
    return repr(told)


def text(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()


def main(hands: int) -> None:
    registry = Registry.default()
    print(engine())
    for line in golden(registry):
        print(line)
    for one in registry.rule_sets():
        game = registry.latest(one.name)
        seldom = registry.package_of(one.name) not in COMPILED
        for number in range(-(-hands // 10) if seldom else hands):
            told = "\n".join(hand(game, f"{one.name} {number}"))
            print(one.name, number, hashlib.sha256(told.encode()).hexdigest(), told[-300:])


if __name__ == "__main__":
    main(int(sys.argv[1]))
