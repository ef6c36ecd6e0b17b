"""Dou Dizhu: published numbers of combinations, plays of a hand, settlement, and the bot."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.doudizhu.bot import sense
from games.doudizhu.bots import LandlordBot
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.rules import Doudizhu
from paiju.rules.api import CHANCE
from paiju.rules.cards import cards_of, mask_of
from paiju.rules.climbing import PASS, Finder, Reading, landlord_game
from paiju.rules.climbing.packed import counts_of, covers
from paiju.rules.shuffle import ShakeRng

GAME = Doudizhu({"N": 10, "A": 2})
READINGS = COMBOS.readings


def test_published_numbers_of_combinations() -> None:
    """33,675 legal sets, 34,152 readings, 468 sets with several (specification, section 3)."""
    assert len(READINGS) == 33_675
    assert sum(map(len, READINGS.values())) == 34_152
    assert sum(len(found) > 1 for found in READINGS.values()) == 468


def test_plain_categories_have_the_numbers_of_an_independent_program() -> None:
    """Without wings our rules and the common one-deck action set are the same."""
    found = Counter((r.kind, r.length) for readings in READINGS.values() for r in readings)
    assert [found["straight", n] for n in range(5, 13)] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert [found["pair_straight", n] for n in range(3, 11)] == [10, 9, 8, 7, 6, 5, 4, 3]
    assert [found["trio_straight", n] for n in range(2, 7)] == [11, 10, 9, 8, 7]
    assert found["single", 1] == 15 and found["pair", 1] == 13 and found["trio", 1] == 13
    assert found["trio_single", 1] == 182 and found["trio_pair", 1] == 156
    assert found["bomb", 4] == 13 and found["rocket", 2] == 1


def test_beats_is_a_strict_order() -> None:
    readings = sorted({r for found in READINGS.values() for r in found})
    by_kind: dict[tuple[str, int], list[Reading]] = {}
    for reading in readings:
        by_kind.setdefault((reading.kind, reading.length), []).append(reading)
    bombs = [r for r in readings if r.kind in COMBOS.bombs]
    for group in by_kind.values():
        for first in (*group, *bombs):
            assert not COMBOS.beats(first, first)
            for second in (*group, *bombs):
                if COMBOS.beats(first, second):
                    assert not COMBOS.beats(second, first)
                    for third in (*group, *bombs):
                        if COMBOS.beats(second, third):
                            assert COMBOS.beats(first, third)


HANDS = st.sets(st.integers(0, 53), min_size=1, max_size=20)
TABLES = st.sampled_from(sorted({r for found in READINGS.values() for r in found}))


def _listed(cards: int, table: Reading | None) -> list[int]:
    """Packed counts of the plays listed in their default reading, as often as listed."""
    counts = counts_of(cards)
    listed = FINDER.leads(cards, counts) if table is None else FINDER.follows(cards, counts, table)
    return [counts_of(a >> 8) for a in listed if a != PASS and a & 0xFF == 16]


@given(HANDS, TABLES)
def test_plays_of_a_hand_are_exactly_the_legal_sets_it_covers(
    held: set[int], table: Reading
) -> None:
    cards = mask_of(held)
    expected = [counts for counts in READINGS if covers(counts_of(cards), counts)]
    assert sorted(_listed(cards, None)) == sorted(expected)
    beating = [c for c in expected if any(COMBOS.beats(r, table) for r in READINGS[c])]
    assert sorted(_listed(cards, table)) == sorted(beating)


RUNS = st.sets(st.integers(0, 12), min_size=4, max_size=6)


@given(RUNS, st.sets(st.integers(0, 53), max_size=4), st.sampled_from([3, 4]), TABLES)
def test_plays_of_hands_full_of_trios_and_fours_are_listed_once(
    ranks: set[int], more: set[int], copies: int, table: Reading
) -> None:
    """Where one set has several readings: longer planes, two fours."""
    body = [rank * 4 + suit for rank in sorted(ranks) for suit in range(copies)]
    cards = mask_of({*body[:18], *more} if len(more) < 3 else {*body[:16], *more})
    expected = [counts for counts in READINGS if covers(counts_of(cards), counts)]
    assert sorted(_listed(cards, None)) == sorted(expected)
    beating = [c for c in expected if any(COMBOS.beats(r, table) for r in READINGS[c])]
    assert sorted(_listed(cards, table)) == sorted(beating)


@given(HANDS, st.data())
def test_a_list_of_plays_is_a_sequence_of_cards_with_the_lowest_suits(
    held: set[int], data: st.DataObject
) -> None:
    hand = mask_of(held)
    plays = FINDER.leads(hand, counts_of(hand))
    every = list(plays)
    assert len(every) == len(plays) == len(set(every))
    index = data.draw(st.integers(-len(plays), len(plays) - 1))
    picked = plays[index] >> 8
    assert plays[index] == every[index] and plays[index:] == every[index:]
    assert picked & ~hand == 0
    for card in cards_of(picked):
        lower = [c for c in held if c // 4 == card // 4 and c < card and card < 52]
        assert all(picked >> c & 1 for c in lower)
    with pytest.raises(IndexError):
        plays[len(plays)]


@given(
    owed=st.lists(st.integers(0, 10**6), min_size=3, max_size=3),
    wealth=st.none() | st.lists(st.integers(0, 10**6), min_size=3, max_size=3),
    fee=st.integers(0, 1000),
    landlord=st.integers(0, 2),
    won=st.booleans(),
    unit=st.integers(0, 10**6),
)
def test_settlement_conserves_and_never_overdraws(
    owed: list[int], wealth: list[int] | None, fee: int, landlord: int, won: bool, unit: int
) -> None:
    booked = landlord_game(landlord=landlord, landlord_won=won, unit=unit, fee=fee, wealth=wealth)
    assert sum(booked.deltas) + sum(booked.fees) == 0
    assert min(booked.fees) >= 0
    if wealth is not None:
        assert all(w + d >= 0 for w, d in zip(wealth, booked.deltas, strict=True))


def _duel(deal: int, *, bot_is_landlord: bool) -> bool:
    """Whether the bot's side wins; the other side plays random legal actions."""
    chance, other = ShakeRng(b"deal %d" % deal), ShakeRng(b"other %d" % deal)
    landlord = deal % 3
    state = GAME.new_state(3, carry={"first": landlord})
    state.apply(CHANCE, state.sample_chance(chance))
    state.apply(landlord, 3)
    while not state.is_terminal():
        (seat,) = state.to_act()
        legal = state.legal_actions(seat)
        if (seat == landlord) == bot_is_landlord:
            action = state.hint(seat)
            assert action in legal
        else:
            action = legal[other.below(len(legal))]
        state.apply(seat, action)
    return (state.winner == landlord) == bot_is_landlord


@pytest.mark.parametrize("bot_is_landlord", [True, False], ids=["landlord", "farmers"])
def test_the_bot_beats_random_players(bot_is_landlord: bool) -> None:
    """At least 85 % over the same deals in both roles; the bench plays 1,000."""
    deals = 120
    wins = sum(_duel(deal, bot_is_landlord=bot_is_landlord) for deal in range(deals))
    assert wins >= 0.85 * deals


RICH_HANDS = {
    "four trios and singles": "333 444 555 666 7 8 9 T J Q K BJ",
    "five fours": "3333 4444 5555 6666 7777",
    "runs of everything": "333 444 55 66 77 88 99 TT JJ",
    "trios and fours": "333 444 555 6666 99 TT 22 BJ",
}


def rich(text: str) -> int:
    """A hand written as ranks, with the lowest suits."""
    cards = []
    for group in text.split():
        if group in ("BJ", "RJ"):
            cards.append(group)
        else:
            cards += [rank + suit for rank, suit in zip(group, "dchs", strict=False)]
    return GAME.deck.parse(" ".join(cards))


@pytest.mark.parametrize("text", RICH_HANDS.values(), ids=RICH_HANDS)
def test_a_hint_and_a_list_are_quick_with_the_richest_hands(text: str) -> None:
    """20 ms and 3 ms of this thread's own time, the best of three cold runs."""
    hand = rich(text)
    rest = GAME.deck.places(GAME.deck.full - hand)
    state = GAME.new_state(3)
    others = GAME.deck.of(rest[:17]), GAME.deck.of(rest[17:])
    state.deal_unchecked((0, (hand, *others), 0, 0))
    state.apply(0, 3)
    hints, lists = [], []
    for _ in range(3):
        begun = time.thread_time()
        legal = state.legal_actions(0)
        lists.append(time.thread_time() - begun)
        bot = LandlordBot(GAME, sense(COMBOS, Finder(COMBOS)))
        begun = time.thread_time()
        action = bot.act(state.view(0), legal)
        hints.append(time.thread_time() - begun)
        assert state.is_legal(0, action)
    assert min(hints) <= 0.02
    assert min(lists) <= 0.003


def test_an_absent_table_plays_itself_to_the_end() -> None:
    state = GAME.new_state(3, carry={"first": 0})
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"absent")))
    state.apply(0, 3)
    while not state.is_terminal():
        (seat,) = state.to_act()
        action = state.default_action(seat)
        assert action == PASS or (action >> 8).bit_count() == 1
        state.apply(seat, action)
    assert state.winner == 0
