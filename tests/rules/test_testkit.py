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
    assert caught.value.promise in {"hidden information", "client"}
    assert caught.value.log or "deal" not in str(caught.value)


@pytest.mark.parametrize("broken", leaky.CHEATING, ids=lambda c: c.__name__)
def test_a_cheat_is_caught(broken: type[leaky.HighCardState]) -> None:
    with pytest.raises((Violation, AssertionError)):
        run_kit(leaky.game_of(broken), hands=200, seed="cheat", deep_every=1)
