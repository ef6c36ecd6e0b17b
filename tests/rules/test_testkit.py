"""The kit itself: honest games pass, each leaky or cheating one is caught."""

from __future__ import annotations

import pytest

from paiju.rules.testkit import Violation, measure_mixing, run_kit, run_light
from tests.rules import leaky, leaky_table


def test_an_honest_game_passes() -> None:
    game = leaky.game_of(leaky.HighCardState)
    report = run_kit(game, hands=200, seed="honest")
    assert report.hands == 200
    assert report.worlds_differ > 0.6 * report.worlds > 0
    assert run_light(game, hands=200, seed="honest").hands == 200
    assert measure_mixing(game, hands=200, seed="honest").worlds >= 1000


@pytest.mark.parametrize(("leak", "twin"), leaky.LEAKY, ids=[c.__name__ for c, _ in leaky.LEAKY])
def test_a_leak_is_caught_and_its_honest_twin_passes(
    leak: type[leaky.HighCardState], twin: type[leaky.HighCardState]
) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(leak), hands=200, seed="leak", deep_every=1)
    assert caught.value.promise in ("hidden information", "dump")
    assert run_kit(leaky.game_of(twin), hands=100, seed="leak", deep_every=1).hands == 100


@pytest.mark.parametrize("leak", leaky.MORE_LEAKS, ids=lambda c: c.__name__)
def test_other_leaks_are_caught(leak: type[leaky.HighCardState]) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(leak), hands=200, seed="leak", deep_every=1)
    assert caught.value.promise == "hidden information"


@pytest.mark.parametrize(
    ("broken", "promise"), leaky.CHEATING, ids=[c.__name__ for c, _ in leaky.CHEATING]
)
def test_a_cheat_is_caught(broken: type[leaky.HighCardState], promise: str) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky.game_of(broken), hands=200, seed="cheat", deep_every=1)
    assert caught.value.promise == promise


def test_chance_in_a_game_that_is_said_to_be_deterministic_is_caught() -> None:
    game = leaky.game_of(leaky.HighCardState)
    game.info = game.info._replace(deterministic=True)
    with pytest.raises(Violation) as caught:
        run_kit(game, hands=1, seed="cheat")
    assert caught.value.promise == "info"


def test_secrets_in_a_game_that_is_said_to_be_open_are_caught() -> None:
    game = leaky.game_of(leaky.HighCardState)
    game.info = game.info._replace(perfect_information=True)
    with pytest.raises(Violation) as caught:
        run_kit(game, hands=1, seed="cheat")
    assert caught.value.promise == "info"


@pytest.mark.parametrize("broken", [leaky.GivesTheRealHand, leaky.SamplesBadly])
def test_resampling_that_does_not_mix_is_caught(broken: type[leaky.HighCardState]) -> None:
    with pytest.raises(Violation) as caught:
        measure_mixing(leaky.game_of(broken), hands=100, seed="mixing")
    assert caught.value.promise == "mixing"


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


def test_an_honest_game_with_sealed_bids_claims_and_a_pot_passes() -> None:
    game = leaky_table.SealedBids(leaky_table.SealedState)
    report = run_kit(game, hands=100, seed="honest", deep_every=2)
    assert set(report.results) == {"finished", "left"} and report.claims > 20
    assert report.worlds_differ > 0.6 * report.worlds > 0
    assert run_light(game, hands=200, seed="honest").hands == 200
    measure_mixing(game, hands=200, seed="honest")


@pytest.mark.parametrize(
    ("broken", "promise"), leaky_table.BROKEN, ids=[c.__name__ for c, _ in leaky_table.BROKEN]
)
def test_a_breach_at_a_table_of_many_is_caught(
    broken: type[leaky_table.SealedState], promise: str
) -> None:
    with pytest.raises(Violation) as caught:
        run_kit(leaky_table.SealedBids(broken), hands=200, seed="cheat", deep_every=1)
    assert caught.value.promise == promise
