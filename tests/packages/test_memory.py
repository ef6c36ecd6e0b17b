"""Old code leaves memory: every package loaded, played and forgotten again and again."""

from __future__ import annotations

import gc
import sys
import weakref
from pathlib import Path

import psutil
import pytest

from paiju.packages import archive
from paiju.packages.loader import ROOT, load, registry_of, unload
from paiju.rules.api import CHANCE
from paiju.rules.shuffle import ShakeRng

GAMES = Path(__file__).resolve().parents[2] / "games"
PACKAGES = sorted(path.parent.name for path in GAMES.glob("*/manifest.toml"))
STEPS = 40
MOST_BYTES = 50 * 1024
"""Growth of the process for each reload."""


def once(contents: archive.Contents) -> list[weakref.ref[type]]:
    """Load, play a little of each rule set, forget; what must be gone then."""
    loaded = load(contents)
    try:
        registry, gone = registry_of([loaded]), []
        for rule_set in contents.manifest.rule_sets:
            game = registry.latest(rule_set.name)
            state = game.new_state(game.info.max_seats)
            gone += [weakref.ref(type(game)), weakref.ref(type(state))]
            rng = ShakeRng(b"memory")
            for _ in range(STEPS):
                if state.is_terminal():
                    break
                seat = state.to_act()[0]
                chance = seat == CHANCE
                state.apply(seat, state.sample_chance(rng) if chance else state.hint(seat))
                state.view(0)
        return gone
    finally:
        unload(loaded)


@pytest.mark.parametrize("name", PACKAGES)
def test_the_code_of_a_package_is_gone_with_its_last_table(name: str) -> None:
    gone = once(archive.unpack(archive.build(GAMES / name)))
    gc.collect()
    assert [found() for found in gone if found() is not None] == []
    assert not any(module.startswith(f"{ROOT}.{name}_") for module in sys.modules)


@pytest.mark.soak
@pytest.mark.parametrize("name", PACKAGES)
def test_two_hundred_reloads_grow_the_process_by_little(name: str) -> None:
    contents = archive.unpack(archive.build(GAMES / name))
    for _ in range(20):
        once(contents)
    gc.collect()
    process = psutil.Process()
    before = process.memory_info().rss
    for _ in range(200):
        once(contents)
    gc.collect()
    grown = (process.memory_info().rss - before) / 200
    print(f"{name}: {grown / 1024:.1f} kB per reload")
    assert grown <= MOST_BYTES
