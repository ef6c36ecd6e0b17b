"""Dagunzi: first and later claims, tribute, the dry pot, jokers in the bottom, the kit, the bot."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from games.shengji.dagunzi import Dagunzi
from games.shengji.game import TrickGame
from games.shengji.state import State
from games.shengji.tribute import is_dry
from paiju.rules.api import CHANCE, Deadline, IllegalAction
from paiju.rules.cards import parse_cards
from paiju.rules.shuffle import ShakeRng
from paiju.rules.tricks.packs import parse_set, text_of
from tests.rules.shengji_family import (
    apply_all,
    assert_better,
    begun,
    check_promises,
    check_promises_long,
    cpu_seconds,
    short,
    steps,
)

VARIANTS: dict[str, Callable[[], TrickGame]] = {
    "live": Dagunzi,
    "dead": partial(Dagunzi, {"dead_stick": True}),
}
variants = pytest.mark.parametrize("make", VARIANTS.values(), ids=VARIANTS)
LATER = {"dealer": 3, "levels": ["5", "5"]}
HANDS = ["5s 5s RJ RJ", "5h 5h 5h 9c", "BJ BJ BJ 6c", "5d 7d 7c Kc"]
ALL_PASS = [(seat, "pass") for seat in range(4)]


def test_parameters() -> None:
    assert Dagunzi().values == {
        "dead_stick": False,
        "level": "3",
        "levels": "",
        "dealer": -1,
        "tribute": 0,
        "escape_penalty": 50,
    }
    with pytest.raises(ValueError, match="level"):
        Dagunzi({"level": "2"})
    # Cards are owed in the first hand only where its dealer is set.
    assert Dagunzi({"tribute": 3}).new_state(4).owed == 0
    assert Dagunzi({"tribute": 3, "dealer": 1}).new_state(4).owed == 3


# ---- claims ------------------------------------------------------------------------------------


def test_the_first_red_joker_deals_and_the_rest_is_dealt_at_once() -> None:
    game = Dagunzi()
    pack = "RJ 4s 5s 6s RJ 8s 9s Ts 7h 4d 5d 6d 3c 4c 4h 5h"
    game.use_pack(parse_cards(pack), 4)
    state = game.new_state(4)
    apply_all(state, (CHANCE, f"shuffle 2 / {pack}"), (CHANCE, "deal 1"))
    assert state.deadlines() == (Deadline(CHANCE, "deal"),)
    apply_all(state, (2, "declare RJ"))
    assert state.to_act() == (CHANCE,) and state.deadlines() == ()
    apply_all(state, (CHANCE, "deal 2"))
    view = state.view(0)
    assert (view["dealer"], view["trump"], view["turned"]) == (2, "h", ["7h"])
    assert view["bottom"] == ["3c", "4c", "4h", "5h"] and view["known"][2] == ["7h", "RJ"]
    assert state.phase() == "take_bottom"


def test_nobody_has_a_red_joker_in_a_first_hand() -> None:
    hands = ["4s", "5s", "6s", "7s"]
    state = begun(Dagunzi(), hands, "2h 3h Kd 4c 4d")
    apply_all(state, *ALL_PASS)  # lowest: 4c of seat 3; 3 is the level
    view = state.view(0)
    assert (view["dealer"], view["trump"]) == (3, "c")
    assert view["turned"] == ["2h", "3h", "Kd", "4c"] and view["bottom"] is None
    jokers = begun(Dagunzi(), hands, "RJ RJ BJ BJ 3d")
    apply_all(jokers, *ALL_PASS)
    assert (jokers.result, jokers.outcome().carry) == ("redeal", {})


def test_later_claims_name_a_suit_with_three_jokers() -> None:
    state = begun(Dagunzi(), HANDS, "8s 9h", carry=LATER)
    apply_all(state, (3, "declare 5d"), (0, "counter 5s 5s"), (1, "counter 5h 5h 5h"))
    for line in ("counter BJ BJ BJ", "counter BJ BJ c", "counter BJ BJ BJ n"):
        with pytest.raises(IllegalAction):
            apply_all(state, (2, line))
    apply_all(state, (2, "counter BJ BJ BJ c"), *ALL_PASS)
    assert (state.view(0)["trump"], state.dealer, state.counters) == ("c", 3, 3)


def test_nobody_claims_later_and_the_bottom_turns_the_trumps() -> None:
    state = begun(Dagunzi(), HANDS, "BJ 9h", carry=LATER)
    apply_all(state, *ALL_PASS)
    view = state.view(1)
    assert (view["trump"], view["turned"], view["bottom"]) == ("h", ["BJ", "9h"], None)
    void = begun(Dagunzi(), HANDS, "BJ RJ", carry={**LATER, "tribute": 2})
    apply_all(void, *ALL_PASS)
    assert void.result == "redeal" and void.outcome().carry == {**LATER, "tribute": 2}


# ---- tribute and the bottom --------------------------------------------------------------------


def declared(tribute: int, hands: list[str], bottom: str = "8s 9h") -> State:
    state = begun(Dagunzi(), hands, bottom, carry={**LATER, "tribute": tribute})
    apply_all(state, (1, "declare 5h"), *ALL_PASS)
    return state


def test_tribute_goes_to_the_dealer_and_comes_back() -> None:
    state = declared(2, HANDS)
    assert state.to_act() == (2,) and state.phase() == "tribute"
    with pytest.raises(IllegalAction, match="tribute_highest"):
        apply_all(state, (2, "tribute BJ 6c"))
    apply_all(state, (2, "tribute BJ BJ"))
    assert state.view(0)["known"][3] == ["BJ", "BJ"]
    with pytest.raises(IllegalAction, match="return_low"):
        apply_all(state, (3, "return_tribute 7d Kc"))
    apply_all(state, (3, "return_tribute 7d 7c"))
    assert text_of(state.hands[2]) == "6c 7d 7c BJ"
    assert state.view(0)["tribute"] == {"payer": 2, "cards": 2}
    assert state.phase() == "take_bottom"


def test_three_red_jokers_turn_the_tribute_round() -> None:
    hands = ["5s 5s 4s 9d", "5h 5h 5h 9c", "RJ RJ RJ 6c", "5d 7d 7c Kc"]
    state = declared(1, hands)
    assert state.to_act() == (3,) and state.payer == 3
    assert state.view(0)["known"][2] == ["RJ", "RJ", "RJ"]
    apply_all(state, (3, "tribute 5d"), (2, "return_tribute 6c"))
    assert text_of(state.hands[2]) == "5d RJ RJ RJ"


def test_a_dry_pot_stays_as_it_lies() -> None:
    state = declared(1, HANDS, "8s 9s")
    assert state.dry
    apply_all(state, (2, "tribute BJ"), (3, "return_tribute 7c"))
    assert state.phase() == "play" and state.to_act() == (3,)
    assert state.view(0)["bottom"] == ["8s", "9s"]


def test_what_is_dry() -> None:
    ranking = Dagunzi().ranking_of("5", 2)
    for bottom, dry in (
        ("", False),
        ("3h 4s", False),
        ("5s 4s", False),  # a level card is a real trump
        ("2h 2s RJ 4s", True),  # 2s and jokers are not
        ("3h 5s RJ 2c", True),
        ("RJ BJ", True),
    ):
        assert is_dry(ranking, parse_set(bottom)) == dry, bottom


def test_jokers_go_under_red_ones_first_and_are_shown() -> None:
    hands = ["5s 5s RJ 9s", "5h 5h 5h 9c", "BJ RJ 4d 6c", "5d 7d BJ RJ"]
    state = declared(0, hands)
    apply_all(state, (3, "take_bottom"))
    with pytest.raises(IllegalAction, match="red_first"):
        apply_all(state, (3, "bury BJ 7d"))
    apply_all(state, (3, "bury RJ 7d"))
    assert state.view(0)["bottom"] == ["7d", "RJ"] and state.view(0)["swappable"] == 1
    with pytest.raises(IllegalAction, match="red_first"):
        apply_all(state, (0, "pass"), (1, "pass"), (2, "swap_joker BJ"))
    with pytest.raises(IllegalAction, match="only_jokers"):
        apply_all(state, (2, "swap_joker 6c"))
    with pytest.raises(IllegalAction, match="swappable"):
        apply_all(state, (2, "swap_joker RJ BJ"))
    apply_all(state, (2, "swap_joker RJ"))
    assert state.view(0)["bottom"] == ["RJ", "RJ"] and state.phase() == "play"
    assert text_of(state.hands[2]) == "4d 6c 7d BJ"


def test_a_bury_of_points_asks_nobody() -> None:
    state = declared(0, ["5s 5s RJ 9s", "5h 5h 5h 9c", "BJ RJ 4d 6c", "5d Kd BJ RJ"])
    apply_all(state, (3, "take_bottom"), (3, "bury 5d Kd"))
    assert state.phase() == "play"


# ---- matches -----------------------------------------------------------------------------------


def test_matches_carry_tribute_and_end() -> None:
    game = short(Dagunzi())
    carry: dict[str, object] = {}
    owed = ends = 0
    for number in range(60):
        *_, state = steps(game, f"match {number}", carry=carry)
        outcome, score = state.outcome(), state.score()
        if score is None:
            assert outcome.result == "redeal" and outcome.carry == carry
            continue
        carry = dict(outcome.carry)
        if score.match_over:
            ends += 1
            assert carry == {}
            continue
        assert carry["dealer"] == score.next_dealer
        assert carry.get("tribute", 0) == score.next_tribute
        owed += bool(score.next_tribute)
    assert owed and ends


@variants
def test_an_absent_table_plays_itself_to_the_end(make: Callable[[], TrickGame]) -> None:
    state = make().new_state(4, carry={**LATER, "tribute": 3})
    rng = ShakeRng(b"absent")
    while not state.is_terminal():
        seats = [seat for seat in state.to_act() if seat != CHANCE]
        if not seats or state.undealt():
            state.apply(CHANCE, state.sample_chance(rng))
        else:
            state.apply(seats[0], state.default_action(seats[0]))
    assert state.result == "finished" and len(state.winners) == 39


def test_an_escape_costs_the_leaver_only() -> None:
    state = declared(0, HANDS)
    state.abandon(1, "leave")
    assert state.outcome().deltas == (0, -50, 0, 0)
    assert state.outcome().carry == {**LATER, "tribute": 0}


# ---- the kit and the bot -----------------------------------------------------------------------


@pytest.mark.soak  # test_conformance.py plays every rule set in CI
def test_conformance_kit() -> None:
    """Short hands with living and dead sticks."""
    check_promises(list(VARIANTS.values()), hands=120)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@variants
def test_conformance_kit_long(make: Callable[[], TrickGame]) -> None:
    check_promises_long(make, hands=2000, whole=200)


@variants
def test_the_bot_beats_random_players(make: Callable[[], TrickGame]) -> None:
    assert_better(make(), 30)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@variants
def test_the_bot_beats_random_players_long(make: Callable[[], TrickGame]) -> None:
    assert_better(make(), 1000)


@variants
def test_hints_and_hint_sets_are_quick(make: Callable[[], TrickGame]) -> None:
    """The worst of whole hands: hint <= 20 ms, hint set <= 3 ms of processor time."""
    for number in range(2):
        for state in steps(make(), f"quick {number}", carry={**LATER, "tribute": 4}):
            if state.is_terminal():
                break
            seat = state.to_act()[0]
            assert cpu_seconds(lambda: state.legal_actions(seat)) <= 0.003  # noqa: B023
            assert cpu_seconds(lambda: state.hint(seat), 2) <= 0.02  # noqa: B023
