"""The engine of showdown games: parameters, payments, unseen choices, snapshots."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.niuniu.aiqipai import AiqipaiNiuniu
from games.niuniu.douniu import Douniu
from paiju.rules.api import CHANCE, SPECTATOR, IllegalAction, Parameter
from paiju.rules.showdown import amount, fees_taken, numbers, share, through_banker
from paiju.rules.showdown.parameters import checked
from paiju.rules.shuffle import ShakeRng

ALLOWED = {
    "n": Parameter(5, 1, 9, ""),
    "on": Parameter(False, None, None, ""),
    "mode": Parameter("a", None, None, ""),
    "table": Parameter("1/2/3", 0, 9, ""),
}
CHOICES = {"mode": ("a", "b")}


def test_parameters_have_defaults_and_may_be_set() -> None:
    assert checked("g", ALLOWED, CHOICES, {}) == {
        "n": 5,
        "on": False,
        "mode": "a",
        "table": "1/2/3",
    }
    given_ = {"n": 9, "on": True, "mode": "b", "table": "0/9/0"}
    assert checked("g", ALLOWED, CHOICES, given_) == given_
    assert numbers("0/12/3") == (0, 12, 3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"m": 1},
        {"n": 0},
        {"n": 10},
        {"n": "5"},
        {"n": True},
        {"on": 1},
        {"mode": "c"},
        {"mode": 1},
        {"table": "1/2"},
        {"table": "1/2/10"},
        {"table": "1/2/-3"},
        {"table": "1/2/x"},
    ],
    ids=str,
)
def test_a_wrong_parameter_is_refused_with_its_name(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"g: .*{next(iter(wrong))}"):
        checked("g", ALLOWED, CHOICES, wrong)


@pytest.mark.parametrize("text", ["", "-1", "+1", "1.5", "1_0", " 1", "１", "9" * 16])
def test_an_amount_is_plain_digits(text: str) -> None:
    with pytest.raises(ValueError, match="no amount"):
        amount(text)


AMOUNTS = st.lists(st.integers(0, 10**6), min_size=2, max_size=6)


@given(st.integers(0, 10**6), AMOUNTS, st.integers(0, 5))
def test_a_pool_is_shared_out_to_the_last_unit(pool: int, dues: list[int], first: int) -> None:
    first %= len(dues)
    got = share(pool, dues, first)
    total = sum(dues)
    assert sum(got) == min(pool, total)
    assert all(0 <= g <= due for g, due in zip(got, dues, strict=True))
    if pool < total:
        order = [(first + step) % len(dues) for step in range(len(dues))]
        extra = [got[s] - pool * dues[s] // total for s in order if dues[s]]
        assert extra == sorted(extra, reverse=True) and set(extra) <= {0, 1}


def test_a_short_pool_worked_by_hand() -> None:
    """105 + 35 + 175 due out of 100: 33, 11, 55, and one left for the seat after the banker."""
    assert share(100, [0, 105, 35, 175], 1) == [0, 34, 11, 55]


@given(st.data())
def test_the_banker_never_pays_what_it_has_not(data: st.DataObject) -> None:
    seats = data.draw(st.integers(2, 6))
    banker = data.draw(st.integers(0, seats - 1))
    money = st.lists(st.integers(0, 500), min_size=seats, max_size=seats)
    wealth, stakes = data.draw(money), data.draw(money)
    wins = data.draw(st.lists(st.booleans(), min_size=seats, max_size=seats))
    fee = data.draw(st.integers(0, 50))
    stakes[banker] = 0
    owed = [0 if won else stake for won, stake in zip(wins, stakes, strict=True)]
    due = [stake if won else 0 for won, stake in zip(wins, stakes, strict=True)]
    moved = through_banker(banker, owed=owed, due=due, wealth=wealth)
    assert sum(moved) == 0
    assert all(w + m >= 0 for w, m in zip(wealth, moved, strict=True))
    for seat in range(seats):
        if seat != banker and not wins[seat]:
            assert moved[seat] == -min(stakes[seat], wealth[seat])
    free = through_banker(banker, owed=owed, due=due, wealth=None)
    assert through_banker(banker, owed=owed, due=due, wealth=[3_000] * seats) == free
    assert sum(free) == 0 and all(
        free[s] in (stakes[s], -stakes[s]) for s in range(seats) if s != banker
    )
    booked = fees_taken(moved, fee=fee, wealth=wealth)
    assert sum(booked.deltas) + sum(booked.fees) == 0
    assert all(w + d >= 0 for w, d in zip(wealth, booked.deltas, strict=True))
    assert all(0 <= cost <= fee for cost in booked.fees)


def _betting() -> tuple[AiqipaiNiuniu, object]:
    game = AiqipaiNiuniu({"unit": 10})
    state = game.new_state(4, wealth=[2000] * 4, carry={"priority": 0})
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"first")))
    state.apply(0, game.parse(state, 0, "bid_banker"))
    return game, state


def test_nobody_sees_a_choice_before_all_are_in() -> None:
    game, state = _betting()
    events = state.apply(2, game.parse(state, 2, "bet 66"))
    assert [(e.to, e.data, e.masked) for e in events] == [
        ((2,), {"seat": 2, "bet": 66}, {"seat": 2})
    ]
    assert state.choosing() == (1, 3)
    assert state.view(2)["bet"] == 66
    for viewer in (0, 1, 3, SPECTATOR):
        view = state.view(viewer)
        assert view["chosen"] == [True, False, True, False]
        assert view["bets"] is None and view.get("bet") in (None, 0)
    state.apply(1, game.parse(state, 1, "bet 133"))
    *_, opened = state.apply(3, game.parse(state, 3, "bet 16"))
    assert opened.kind == "bets" and opened.data == {"bets": [0, 133, 66, 16]}
    assert state.view(SPECTATOR)["bets"] == [0, 133, 66, 16]


def test_other_worlds_hold_every_chip_equally_often() -> None:
    """Chi-square over the four chips, 99.9 % limit for 3 degrees: 16.3."""
    game, state = _betting()
    state.apply(2, game.parse(state, 2, "bet 66"))
    rng, found = ShakeRng(b"worlds"), dict.fromkeys((133, 66, 33, 16), 0)
    for _ in range(1200):
        found[state.resample(1, rng).choices[2]] += 1
    assert sum((n - 300) ** 2 / 300 for n in found.values()) < 16.3
    assert state.resample(2, rng).choices[2] == 66


def test_snapshots_of_other_games_and_nonsense_are_refused() -> None:
    blob = Douniu().new_state(4).dump()
    assert Douniu().load(blob).dump() == blob
    with pytest.raises(ValueError, match="not of"):
        Douniu({"N": 2}).load(blob)
    for nonsense in (b"", b"\x00", blob[:-3]):
        with pytest.raises(ValueError, match="snapshot"):
            Douniu().load(nonsense)


def test_tables_of_wrong_size_or_debt_are_refused() -> None:
    game = Douniu({"seats_max": 4})
    for seats in (1, 5):
        with pytest.raises(ValueError, match="2 to 4 seats"):
            game.new_state(seats)
    for wealth in ([1, 2], [1, 2, -1]):
        with pytest.raises(ValueError, match="wealth"):
            game.new_state(3, wealth=wealth)
    with pytest.raises(ValueError, match="seats_min"):
        Douniu({"seats_min": 4, "seats_max": 3})


def test_who_has_left_can_do_nothing_more() -> None:
    game = Douniu()
    state = game.new_state(3, carry={"banker": 1})
    with pytest.raises(IllegalAction, match="wrong_phase"):
        state.abandon(0, "leave")
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"left")))
    state.abandon(0, "leave")  # in the moment between banker and cards
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"left")))
    assert state.to_act() == (1, 2) and state.view(SPECTATOR)["gone"] == [True, False, False]
    for action in (state.default_action(0), game.parse(state, 0, "escape")):
        with pytest.raises(IllegalAction, match="has_left"):
            state.apply(0, action)
