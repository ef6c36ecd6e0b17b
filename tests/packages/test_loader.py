"""Versions side by side, and gone when nobody uses them."""

from __future__ import annotations

import gc
import sys
import traceback
import weakref
from pathlib import Path

import pytest

from paiju.packages import archive, loader
from paiju.packages.loader import registry_of
from paiju.packages.proof import prove
from paiju.rules.api import CHANCE
from paiju.rules.registry import Registry
from paiju.rules.testkit import run_kit
from tests.packages import toy

ROOT = Path(__file__).resolve().parent.parent.parent


def contents(**how: object) -> archive.Contents:
    return archive.unpack(archive.pack(toy.files(**how)))  # type: ignore[arg-type]


def worth(registry: Registry) -> int:
    state = registry.latest("toss").new_state(2)
    state.apply(CHANCE, 1)
    return state.outcome().deltas[0]


def test_two_versions_live_side_by_side_and_a_running_hand_keeps_its_own() -> None:
    old, new = (loader.load(contents(version=v, worth=w)) for v, w in (("1.0.0", 5), ("1.1.0", 7)))
    try:
        running = registry_of([old]).latest("toss").new_state(2)
        assert worth(registry_of([new])) == 7
        running.apply(CHANCE, 1)
        assert running.outcome().deltas == (5, -5)
        assert worth(registry_of([old])) == 5
        assert registry_of([new]).package_version("toss") == "1.1.0"
    finally:
        loader.unload(old)
        loader.unload(new)


def test_a_version_is_gone_from_memory_after_its_last_use() -> None:
    loaded = loader.load(contents())
    game = loaded.resolve("games.toss.rules:Toss")()
    state = game.new_state(2)
    kind = weakref.ref(type(game))
    loader.unload(loaded)
    state.apply(CHANCE, 0)  # who still plays it can go on
    assert state.outcome().deltas == (-5, 5)
    del game, state
    gc.collect()
    assert kind() is None
    assert not [name for name in sys.modules if name.startswith(loaded.module)]
    with pytest.raises(ImportError):
        loaded.resolve("games.toss.rules:Toss")


def test_nothing_runs_before_it_is_asked_for_and_errors_show_their_line() -> None:
    loaded = loader.load(contents(**{"values.py": "WORTH = 1 // 0\n"}))
    try:
        with pytest.raises(ZeroDivisionError) as caught:
            loaded.resolve("games.toss.rules:Toss")
        assert "WORTH = 1 // 0" in "".join(traceback.format_exception(caught.value))
    finally:
        loader.unload(loaded)


@pytest.mark.parametrize("folder", sorted(p.parent for p in ROOT.glob("games/*/manifest.toml")))
def test_packages_of_this_repository_play_the_same_from_their_archive(folder: Path) -> None:
    loaded = loader.load(archive.unpack(archive.build(folder)))
    try:
        registry, installed = registry_of([loaded]), Registry.default()
        for rule_set in loaded.contents.manifest.rule_sets:
            packed = registry.latest(rule_set.name)
            assert type(packed).__module__.startswith(loaded.module)
            ours = installed.latest(rule_set.name)
            for seed in range(2):
                one = run_kit(packed, hands=1, seed=seed)
                other = run_kit(ours, hands=1, seed=seed)
                assert (one.actions, one.results) == (other.actions, other.results)
    finally:
        loader.unload(loaded)


def test_what_is_wrong_with_a_version_is_said() -> None:
    assert prove(contents(), hands=5).holds
    wrong = contents(**{"values.py": "WORTH = 6\n"})
    assert "expected 5, got 6" in prove(wrong, hands=5).failed[0]
    unfair = contents(**{"rules.py": toy.RULES.replace("(won, -won)", "(won, won)")})
    assert any("toss" in sentence for sentence in prove(unfair, hands=20).failed)
    none = contents(**{"cases.jsonl": ""})
    assert "no golden cases" in prove(none, hands=5).failed[0]
    broken = contents(**{"rules.py": "from paiju.rules.api import Nothing\n"})
    assert "ImportError" in prove(broken, hands=5).failed[0]
