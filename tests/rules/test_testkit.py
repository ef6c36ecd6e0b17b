"""The kit itself: an honest game passes, each leaky or cheating one is caught."""

from __future__ import annotations

import pytest

from paiju.rules.testkit import Violation, run_kit
from tests.rules import leaky


def test_an_honest_game_passes() -> None:
    report = run_kit(leaky.game_of(leaky.HighCardState), hands=200, seed="honest")
    assert report.hands == 200
    assert report.worlds_differ > report.worlds // 2


@pytest.mark.parametrize("broken", leaky.LEAKY, ids=lambda c: c.__name__)
def test_a_leak_is_caught(broken: type[leaky.HighCardState]) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(broken), hands=200, seed="leak", deep_every=1)
    assert caught.value.promise == "hidden information"


@pytest.mark.parametrize(
    ("broken", "promise"), leaky.CHEATING, ids=[c.__name__ for c, _ in leaky.CHEATING]
)
def test_a_cheat_is_caught(broken: type[leaky.HighCardState], promise: str) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(broken), hands=200, seed="cheat", deep_every=1)
    assert caught.value.promise == promise


def test_a_violation_tells_how_to_see_it_again() -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(leaky.LosesPoints), hands=200, seed="cheat")
    game = leaky.game_of(leaky.HighCardState)
    state = game.new_state(2)
    for seat, text in caught.value.log:
        state.apply(seat, game.parse(state, seat, text))
    assert state.is_terminal()


def test_equal_seeds_give_equal_runs() -> None:
    game = leaky.game_of(leaky.HighCardState)
    assert run_kit(game, hands=20, seed=7) == run_kit(game, hands=20, seed=7)
