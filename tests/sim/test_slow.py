"""A machine that is merely slow: loops stand for seconds again and again, and nobody dies.

No hand may be void then, nobody may lose a seat, and no host may be replaced.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from random import Random
from unittest import mock

import msgspec
import pytest

from game_server.tables import play_clock
from tests.sim import checks
from tests.sim.bot import Habits
from tests.sim.clockwork import Process
from tests.sim.run import CONVERGES_S, EMPTIES_S, LOOK_S, MOST_STEPS
from tests.sim.stage import set_stage
from tests.sim.world import World

SLOW_S = 30.0
SEEDS = 16
MANY_SEEDS = 1000
STANDS_S = (0.3, 4.0)
GOES_S = (0.1, 3.0)
"""A loop runs for so long, and then stands."""
ROOM = {"ready_ms": 60_000, "away_ms": 10_000, "away_turn_ms": 2_000, "turn_ms": {"add": 3_000}}
"""What rooms have in the product; turns are shorter, so that clocks run out while loops stand."""


class Slow:
    """Every process of the world stands and goes, each in its own time, until `ends`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = Random(world.seed)
        self._known: set[Process] = set()
        self.ends = SLOW_S
        self._look()

    def _look(self) -> None:
        for process in self._processes():
            if process not in self._known:
                self._known.add(process)
                self._goes(process)
        self._world.after(LOOK_S, self._look)

    def _processes(self) -> Iterator[Process]:
        world = self._world
        yield from (life.process for life in world.lives)
        yield from (gateway.process for gateway in world.gateways if gateway is not None)
        yield from (bot.client.process for bot in world.bots)
        if world.hall is not None:
            yield world.hall.process

    def _goes(self, process: Process) -> None:
        if self._world.loop.now < self.ends:
            self._after(GOES_S, lambda: self._stands(process))

    def _stands(self, process: Process) -> None:
        life = next((one for one in self._world.lives if one.process is process), None)
        if life is not None:
            self._world.stop_host(life)
        else:
            process.stop()

        def go_on() -> None:
            if life is not None:
                self._world.let_host_go_on(life)
            else:
                process.go_on()
            self._goes(process)

        self._after(STANDS_S, go_on)

    def _after(self, bounds: tuple[float, float], work: Callable[[], None]) -> None:
        self._world.after(self._random.uniform(*bounds), work)


def _run(world: World, seconds: float) -> None:
    world.loop.run_until(world.loop.now + seconds, most_steps=MOST_STEPS)


def _until(world: World, lacks: Callable[[World], Iterator[str]], within_s: float) -> list[str]:
    until = world.loop.now + within_s
    while list(lacks(world)) and world.loop.now < until:
        _run(world, LOOK_S)
    return [f"after {within_s} s: {lack}" for lack in lacks(world)]


def slow_world(seed: int) -> tuple[list[str], int]:
    """What is wrong with it, and how many hands were played."""
    world = World(seed)
    try:
        world.room = replace(world.room, **ROOM)  # type: ignore[arg-type]
        world.habits = Habits(looks_on=0.0, dawdles=0.0, leaves=0.0, escapes=0.0)
        world.start()
        slow = Slow(world)
        _run(world, slow.ends + STANDS_S[1])
        wrong = _until(world, checks.not_converged, CONVERGES_S)
        results = Counter(booked.result for booked in world.database.books.results.values())
        world.leave()
        wrong += _until(world, checks.still_seated, EMPTIES_S)
        wrong += checks.at_the_end(world)
        wrong += [f"{n} hands are void" for n in (results["void"],) if n]
        if len(world.lives) > len(world.host_names):
            wrong.append(f"{len(world.lives)} lives of {len(world.host_names)} hosts")
        rows = [commit.row for tables in world.tables.values() for commit in tables.log]
        left = Counter(msgspec.json.decode(r.body)["why"] for r in rows if r.kind == "leave")
        wrong += [f"{n} seats were lost: {why}" for why, n in left.items() if why != "asked"]
        return wrong, results.total()
    finally:
        world.close()


def _lost(seeds: Iterable[int]) -> tuple[list[str], int]:
    wrong, hands = [], 0
    with set_stage():
        for seed in seeds:
            found, played = slow_world(seed)
            wrong += [f"seed {seed}: {text}" for text in found]
            hands += played
            gc.collect()
    return wrong, hands


@pytest.mark.timeout(600)
def test_a_slow_machine_loses_no_hand_and_no_seat() -> None:
    wrong, hands = _lost(range(SEEDS))
    assert not wrong, "\n".join(wrong)
    assert hands > SEEDS, "they did play"


def test_it_would_be_seen() -> None:
    """Without the clock that stands while its process does, some turn runs out too early."""
    with mock.patch.object(play_clock, "STILL_S", 1e9):
        wrong, _ = _lost(range(4))
    assert any("timeout" in text for text in wrong)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_many_slow_machines() -> None:
    wrong, _ = _lost(range(SEEDS, MANY_SEEDS))
    assert not wrong, "\n".join(wrong)
