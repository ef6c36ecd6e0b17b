"""Chihuoguo: golden cases, exact odds, pots that go on, the kit, the bot."""

from __future__ import annotations

import time
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import games.chihuoguo
from games.chihuoguo.messages import TEXTS
from games.chihuoguo.posts import RANK, Stakes, kind_of, parting, winning_ranks
from games.chihuoguo.rules import Chihuoguo
from paiju.rules import cases
from paiju.rules.api import CHANCE, SPECTATOR, IllegalAction, Outcome, State
from paiju.rules.cards import parse_cards
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng
from paiju.rules.testkit import run_kit
from tests.rules.showdown_play import Z_99, advantage, play_hand

GAME = Chihuoguo()
STAKES = GAME.stakes
SHORT = {"laps": 1, "ante": 50, "escape_penalty": 7}


def test_golden_cases() -> None:
    path = Path(games.chihuoguo.__file__).parent / "cases.jsonl"
    answers = list(cases.check(cases.read(path), Registry.default()))
    assert len(answers) == 57
    assert [a for a in answers if not a.passed] == []


# ---- odds --------------------------------------------------------------------------------------


def test_the_odds_of_all_posts_and_third_cards() -> None:
    """All 1,326 pairs of posts with all 50 third cards of a full deck, against the formulas.

    Posts a < b: 4(b-a-1)/50 to win, 6/50 to hit a post; a pair: 2/50 for the third.
    """
    seen = Counter[str]()
    for posts in combinations(range(52), 2):
        low, high = sorted(RANK[card // 4] for card in posts)
        kind = kind_of(posts)
        seen[kind] += 1
        if kind == "consecutive":
            assert high - low == 1
            continue
        results = Counter(STAKES.result(posts, c) for c in range(52) if c not in posts)
        odds: Counter[str] = Counter()
        for result, number in results.items():
            odds[result.outcome] += number
        if low == high:
            assert odds == {"triple": 2, "pair_miss": 48}
            assert {r.factor for r in results} == {0, -1}
            continue
        between = 4 * (high - low - 1)
        assert odds == Counter(between=between, pillar=6, outside=44 - between)
        assert len(winning_ranks(posts)) == high - low - 1
        costly = 4 if (low, high) == (1, 13) else 2
        assert {r.factor for r in results} <= {1, -1, -costly}
    assert seen == {
        "pair": 13 * 6,
        "consecutive": 12 * 16,
        "ace_king": 16,
        "spread": 1326 - 78 - 192 - 16,
    }


def test_what_a_stake_is_worth_turns_at_a_gap_of_seven() -> None:
    """Expected change per unit staked: a gap of 8 ranks and more wins, of 7 is even."""
    for gap in range(1, 11):
        posts = parse_cards(f"2s {'23456789TJQKA'[gap + 1]}s")
        worth = sum(
            Fraction(STAKES.change(STAKES.result(posts, c), 1, 100, None), 50)
            for c in range(52)
            if c not in posts
        )
        assert worth == Fraction(4 * gap - 12 - (44 - 4 * gap), 50)
        assert (worth > 0, worth == 0) == (gap > 7, gap == 7)


@given(
    pot=st.integers(1, 10**6),
    wealth=st.none() | st.integers(0, 10**6),
    cards=st.lists(st.integers(0, 51), min_size=3, max_size=3, unique=True),
    part=st.floats(0, 1),
)
def test_a_turn_conserves_and_never_overdraws(
    pot: int, wealth: int | None, cards: list[int], part: float
) -> None:
    *posts, third = cards
    limits = STAKES.limits(kind_of(posts), pot, wealth)
    if limits is None:
        return
    assert 0 < limits.lowest <= limits.highest <= min(pot, STAKES.stake_cap)
    stake = limits.lowest + int(part * (limits.highest - limits.lowest))
    change = STAKES.change(STAKES.result(posts, third), stake, pot, wealth)
    assert change <= pot and -change <= STAKES.loss_cap
    assert wealth is None or wealth + change >= 0


def test_limits_follow_every_parameter() -> None:
    stakes = Stakes(10, 500, 900, 4, 3, 5)
    assert stakes.limits("spread", 4000, 10**6) == (10, 500)
    assert stakes.limits("spread", 4000, 1000) == (10, 250)
    assert stakes.limits("spread", 4000, 39) is None
    assert stakes.limits("pair", 4000, 1000) == (10, 10)
    assert stakes.limits("spread", 7, None) == (7, 7)
    pillar = stakes.result(parse_cards("4h Jd"), parse_cards("Js")[0])
    assert pillar == ("pillar", -3) and stakes.change(pillar, 400, 4000, None) == -900
    assert stakes.result(parse_cards("As Kd"), parse_cards("Kh")[0]).factor == -5


@given(st.integers(0, 10**6), st.sets(st.integers(0, 3), min_size=1))
def test_the_parting_loses_no_unit(pot: int, here: set[int]) -> None:
    shares, rest = parting(pot, 4, sorted(here))
    assert sum(shares) + rest == pot and rest >= pot - pot // 2
    assert all((share == 0) or seat in here for seat, share in enumerate(shares))


# ---- the kit -----------------------------------------------------------------------------------

KIT: list[tuple[dict[str, Any], int]] = [
    (SHORT, 100),
    ({}, 15),
    ({"seats": 2, "ante": 5, "laps": 2, "pillar_factor": 3}, 50),
    ({"seats": 8, "ante": 30, "laps": 1}, 20),
]


def _kit(parameters: dict[str, Any], hands: int, *, deep_every: int) -> None:
    game = Chihuoguo(parameters)
    seats, ante = game.info.max_seats, game.values["ante"]
    report = run_kit(
        game,
        hands=hands,
        seed=f"chihuoguo {parameters}",
        wealth=lambda n: (
            None if n % 3 == 0 else [ante + 5 + n * 37 * (s + 1) % 900 for s in range(seats)]
        ),
        deep_every=deep_every,
    )
    assert report.hands == hands and report.patch_p95() <= 600
    assert report.results["finished"] > 0.6 * hands


@pytest.mark.parametrize(("parameters", "hands"), KIT, ids=str)
def test_conformance_kit(parameters: dict[str, Any], hands: int) -> None:
    _kit(parameters, hands, deep_every=40)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize(("parameters", "hands"), KIT, ids=str)
def test_conformance_kit_for_long(parameters: dict[str, Any], hands: int) -> None:
    _kit(parameters, 500 * hands, deep_every=20)


def test_nothing_is_hidden_from_anybody() -> None:
    def look(state: State) -> None:
        assert state.view(0) == state.view(3) == state.view(SPECTATOR)
        assert state.resample(0, ShakeRng(b"")).hash() == state.hash()

    play_hand(GAME, "open", watch=look)


# ---- a match -----------------------------------------------------------------------------------


def test_the_pot_goes_on_from_game_to_game_and_nothing_is_lost() -> None:
    wealth, pot, carry = [500_000] * 4, 0, {}
    left, emptied = 0, 0
    for number in range(60):
        outcome = play_hand(
            GAME, f"match {number}", bots=(0, 2) if number % 2 else (), wealth=wealth, carry=carry
        )
        wealth = [own + change for own, change in zip(wealth, outcome.deltas, strict=True)]
        pot += outcome.pot_change
        assert outcome.carry == ({"pot": pot} if pot else {})
        assert sum(wealth) + pot == 2_000_000 and min(wealth) >= 0 and pot >= 0
        left, emptied = left + (pot > 0), emptied + (pot == 0)
        carry = dict(outcome.carry)
    assert left > 5 and emptied > 5


def test_the_first_seat_is_drawn_before_every_game() -> None:
    """Chi-square over four seats, 99.9 % limit for 3 degrees: 16.3."""
    found = Counter[int]()
    for number in range(200):
        state = GAME.new_state(4, carry={"pot": 7})
        state.apply(CHANCE, state.sample_chance(ShakeRng(b"first %d" % number)))
        found[state.first] += 1
    assert sum((found[seat] - 50) ** 2 / 50 for seat in range(4)) < 16.3


# ---- single rules ------------------------------------------------------------------------------


def opened(game: Chihuoguo, posts: str, **new: Any) -> Any:
    """Seat 0 on turn before these posts."""
    state = game.new_state(game.info.max_seats, **new)
    state.apply(CHANCE, ("first", 0))
    state.apply(CHANCE, ("draw", tuple(parse_cards(posts))))
    return state


def test_a_lap_shows_no_card_twice_and_the_next_begins_with_a_whole_deck() -> None:
    state, rng = GAME.new_state(4), ShakeRng(b"laps")
    shown: dict[int, list[int]] = {}
    while not state.is_terminal():
        (seat,) = state.to_act()
        if seat != CHANCE:
            *_, action = state.legal_actions(seat)[:2]
            state.apply(seat, action)
            continue
        lap, drawn = state.turn // 4, state.sample_chance(rng)
        if drawn[0] == "draw":
            shown.setdefault(lap, []).extend(drawn[1])
        state.apply(CHANCE, drawn)
    assert len(shown) > 1
    assert all(len(cards) == len(set(cards)) <= 12 for cards in shown.values())
    assert len({card for cards in shown.values() for card in cards}) < sum(map(len, shown.values()))


def test_neighbours_are_folded_by_the_system_and_count_as_a_turn() -> None:
    state = opened(GAME, "4h 5d")
    assert state.turn == 1 and state.to_act() == (CHANCE,)
    assert state.view(0)["last"]["outcome"] == "consecutive"
    with pytest.raises(IllegalAction, match="bad_deal"):
        state.apply(CHANCE, ("draw", tuple(parse_cards("4h Jd"))))
    with pytest.raises(IllegalAction, match="bad_deal"):
        state.apply(CHANCE, ("draw", tuple(parse_cards("Js"))))
    with pytest.raises(IllegalAction, match="bad_deal"):  # 5d lay on the table in this lap
        state.apply(CHANCE, ("draw", tuple(parse_cards("5d Js"))))
    state.apply(CHANCE, ("draw", tuple(parse_cards("5h Js"))))


def test_the_view_says_what_wins_and_what_costs() -> None:
    view = opened(GAME, "9h Qd", wealth=[1501] * 4).view(SPECTATOR)
    assert view["wins_on"] == "TJ" and view["costly"] == "9Q" and view["kind"] == "spread"
    assert view["pot"] == 2000 and view["limits"] == [5, 500] and view["has"] == 1001
    pair = opened(GAME, "9h 9d").view(0)
    assert pair["wins_on"] == "9" and pair["costly"] == "" and pair["limits"] == [5, 5]


def test_a_leaver_forfeits_and_may_owe_a_penalty() -> None:
    game = Chihuoguo({"escape_penalty": 300})
    state = opened(game, "4h Jd", wealth=[600, 700, 900, 2000])
    state.abandon(1, "leave")
    assert state.change == [-500, -700, -500, -500] and state.pot == 2200  # it had only 200
    assert state.to_act() == (0,)
    state.abandon(0, "leave")
    assert state.turn == 2 and state.pot == 2300 and state.to_act() == (CHANCE,)
    state.abandon(3, "leave")
    assert state.outcome() == Outcome("escaped", (-600, -700, 2100, -800), (0,) * 4, 0, {}, None)


def test_nobody_antes_when_somebody_has_too_little() -> None:
    state = GAME.new_state(4, wealth=[510, 509, 510, 510], carry={"pot": 44})
    state.apply(CHANCE, ("first", 1))
    assert state.outcome() == Outcome("cancelled", (0,) * 4, (0,) * 4, 0, {"pot": 44}, None)


@pytest.mark.parametrize(
    ("posts", "wealth", "line", "en", "zh"),
    [
        ("4h Jd", None, "stake 2001", "at most 2000", "最多 2000"),
        ("4h Jd", None, "stake 4", "at least 5", "至少 5"),
        ("4h 4d", None, "stake 6", "exactly 5", "只能添 5"),
        ("4h Jd", [510] * 4, "stake 6", "at most 5", "最多 5"),
        ("4h Jd", None, "stake -5", "Not understood", "无法识别"),
        ("4h Jd", None, "stake", "Not understood: stake", "无法识别：stake"),
    ],
)
def test_refusals_say_why(posts: str, wealth: Any, line: str, en: str, zh: str) -> None:
    state = opened(GAME, posts, wealth=wealth)
    before = state.hash()
    with pytest.raises(IllegalAction) as refused:
        state.apply(0, GAME.parse(state, 0, line))
    params = refused.value.params
    assert en in str(GAME.message(refused.value.code, params, "en"))
    assert zh in str(GAME.message(refused.value.code, params, "zh"))
    assert state.hash() == before


def test_who_cannot_afford_the_lowest_stake_can_only_fold() -> None:
    game = Chihuoguo({"min_stake": 20, "wealth_divisor": 10})
    state = opened(game, "4h Jd", wealth=[540] * 4)
    assert state.legal_actions(0) == (0,)
    with pytest.raises(IllegalAction) as refused:
        state.apply(0, game.parse(state, 0, "stake 20"))
    assert "only fold" in str(game.message(refused.value.code, {}, "en"))


def test_every_sentence_can_be_said_without_its_parameters() -> None:
    assert all(GAME.message(code, {}, locale) for code in TEXTS for locale in ("en", "zh"))


# ---- the bot -----------------------------------------------------------------------------------

WEALTH = [10_000] * 4


def test_the_bot_beats_random_players() -> None:
    assert advantage(GAME, 80, wealth=WEALTH) > Z_99


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("wealth", [None, WEALTH], ids=["score", "coins"])
def test_the_bot_beats_random_players_over_a_thousand_deals(wealth: list[int] | None) -> None:
    assert advantage(GAME, 1000, wealth=wealth) > Z_99


def test_the_bot_counts_cards() -> None:
    """4 and Q have a gap of seven: even in a full deck; good when low cards are gone."""
    bot, state = GAME.bot(), opened(GAME, "4h Qd")
    view, legal = state.view(0), state.legal_actions(0)
    assert bot.act(view, legal, 20) == 0
    gone = {**view, "seen": [*view["seen"], "2s", "3s", "Ks"]}
    assert bot.act(gone, legal, 20) == legal[-1]


def test_a_hint_is_quick() -> None:
    """The promise is 20 ms; the bound is wide enough for a busy machine."""
    times = []

    def ask(state: State) -> None:
        for seat in state.to_act():
            if seat != CHANCE:
                begun = time.thread_time()
                assert state.is_legal(seat, state.hint(seat))
                times.append(time.thread_time() - begun)

    for deal in range(10):
        play_hand(GAME, f"hint {deal}", watch=ask)
    assert sorted(times)[len(times) // 2] <= 0.005 and max(times) <= 0.1
