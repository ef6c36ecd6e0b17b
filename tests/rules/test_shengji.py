"""Shengji, Huanle and Aiqipai: golden cases, claims during the deal, matches, the kit, the bot."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import games.shengji
from games.shengji import views
from games.shengji.actions import DEAL, PASS, with_cards
from games.shengji.aiqipai import AiqipaiShengji
from games.shengji.cases import SHENGJI
from games.shengji.game import TrickGame
from games.shengji.huanle import HuanleShengji
from games.shengji.messages import message
from games.shengji.rules import Shengji
from games.shengji.state import State
from games.shengji.views import parse_gone
from paiju.rules import cases
from paiju.rules.api import CHANCE, Deadline, IllegalAction
from paiju.rules.cards import parse_cards
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng
from paiju.rules.tricks.packs import copies_of, parse_set, text_of
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

FOLDER = Path(games.shengji.__file__).parent
VARIANTS: dict[str, Callable[[], TrickGame]] = {
    "one": partial(Shengji, {"decks": 1}),
    "two": Shengji,
    "three": partial(Shengji, {"decks": 3, "two_is_trump": True}),
    "huanle": partial(HuanleShengji, {"room_factor": 10, "room_fee": 2}),
    "huanle-three": partial(HuanleShengji, {"decks": 3}),
    "aiqipai": AiqipaiShengji,
    "aiqipai-one": partial(AiqipaiShengji, {"decks": 1}),
}
KITS = {
    "shengji": [VARIANTS["one"], VARIANTS["two"], VARIANTS["three"]],
    "huanle": [VARIANTS["huanle"], VARIANTS["huanle-three"]],
    "aiqipai": [VARIANTS["aiqipai"], VARIANTS["aiqipai-one"]],
}
variants = pytest.mark.parametrize("make", VARIANTS.values(), ids=VARIANTS)


def test_golden_cases() -> None:
    answers = list(cases.check(cases.read(FOLDER / "cases.jsonl"), Registry.default()))
    assert len(answers) == 200
    assert [a for a in answers if not a.passed] == []


def test_components_are_listed_in_canonical_order() -> None:
    """The general check compares lists as sets; here the order counts, too."""
    lines = [json.loads(x) for x in (FOLDER / "cases.jsonl").read_text("utf-8").splitlines()]
    asked = [c for c in lines if c["op"] == "classify" and c["game"] == "shengji"]
    assert len(asked) == 20
    for case in asked:
        assert SHENGJI["classify"](case) == case["expect"], case["id"]


def test_a_case_with_another_answer_fails() -> None:
    lines = [json.loads(x) for x in (FOLDER / "cases.jsonl").read_text("utf-8").splitlines()]
    wrong = [{**case, "expect": {"opp_points": 1, "phase": "?"}} for case in lines]
    assert not any(answer.passed for answer in cases.check(wrong, Registry.default()))
    refused = {**lines[-1], "actions": [[0, "bury"]], "expect": {"tribute": None}}
    assert refused["op"] == "play"
    assert not next(iter(cases.check([refused], Registry.default()))).passed


# ---- the deal and the claims -------------------------------------------------------------------


def dealt_by(game: TrickGame, first: int, cards: str) -> State:
    game.use_pack(parse_cards(cards), 4)
    state = game.new_state(4)
    state.apply(CHANCE, (first, bytes(parse_cards(cards))))
    return state


PACK = "3s 4s 5s 6s 2h 8s 9s 2s Ts 2s Qs 2d 3h 4h 5h 6h"
"""Three cards each, seat 1 first; 2h goes to seat 1, 2s to 0, 2s to 2, 2d to 0."""


def test_seats_may_claim_while_cards_are_dealt() -> None:
    state = dealt_by(Shengji(), 1, PACK)
    assert state.to_act() == (CHANCE, 0, 1, 2, 3) and state.phase() == "declare"
    assert state.deadlines() == (Deadline(CHANCE, "deal"),)
    with pytest.raises(IllegalAction, match="not_in_hand"):
        apply_all(state, (1, "declare 2h"))  # not dealt yet
    assert state.sample_chance(ShakeRng(b"")) == with_cards(DEAL, 1)
    apply_all(state, (CHANCE, "deal 1"))
    assert [text_of(hand) for hand in state.hands] == ["6s", "3s", "4s", "5s"]
    apply_all(state, (3, "pass"), (CHANCE, "deal 1"))
    assert state.to_act() == (CHANCE, 0, 1, 2)
    apply_all(state, (1, "declare 2h"))
    assert state.to_act() == (CHANCE, 0, 1, 2, 3)  # a claim asks everybody again
    assert state.view(3)["claim"] == {"seat": 1, "cards": ["2h"], "suit": None}
    assert state.view(3)["known"][1] == ["2h"]
    apply_all(state, (CHANCE, "deal 1"))
    assert state.to_act() == (0, 1, 2, 3)
    assert state.deadlines() == tuple(Deadline(seat, "declare") for seat in range(4))
    apply_all(state, (0, "pass"), (1, "pass"), (2, "pass"), (3, "pass"))
    assert (state.phase(), state.dealer, state.view(0)["trump"]) == ("take_bottom", 1, "h")


def test_when_all_have_passed_the_rest_is_dealt_at_once() -> None:
    state = dealt_by(Shengji(), 1, PACK)
    apply_all(state, (CHANCE, "deal 1"), *((seat, "pass") for seat in range(4)))
    assert state.to_act() == (CHANCE,) and state.deadlines() == ()
    assert state.sample_chance(ShakeRng(b"")) == with_cards(DEAL, 2)
    apply_all(state, (CHANCE, "deal 2"))
    assert (state.phase(), state.dealer, state.view(0)["trump"]) == ("take_bottom", 1, "n")


def test_in_aiqipai_nobody_acts_before_all_is_dealt() -> None:
    state = dealt_by(AiqipaiShengji(), 1, PACK)
    assert state.to_act() == (CHANCE,) and state.deadlines() == ()
    apply_all(state, (CHANCE, "deal 3"))
    assert state.to_act() == (1,)
    apply_all(state, (1, "declare 2h"), (2, "declare 2s"), (3, "pass"), (0, "declare 2d"))
    assert (state.dealer, state.view(0)["trump"]) == (0, "d")


def test_chance_deals_what_is_left_and_nothing_else() -> None:
    state = dealt_by(Shengji(), 1, PACK)
    for line in ("deal 4", "deal 0", "deal -1", "deal 1 1", "deal 100", "deal"):
        with pytest.raises(IllegalAction):
            apply_all(state, (CHANCE, line))
    with pytest.raises(IllegalAction):
        apply_all(state, (0, "deal 1"))
    with pytest.raises(IllegalAction, match="wrong_phase"):
        state.apply(CHANCE, (1, state.pack))
    fresh = state.game.new_state(4, carry={"dealer": 2, "levels": ["2", "2"]})
    with pytest.raises(IllegalAction, match="bad_deal"):  # the dealer gets the first card
        fresh.apply(CHANCE, (1, state.pack))


def test_claims_of_three_decks() -> None:
    hands = ["2s 2s 2s RJ", "BJ BJ BJ 3s", "RJ RJ 2h 4s", "2d 2d 3d 4d"]
    game = Shengji({"decks": 3})
    state = begun(game, hands)
    apply_all(state, (3, "declare 2d"), (3, "reinforce 2d 2d"), (2, "counter RJ RJ"))
    assert state.view(0)["trump"] is None and state.counters == 1
    for seat, line in ((1, "counter BJ BJ"), (0, "counter 2s 2s"), (3, "self_counter 2d 2d")):
        with pytest.raises(IllegalAction, match="too_weak"):
            apply_all(state, (seat, line))
    apply_all(state, (0, "counter 2s 2s 2s"), (1, "counter BJ BJ BJ"))
    with pytest.raises(IllegalAction, match="other_verb"):
        apply_all(begun(game, hands), (0, "counter 2s"))


# ---- playing -----------------------------------------------------------------------------------


def test_a_failed_throw_shows_its_cards() -> None:
    hands = ["As 9s 8s 8s", "7s 3d 3d 4d", "Js 5d 6d 7d", "3s 8d 9d Jd"]
    state = begun(Shengji(), hands)
    apply_all(state, *((seat, "pass") for seat in range(4)))
    events = state.apply(0, state.game.parse(state, 0, "throw As 9s 8s 8s"))
    assert events[0].data == {"seat": 0, "cards": ["9s"], "thrown": ["8s", "8s", "9s", "As"]}
    view = state.view(2)
    assert view["laid"][0] == ["9s"] and view["known"][0] == ["8s", "8s", "As"]
    assert view["counts"] == [3, 4, 4, 4]


def test_everybody_sees_which_cards_are_gone() -> None:
    hands = ["As As 3d", "4s 4s 9d", "6s Ks 8d", "5s 9s 7d"]
    game = Shengji({"level": "T", "dealer": 0})
    game.use_pack(parse_cards(" ".join(hands)), 0)
    state = begun(game, hands)
    apply_all(state, *((seat, "pass") for seat in range(4)), (0, "play As As"), (1, "play 4s 4s"))
    gone = parse_gone(state.view(2)["gone"])
    assert text_of(gone) == "4s 4s As As"
    assert parse_set("As As 4s 4s") & views.sight_of(game, state.view(2)).unseen == 0
    assert text_of(views.sight_of(game, state.view(2)).unseen) == text_of(state.sight(2).unseen)


@pytest.mark.parametrize(
    ("hand", "line", "code", "words"),
    [
        ("3c 4c 4c 6c", "play 3c 6c", "follow_kind", "对子"),
        ("3c 4c 4c 6c", "play 3c Ah", "not_in_hand", "Ah"),
        ("3c 4c 4c Ah", "play 3c Ah", "follow_suit", "梅花"),
        ("3c 4h 5h Ah", "play 4h 5h", "follow_suit", "1"),
        ("3c 4h 5h Ah", "play 3c", "wrong_count", "2"),
        ("3c 4h 5h Ah", "throw 3c Ah", "leader_throws", "甩牌"),
        ("3c 4h 5h Ah", "pass", "wrong_phase", "现在"),
        ("3c 4h 5h Ah", "bury 3c", "wrong_phase", "现在"),
    ],
)
def test_a_refusal_says_what_is_wrong(hand: str, line: str, code: str, words: str) -> None:
    state = begun(Shengji(), ["9c 9c Ks Qs", hand, "7d 8d 9d Td", "7s 8s 9s Ts"])
    apply_all(state, *((seat, "pass") for seat in range(4)), (0, "play 9c 9c"))
    before = state.hash()
    with pytest.raises(IllegalAction, match=code) as refused:
        apply_all(state, (1, line))
    assert state.hash() == before
    said = message(refused.value.code, refused.value.params, "zh")
    assert said is not None and words in said


def test_every_refusal_has_a_sentence_in_both_languages() -> None:
    codes = set()
    for path in FOLDER.glob("*.py"):
        codes |= set(re.findall(r'IllegalAction\(\s*"(\w+)"', path.read_text("utf-8")))
    assert len(codes) >= 20
    for code in sorted(codes | {"throw_it", "no_throw"}):
        english, chinese = message(code, {}, "en"), message(code, {}, "zh-CN")
        assert english and chinese and english != chinese
    assert message("unheard_of", {}, "en") is None


def test_parameters() -> None:
    assert Shengji().values == {
        "decks": 2,
        "level": "lowest",
        "two_is_trump": False,
        "dealer": -1,
        "first_dealer": "first_declarer",
        "great_slam_score": 4,
        "scores": "",
        "levels": "",
        "escape_penalty": 20,
    }
    assert Shengji({"level": "T"}).new_state(4).levels == ["T", "T"]
    assert Shengji({"two_is_trump": True}).new_state(4).level == "3"
    for bad in (
        {"level": "1"},
        {"level": "2", "two_is_trump": True},
        {"levels": "T"},
        {"scores": "1 2 3"},
        {"first_dealer": "me"},
        {"decks": 4},
        {"decks": True},
        {"two_is_trump": 1},
        {"dealer": 4},
        {"trump": "h"},
    ):
        with pytest.raises(ValueError, match="shengji: "):
            Shengji(bad)
    with pytest.raises(ValueError, match="decks"):
        AiqipaiShengji({"decks": 3})


# ---- matches -----------------------------------------------------------------------------------


def finished(game: TrickGame, seed: str, carry: dict[str, object] | None = None) -> State:
    *_, state = steps(game, seed, carry=carry)
    return state


def test_a_match_carries_dealer_levels_and_totals() -> None:
    game = Shengji({"scores": "80 80 80 80"})
    carry: dict[str, object] = {}
    winners = set()
    for number in range(60):
        state = finished(short(game), f"match {number}", carry)
        outcome, score = state.outcome(), state.score()
        assert score is not None and score.team_levels is not None
        totals = carry.get("scores", [80, 80, 80, 80])
        assert isinstance(totals, list)
        after = [t + d for t, d in zip(totals, outcome.deltas, strict=True)]
        carry = dict(outcome.carry)
        assert carry["scores"] == after
        if score.match_winner is not None:
            winners.add(score.match_winner)
            assert set(carry) == {"scores"} and outcome.next_first is None
            assert game.new_state(4, carry=carry).levels == ["2", "2"]
        else:
            assert carry["dealer"] == score.next_dealer == outcome.next_first
            assert carry["levels"] == list(score.team_levels)
            following = game.new_state(4, carry=carry)
            assert following.level == score.team_levels[following.dealer % 2]
    assert winners


def test_a_void_hand_is_dealt_again_as_it_was() -> None:
    carry = {"dealer": 3, "levels": ["5", "7"]}
    state = Shengji().new_state(4, carry=carry)
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"void")))
    assert (state.first, state.level) == (3, "7")
    state.abandon(2, "leave")
    outcome = state.outcome()
    assert (outcome.result, outcome.deltas, outcome.fees) == (
        "escaped",
        (0, 0, -20, 0),
        (0, 0, 20, 0),
    )
    assert outcome.carry == carry


def test_beans_are_paid_as_far_as_they_go() -> None:
    game = HuanleShengji({"room_factor": 100, "room_fee": 10})
    for number in range(20):
        *_, state = steps(short(game), f"beans {number}")
        poor = game.new_state(4, wealth=[50, 1000, 0, 1000])
        for seat, action in state.log():
            poor.apply(seat, action)
        outcome = poor.outcome()
        assert sum(outcome.deltas) + sum(outcome.fees) == 0
        assert all(w + d >= 0 for w, d in zip([50, 1000, 0, 1000], outcome.deltas, strict=True))


@variants
def test_an_absent_table_plays_itself_to_the_end(make: Callable[[], TrickGame]) -> None:
    state = make().new_state(4)
    rng = ShakeRng(b"absent")
    while not state.is_terminal():
        seats = [seat for seat in state.to_act() if seat != CHANCE]
        if not seats or state.undealt():
            state.apply(CHANCE, state.sample_chance(rng))
        else:
            state.apply(seats[0], state.default_action(seats[0]))
    assert state.result == "finished"
    assert state.default_action is not None and all(hand == 0 for hand in state.hands)


# ---- other worlds ------------------------------------------------------------------------------


def test_hidden_cards_are_everywhere_in_other_worlds() -> None:
    """A red joker that seat 1 cannot see: in each place as often as there are cards there."""
    state = Shengji().new_state(4, carry={"dealer": 0, "levels": ["2", "2"]})
    rng = ShakeRng(b"mixing 3")
    state.apply(CHANCE, state.sample_chance(rng))
    while state.phase() != "play":
        seat = state.to_act()[0]
        state.apply(
            seat, state.sample_chance(rng) if seat == CHANCE else state.default_action(seat)
        )
    out = 2 - copies_of(state.hands[1], 53)
    assert out
    worlds, found = 600, Counter[int]()
    for _ in range(worlds):
        world = state.resample(1, rng)
        for place, cards in enumerate([*world.hands, world.bottom]):
            found[place] += copies_of(cards, 53)
    for place, size in ((0, 25), (2, 25), (3, 25), (4, 8)):
        chance = size / 83
        mean, spread = worlds * out * chance, (worlds * out * chance * (1 - chance)) ** 0.5
        assert abs(found[place] - mean) < 4 * spread, (place, found)


def test_a_void_stays_a_void_in_other_worlds() -> None:
    hands = ["9c 9c Ks Qs", "3c 4c As Ad", "7d 8d 9d Td", "7s 8s 9s Ts"]
    game = Shengji()
    cards = [card for hand in hands for card in parse_cards(hand)] + parse_cards("2s 2s 3h 4h")
    game.use_pack(cards, 4)
    state = game.new_state(4)
    order = [parse_cards(hands[i % 4])[i // 4] for i in range(16)] + cards[-4:]
    state.apply(CHANCE, (0, bytes(order)))
    apply_all(state, *((s, "pass") for s in range(4)), (CHANCE, "deal 4"), (0, "take_bottom"))
    apply_all(state, (0, "bury 2s 2s 3h 4h"), (0, "play 9c 9c"), (1, "play 3c 4c"))
    apply_all(state, (2, "play 7d 8d"))
    rng = ShakeRng(b"voids")
    seen = set()
    for _ in range(60):
        world = state.resample(1, rng)
        assert world.view(1) == state.view(1)
        seen.add(text_of(world.hands[2]))
        assert not world.hands[2] & 3 * parse_set("2c 3c 4c 9c")
    assert len(seen) > 10


# ---- the kit -----------------------------------------------------------------------------------


@pytest.mark.soak  # test_conformance.py plays every rule set in CI
@pytest.mark.parametrize("name", KITS)
def test_conformance_kit(name: str) -> None:
    """Short hands, full of pairs, runs and claims."""
    check_promises(KITS[name], hands=120)


@pytest.mark.soak
@pytest.mark.timeout(7200)
@variants
def test_conformance_kit_long(make: Callable[[], TrickGame]) -> None:
    check_promises_long(make, hands=2000, whole=200)


# ---- the bot -----------------------------------------------------------------------------------


@variants
def test_the_bot_beats_random_players(make: Callable[[], TrickGame]) -> None:
    assert_better(make(), 12)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@variants
def test_the_bot_beats_random_players_long(make: Callable[[], TrickGame]) -> None:
    assert_better(make(), 1000)


@variants
def test_hints_and_hint_sets_are_quick(make: Callable[[], TrickGame]) -> None:
    """The worst of whole hands: hint <= 20 ms, hint set <= 3 ms of processor time."""
    for number in range(2):
        for state in steps(make(), f"quick {number}"):
            if state.is_terminal():
                break
            seat = state.to_act()[0]
            assert cpu_seconds(lambda: state.legal_actions(seat)) <= 0.003  # noqa: B023
            assert cpu_seconds(lambda: state.hint(seat), 2) <= 0.02  # noqa: B023


def test_a_claim_is_worth_it() -> None:
    """Long in hearts: the bot declares them; with a mixed hand it passes."""
    game = Shengji()
    long = "2h 3h 4h 5h 6h 7h 8h 9h"
    others = ["3s 4s 5s 6s 7s 8s 9s Ts", "3d 4d 5d 6d 7d 8d 9d Td", "3c 4c 5c 6c 7c 8c 9c Tc"]
    game.use_pack(parse_cards(" ".join([long, *others])), 0)
    state = begun(game, [long, *others])
    assert game.format(state.hint(0)) == "declare 2h"
    assert state.hint(1) == PASS
