"""Every installed rule set keeps every promise of the interface; new ones are found by
themselves.

In CI 1,000 hands of each rule set, 60 of them watched, and 40 measured deals. `make soak` plays
100,000, 1,000 (every viewer at every step) and 400; the first two in `portions`, so that a run
that was cut off goes on where it was. The hands are split over the parameters of the rooms that
the package suggests.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import msgspec
import pytest

from paiju.rules import cases
from paiju.rules.api import Game
from paiju.rules.testkit import measure_mixing, run_kit, run_light
from tests.rules.installed import NAMES, REGISTRY, golden, purses, variants
from tests.rules.portions import LongRun, to_the_end

HANDS, WATCHED = 1000, 60
"""Of each rule set in CI, and how many of them are watched."""
SECRETS_PER_HAND = 30
"""About so many steps of a hand are looked at in other worlds: all, except in long games."""

every_rule_set = pytest.mark.parametrize("name", NAMES)


def split(hands: int, games: Sequence[Game]) -> Mapping[Game, int]:
    """Hands for each variant, rounded up."""
    return {game: -(-hands // len(games)) for game in games}


@every_rule_set
def test_golden_cases(name: str) -> None:
    asked = golden(name)
    assert asked, f"the package of {name} has no case of it"
    wrong = [answer for answer in cases.check(asked, REGISTRY) if not answer.passed]
    assert wrong == []


def play_light(name: str, hands: int, seed: str) -> None:
    for game, count in split(hands, variants(name)).items():
        report = run_light(game, hands=count, seed=f"{name} {seed}", wealth=purses)
        assert report.hands == count


def watch(name: str, hands: int, seed: str, **depth: int) -> None:
    for game, count in split(hands, variants(name)).items():
        report = run_kit(game, hands=count, seed=f"{name} {seed}", wealth=purses, **depth)
        assert report.hands == count
        assert report.patch_p95() <= 600
        if not game.info.perfect_information:
            assert report.worlds > 0
            assert report.worlds_differ >= 0.9 * report.worlds
            assert report.piles_differ >= 0.9 * report.piles


@every_rule_set
def test_many_hands(name: str) -> None:
    play_light(name, HANDS - WATCHED, "light")


@every_rule_set
def test_watched_hands(name: str) -> None:
    probe = run_light(REGISTRY.latest(name), hands=5, seed="length")
    every = max(1, round(probe.actions / probe.hands / SECRETS_PER_HAND))
    depth = {"deep_every": 8 * every, "secrets_every": every, "viewers": 1, "dear_every": 8}
    watch(name, WATCHED, "watched", **depth)


@every_rule_set
def test_resampling_mixes_the_hidden_cards(name: str) -> None:
    game = REGISTRY.latest(name)
    mixing = measure_mixing(game, hands=40, seed=name, worlds=3)
    assert mixing.worlds > 0 or game.info.perfect_information


@every_rule_set
@pytest.mark.soak
@pytest.mark.timeout(0)
def test_very_many_hands(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    with capfd.disabled():
        to_the_end(LongRun(name=name, kind="light", play=play_light))


@every_rule_set
@pytest.mark.soak
@pytest.mark.timeout(0)
def test_watched_hands_at_every_step_for_every_viewer(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    every_step = partial(watch, deep_every=8, secrets_every=1, viewers=0, dear_every=4)
    with capfd.disabled():
        to_the_end(LongRun(name=name, kind="watched", play=every_step, hands=1000, portion=50))


@every_rule_set
@pytest.mark.soak
def test_resampling_mixes_in_every_room(name: str) -> None:
    for game in variants(name):
        measure_mixing(game, hands=400, seed=f"{name} soak", worlds=5)


def test_parameters_of_every_room_are_known_to_the_game() -> None:
    for room in REGISTRY.rooms():
        values = msgspec.json.decode(REGISTRY.latest(room.game, room.parameters).id.parameters)
        assert room.parameters.items() <= values.items()


SEATS = {"gouji": (6, 6), "xin_gouji": (6, 6), "douniu": (2, 6), "huanle_douniu": (2, 6)} | {
    "doudizhu_5p": (5, 5),
    **dict.fromkeys(("doudizhu", "huanle_doudizhu", "huopin_doudizhu", "mala_doudizhu"), (3, 3)),
    "paodekuai": (3, 3),
    "reversi": (2, 2),
}
"""Seats of the rule sets that are not for four."""
AT_ONCE = {
    *("doudizhu_5p", "gouji", "xin_gouji", "douniu", "huanle_douniu", "aiqipai_niuniu"),
    *("shengji", "huanle_shengji", "dagunzi"),
}
"""In which several seats may act at the same moment."""


MATCHES = {
    *("chihuoguo", "gouji", "xin_gouji"),
    *("shengji", "huanle_shengji", "aiqipai_shengji", "dagunzi"),
}
"""Whose hands go on with what the one before has left."""


@every_rule_set
def test_what_a_game_says_of_itself_is_what_its_specification_says(name: str) -> None:
    info = REGISTRY.latest(name).info
    assert (info.min_seats, info.max_seats) == SEATS.get(name, (4, 4))
    assert info.simultaneous == (name in AT_ONCE)
    assert info.perfect_information == (name in ("chihuoguo", "reversi"))
    assert info.deterministic == (name == "reversi")
    assert info.zero_sum
    assert bool(info.who_begins) == (name not in MATCHES)
