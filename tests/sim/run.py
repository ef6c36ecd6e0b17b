"""One seed: a world, what goes wrong in it, its coming to rest, and the verdict."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tests.sim import checks
from tests.sim.nemesis import Nemesis
from tests.sim.world import Kinds, World

CONVERGES_S = 45.0
"""A healed world: every client has its board back within so long."""
EMPTIES_S = 75.0
"""Everybody wants to go: nobody sits any more after so long."""
LOOK_S = 0.25
MOST_STEPS = 1_000_000


@dataclass
class Result:
    """complaints: none is good. The rest tells how much has happened."""

    seed: int
    complaints: list[str] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0
    rows: int = 0
    hands: int = 0
    lives: int = 0
    digest: str = ""
    """Of every committed row, the books and the steps: equal when a seed is played again."""


def run(
    seed: int, *, kinds: Kinds | None = None, say: Callable[[str], None] | None = None
) -> Result:
    """Play one seed to its end. Call it with the stage set."""
    world = World(seed, kinds=kinds, say=say)
    result = Result(seed)
    try:
        _play(world, result)
    except Exception as error:
        result.complaints.append(f"the world broke: {type(error).__name__}: {error}")
        if say is not None:
            raise
    finally:
        result.seconds = world.loop.now
        result.steps = world.loop.steps
        result.rows = sum(len(tables.log) for tables in world.tables.values())
        result.hands = len(world.database.books.results)
        result.lives = len(world.lives)
        result.digest = _digest(world)
        world.close()
    return result


def _digest(world: World) -> str:
    digest = hashlib.sha256()
    for name, tables in world.tables.items():
        for commit in tables.log:
            digest.update(repr((name, commit)).encode())
    books = world.database.books
    digest.update(repr((sorted(books.balances.items()), world.loop.steps)).encode())
    for bot in world.bots:
        digest.update(repr(bot.client.shown).encode())
    return digest.hexdigest()[:16]


def _play(world: World, result: Result) -> None:
    nemesis = Nemesis(world)
    world.start()
    nemesis.arrange()
    while world.loop.now < nemesis.ends:  # a fault may take longer than was planned
        world.loop.run_until(nemesis.ends, most_steps=MOST_STEPS)
    nemesis.heal()
    _until(world, checks.not_converged, CONVERGES_S, result)
    _until(world, checks.EverybodySits(), CONVERGES_S, result)
    world.leave()
    _until(world, checks.still_seated, EMPTIES_S, result)
    result.complaints += checks.at_the_end(world)


def _until(
    world: World, lacks: Callable[[World], Iterator[str]], within_s: float, result: Result
) -> None:
    """Let the world go on until nothing is lacking; what still is, is complained about."""
    until = world.loop.now + within_s
    while world.loop.now < until:
        world.loop.run_until(world.loop.now + LOOK_S, most_steps=MOST_STEPS)
        if next(lacks(world), None) is None:
            return
    result.complaints += [f"after {within_s:.0f} s: {lack}" for lack in lacks(world)]
