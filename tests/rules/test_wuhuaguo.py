"""Wuhuaguo: golden cases, readings against the definitions, the alarm, worlds, the kit, the bot."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import games.wuhuaguo
from games.wuhuaguo.hand import WuhuaguoState
from games.wuhuaguo.kinds import figs, kinds
from games.wuhuaguo.messages import _TEXTS
from games.wuhuaguo.rules import Wuhuaguo
from games.wuhuaguo.worlds import other_hands
from paiju.rules import cases
from paiju.rules.api import CHANCE, Event, IllegalAction, State
from paiju.rules.cards import mask_of, names_of, parse_cards
from paiju.rules.climbing.packed import ONE, count_of, counts_of, covers, size_of
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng
from paiju.rules.testkit import run_kit
from tests.rules.showdown_play import Z_99, advantage, play_hand

GAME = Wuhuaguo({"unit": 10, "A": 2})
MUST = Wuhuaguo({"must_beat": True})
KINDS = kinds(4)
READINGS = KINDS.combos.readings


def hand_of(text: str) -> int:
    return mask_of(parse_cards(text))


def test_golden_cases() -> None:
    path = Path(games.wuhuaguo.__file__).parent / "cases.jsonl"
    answers = list(cases.check(cases.read(path), Registry.default()))
    assert len(answers) == 75
    assert [a for a in answers if not a.passed] == []


# ---- readings ----------------------------------------------------------------------------------


def run_of(ranks: Sequence[int]) -> bool:
    """Consecutive, and no 2."""
    return ranks[-1] < 12 and ranks[-1] - ranks[0] == len(ranks) - 1


def slow_readings(held: dict[int, int], shortest: int = 4) -> set[tuple[str, int, int]]:
    """All readings by the definitions. held: rank -> cards, sorted by rank."""
    ranks, numbers, size = list(held), list(held.values()), sum(held.values())
    found: set[tuple[str, int, int]] = set()
    if len(held) == 1:
        name = ("single", "pair", "triple", "bomb")[size - 1]
        found.add((name, ranks[0], 4 if size == 4 else 1))
    for rank, number in held.items():
        rest = sorted(n for r, n in held.items() if r != rank)
        if number == 3 and rest in ([1], [2]):
            found.add(("triple_single" if rest == [1] else "triple_pair", rank, 1))
        if number == 4 and rest in ([2], [1, 1]):
            found.add(("four_two_singles", rank, 1))
        if number == 4 and rest == [2, 2]:
            found.add(("four_two_pairs", rank, 1))
    for name, copies, least, most in (
        ("straight", 1, shortest, 12),
        ("pair_run", 2, 2, 6),
        ("triple_run", 3, 2, 4),
    ):
        if set(numbers) == {copies} and least <= len(ranks) <= most and run_of(ranks):
            found.add((name, ranks[-1], len(ranks)))
    for length in (2, 3):
        for low in range(13 - length):
            body = range(low, low + length)
            if not all(held.get(rank) == 3 for rank in body) or not run_of(body):
                continue
            rest = [n for rank, n in held.items() if rank not in body]
            if sum(rest) == length:
                found.add(("triple_run_singles", body[-1], length))
            if length == 2 and rest == [2, 2]:
                found.add(("triple_run_pairs", body[-1], length))
    return found


def held_of(counts: int) -> dict[int, int]:
    return {rank: count_of(counts, rank) for rank in range(13) if count_of(counts, rank)}


def test_the_number_of_readings_of_each_kind() -> None:
    """By counting; only nine sets, four consecutive triples, have three readings."""
    found = Counter(reading.kind for readings in READINGS.values() for reading in readings)
    assert found == {
        "single": 13,
        "pair": 13,
        "triple": 13,
        "bomb": 13,
        "triple_single": 13 * 12,
        "triple_pair": 13 * 12,
        "four_two_singles": 13 * (66 + 12),
        "four_two_pairs": 13 * 66,
        "straight": sum(range(1, 10)),
        "pair_run": sum(range(7, 12)),
        "triple_run": sum(range(9, 12)),
        "triple_run_singles": 11 * (55 + 11) + 10 * (120 + 90 + 10),
        "triple_run_pairs": 11 * 55,
    }
    assert Counter(map(len, READINGS.values())) == {1: sum(found.values()) - 27, 3: 9}


def test_every_reading_is_one_of_the_definitions() -> None:
    for counts, readings in READINGS.items():
        assert set(readings) == slow_readings(held_of(counts))


def test_small_sets_and_near_misses_have_no_other_readings() -> None:
    """All sets of up to five cards, and every legal set with one card more or less."""
    tried = {
        sum(ONE[rank] for rank in ranks)
        for size in range(1, 6)
        for ranks in combinations_with_replacement(range(13), size)
        if max(Counter(ranks).values()) <= 4
    }
    for counts in READINGS:
        for rank in range(13):
            number = count_of(counts, rank)
            if number and counts != ONE[rank]:
                tried.add(counts - ONE[rank])
            if number < 4 and size_of(counts) < 13:
                tried.add(counts + ONE[rank])
    assert len(tried) > 20_000
    for counts in tried:
        assert set(READINGS.get(counts, ())) == slow_readings(held_of(counts))


@given(st.sets(st.integers(0, 51), min_size=1, max_size=13), st.sampled_from([3, 4, 5]))
def test_cards_have_exactly_the_readings_of_the_definitions(held: set[int], least: int) -> None:
    counts = counts_of(mask_of(held))
    found = kinds(least).combos.readings.get(counts, ())
    assert set(found) == slow_readings(held_of(counts), least)


RUNS = st.sets(st.integers(0, 12), min_size=4, max_size=6)


@given(RUNS, st.sampled_from([3, 4]), st.sampled_from(sorted(READINGS)))
def test_full_hands_hold_exactly_the_plays_they_cover(
    ranks: set[int], copies: int, table: int
) -> None:
    cards = [rank * 4 + suit for rank in sorted(ranks) for suit in range(copies)][:13]
    hand = mask_of(cards)
    counts = counts_of(hand)
    covered = [play for play in READINGS if covers(counts, play)]
    leads = [c for c in KINDS.finder.leads(hand, counts) if c & 0xFF == 16]
    assert sorted(counts_of(c >> 8) for c in leads) == sorted(covered)
    lead = READINGS[table][0]
    follows = KINDS.finder.follows(hand, counts, lead)
    beating = [c for c in covered if any(KINDS.combos.beats(r, lead) for r in READINGS[c])]
    assert sorted(counts_of(c >> 8) for c in follows[1:]) == sorted(beating)


def test_how_often_a_dealt_hand_is_a_wuhuaguo() -> None:
    """Four threes, four twos and all small by counting, the dragon too; six pairs by its terms."""
    whole = math.comb(52, 13)
    exact = {
        "four_threes": math.comb(48, 9) / whole,
        "four_twos": math.comb(48, 9) / whole,
        "dragon": 4**13 / whole,
        "all_small": math.comb(32, 13) / whole,
        "six_pairs": _six_pairs() / whole,
    }
    rng, found, deals = ShakeRng(b"figs"), Counter[str](), 12_000
    for _ in range(deals):
        found.update(figs(mask_of(rng.permutation(52)[:13])))
    for name, chance in exact.items():
        mean = deals * chance
        assert abs(found[name] - mean) <= 4 * math.sqrt(mean) + 1


def _six_pairs() -> int:
    """Hands with one rank held an odd number of times: a product over the ranks.

    A rank held 0, 2, 4 times: 1, 6, 1 ways; 1 or 3 times: 4, 4 ways.
    """
    ways = {0: 1}  # cards -> ways, even ranks only
    for _ in range(12):
        step: Counter[int] = Counter()
        for cards, number in ways.items():
            for more, choices in ((0, 1), (2, 6), (4, 1)):
                step[cards + more] += number * choices
        ways = dict(step)
    return 13 * 4 * (ways.get(12, 0) + ways.get(10, 0))


# ---- the course of a hand ----------------------------------------------------------------------


def dealt(game: Wuhuaguo, hands: Sequence[str], *, passes: int = 4, **new: Any) -> WuhuaguoState:
    """A hand with these cards; so many seats have said that they declare nothing."""
    state = game.new_state(4, **new)
    state.deal_unchecked((0, tuple(map(hand_of, hands)), 0, 0))
    for _ in range(passes):
        act(state, "pass")
    return state


def act(state: WuhuaguoState, line: str) -> list[Event]:
    (seat,) = state.to_act()
    return state.apply(seat, state.game.parse(state, seat, line))


def lines(state: WuhuaguoState) -> list[str]:
    (seat,) = state.to_act()
    return [state.game.format(action) for action in state.legal_actions(seat)]


SHORT = ["3d 3h 4s 9s 2s", "5s 9d Kd", "6s 8s Ts", "7s 7d Qd Qc"]


def test_the_first_play_holds_3h_and_lists_it() -> None:
    state = dealt(GAME, SHORT)
    assert state.default_action(0) == state.game.parse(state, 0, "play 3h")
    assert lines(state) == ["play 3h", "play 3d 3h"]
    with pytest.raises(IllegalAction, match="must_open"):
        act(state, "play 3d")
    act(state, "play 3h")
    with pytest.raises(IllegalAction, match="no_such_play"):
        act(state, "play 5s 9d")


def test_under_the_alarm_a_single_is_the_highest_and_everybody_knows_it() -> None:
    state = dealt(GAME, ["3h 8s Ks 2d 4d", "5s 6d", "6s 8d Ts", "7s 7d Qd"])
    assert [event.kind for event in act(state, "play 3h")] == ["play"]
    *_, event = act(state, "play 5s")
    assert event == Event("alarm", {"seat": 1})
    for _ in range(2):
        act(state, "pass")
    assert lines(state) == ["pass", "play 2d"]
    assert state.view(0)["counts"] == [4, 1, 3, 3]
    with pytest.raises(IllegalAction) as refused:
        act(state, "play 8s")
    assert refused.value.code == "alarm" and refused.value.params == {"rank": "2"}
    act(state, "play 2d")
    for _ in range(3):
        act(state, "pass")
    assert state.default_action(0) == GAME.parse(state, 0, "play Ks")
    act(state, "play Ks")
    assert state.ceiling == [10, 12, 12, 12]
    rng = ShakeRng(b"ceiling")
    for _ in range(50):
        world = state.resample(2, rng)
        assert all(card // 4 <= 10 for card in range(52) if world.hands[0] >> card & 1)
        assert world.could_be()


def test_worlds_are_equally_likely_under_a_ceiling() -> None:
    """Against a list of all worlds; chi-square at most four of its standard deviations high."""
    state = dealt(GAME, ["3c 8s Ks", "6d Ad", "4s 2s", "7s Jd"])
    state.ceiling = [10, 12, 12, 12]  # as after a king that was played under the alarm
    names = ["3c", "8s", "Ks", "6d", "Ad", "7s", "Jd"]
    worlds = set()
    for first in combinations(names, 3):
        rest = [name for name in names if name not in first]
        for second in combinations(rest, 2):
            third = [name for name in rest if name not in second]
            if "Ad" not in first:
                worlds.add(tuple(hand_of(" ".join(hand)) for hand in (first, second, third)))
    assert len(worlds) == 20 * 6
    rng, found = ShakeRng(b"equal"), Counter[tuple[int, ...]]()
    for _ in range(40 * len(worlds)):
        hands = other_hands(state, 2, rng)
        assert hands[2] == state.hands[2]
        found[hands[0], hands[1], hands[3]] += 1
    assert set(found) <= worlds
    chi = sum((found[world] - 40) ** 2 / 40 for world in worlds)
    assert chi < 119 + 4 * math.sqrt(2 * 119)


def test_the_banker_holds_3h_in_every_world() -> None:
    state = GAME.new_state(4)
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"banker")))
    others = [seat for seat in range(4) if seat != state.banker]
    assert state.view(others[0])["open"][state.banker] == ["3h"]
    for number in range(40):
        world = state.resample(others[number % 3], ShakeRng(b"w%d" % number))
        assert world.hands[state.banker] & hand_of("3h")
        assert world.hash() != state.hash()


def test_who_can_beat_must_where_the_room_says_so() -> None:
    state = dealt(MUST, ["3h 4s", "5s 5d 9d Kd", "4d 4c", "7s 7d 7c 7h Qd"])
    act(state, "play 3h")
    assert "pass" not in lines(state)
    with pytest.raises(IllegalAction, match="must_beat"):
        act(state, "pass")
    assert state.default_action(1) == MUST.parse(state, 1, "play 5d")
    act(state, "play Kd")
    assert lines(state) == ["pass"]
    act(state, "pass")
    assert state.default_action(3) == MUST.parse(state, 3, "play 7d 7c 7h 7s")


def test_four_triples_are_read_as_the_player_says() -> None:
    rich = "3h 3s 3d 4h 4s 4d 5h 5s 5d 6h 6s 6d"
    state = dealt(GAME, [rich + " 9c", "Ts Th Td Js Jh Jd Qs Qh Qd 7c 7d 8h", "8s Ks", "8c Kh"])
    assert f"play {rich} as triple_run_singles".split()[-1] in " ".join(lines(state))
    act(state, f"play {rich} as triple_run_singles")
    assert state.view(0)["table"] == {
        "seat": 0,
        "kind": "triple_run_singles",
        "rank": "6",
        "length": 3,
    }
    act(state, "play Ts Th Td Js Jh Jd Qs Qh Qd 7c 7d 8h")
    assert state.result == "finished"


def test_a_declared_hand_ends_at_once_and_is_shown() -> None:
    six = "4h 4d 5h 5d 6h 6d 8h 8d Th Td Qh Qd Ks"
    hands = [
        "3h 3d 3c 3s 5s 7h 9d Jc Qs Kh Ad 2c 4s",
        six,
        "5c 6c 7c 8c 9c Tc Jd Qc Kc Ac 2s 4c 6s",
        "7s 7d 8s 9s 9h Ts Js Jh Kd As Ah 2h 2d",
    ]
    state = dealt(GAME, hands, passes=1, wealth=[1000] * 4)
    assert lines(state) == ["pass", "declare"] and state.view(1)["figs"] == ["six_pairs"]
    act(state, "declare")
    outcome = state.outcome()
    assert outcome.deltas == (-262, 778, -262, -262) and outcome.fees == (2,) * 4
    assert outcome.carry == {"first": 1}
    assert state.view(2)["hands"][1] == names_of(hand_of(six))


def test_the_rates_follow_every_parameter() -> None:
    game = Wuhuaguo(
        {"unit": 2, "wuhuaguo_units": 5, "shutout_units": 7, "escape_units": 10, "straight_min": 5}
    )
    assert game.rates.declared(0, 4, None).deltas == (30, -10, -10, -10)
    out = game.rates.out(1, [2, 0, 1, 13], [True, True, True, False], None)
    assert out.deltas == (-4, 18, 0, -14)
    assert game.rates.escaped(2, 4, None).deltas == (7, 6, -20, 7)
    assert counts_of(hand_of("3s 4s 5s 6s")) not in game.combos.readings
    for wrong in ({"straight_min": 2}, {"must_beat": 1}, {"unit": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Wuhuaguo(wrong)


def test_a_match_carries_the_dealer_and_conserves() -> None:
    wealth, carry, house = [5000] * 4, {}, 0
    dealers = set()
    states: list[Any] = []
    for hand in range(25):
        outcome = play_hand(
            GAME, f"match {hand}", bots=range(4), wealth=wealth, carry=carry, watch=states.append
        )
        assert states[-1].first == carry.get("first", 0)
        winner = max(range(4), key=lambda s, o=outcome: o.deltas[s])  # type: ignore[misc]
        assert outcome.carry == {"first": outcome.next_first}
        assert outcome.deltas[winner] <= 0 or winner == outcome.next_first
        wealth = [own + change for own, change in zip(wealth, outcome.deltas, strict=True)]
        house += sum(outcome.fees)
        assert sum(wealth) + house == 20_000 and min(wealth) >= 0
        carry = dict(outcome.carry)
        dealers.add(carry["first"])
    assert len(dealers) > 1


@pytest.mark.parametrize(
    ("line", "en", "zh"),
    [
        ("play 5s 5d", "does not beat the single (4)", "压不过单张（4）"),
        ("play Kd", "You do not hold Kd", "你没有 Kd"),
        ("play 9d 8s", "no play", "不成牌型"),
        ("declare", "not possible now", "现在不能"),
        ("play", "Not understood", "无法识别"),
    ],
)
def test_refusals_say_why(line: str, en: str, zh: str) -> None:
    state = dealt(GAME, ["3h 4s Ts", "5s 5d 8s 9d", "6s", "7s 7d"])
    for played in ("play 3h", "pass", "pass", "pass", "play 4s"):
        act(state, played)
    before = state.hash()
    with pytest.raises(IllegalAction) as refused:
        act(state, line)
    params = refused.value.params
    assert en in str(GAME.message(refused.value.code, params, "en"))
    assert zh in str(GAME.message(refused.value.code, params, "zh"))
    assert state.hash() == before


def test_every_sentence_can_be_said_without_its_parameters() -> None:
    assert all(GAME.message(code, {}, locale) for code in _TEXTS for locale in ("en", "zh"))
    assert GAME.message("no_such_code", {}, "zh") is None


# ---- the kit -----------------------------------------------------------------------------------


def _kit(game: Wuhuaguo, hands: int, seed: str, *, deep_every: int) -> None:
    report = run_kit(
        game,
        hands=hands,
        seed=seed,
        wealth=lambda n: None if n % 2 else [n * 37 * (s + 1) % 900 for s in range(4)],
        deep_every=deep_every,
    )
    assert report.hands == hands and report.patch_p95() <= 600
    assert report.worlds_differ >= 0.9 * report.worlds


@pytest.mark.soak  # test_conformance.py plays it in CI
def test_conformance_kit() -> None:
    """As a supplement to test_conformance: small purses, the costly checks at more steps."""
    _kit(GAME, 40, "kit", deep_every=30)


def test_conformance_kit_where_one_must_beat() -> None:
    _kit(MUST, 25, "must", deep_every=30)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("game", [GAME, MUST], ids=["usual", "must_beat"])
def test_conformance_kit_for_long(game: Wuhuaguo) -> None:
    _kit(game, 100_000 if game is GAME else 5_000, "long", deep_every=30)


# ---- the bot -----------------------------------------------------------------------------------


def test_the_bot_beats_random_players() -> None:
    assert advantage(GAME, 60) > Z_99


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_the_bot_beats_random_players_over_a_thousand_deals() -> None:
    assert advantage(GAME, 1000) > Z_99


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
        play_hand(GAME, f"hint {deal}", bots=range(4), watch=ask)
    assert sorted(times)[len(times) // 2] <= 0.02 and max(times) <= 0.1
