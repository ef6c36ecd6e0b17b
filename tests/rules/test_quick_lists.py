"""What is looked up, counted or sorted the quick way is what the plain way gives."""

from __future__ import annotations

import random
import struct

import pytest

from games.doudizhu.four import COMBOS as TWO_DECK_COMBOS
from games.doudizhu.four import FINDER as TWO_DECK_FINDER
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.rules import Doudizhu
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.climbing import PASS, Combos, Finder
from paiju.rules.climbing.plays import PLAY
from paiju.rules.climbing.wings import Chosen, Grid, choose
from paiju.rules.shuffle import ShakeRng


@pytest.mark.parametrize("cards", [1, 52, 54, 108, 216])
def test_a_permutation_is_the_order_of_whole_draws(cards: int) -> None:
    """With 216 cards the upper quarters of some draws are equal in every third deck."""
    tied = 0
    for number in range(40):
        seed = b"deck %d" % number
        draws = struct.unpack(f">{cards}Q", ShakeRng(seed)._bytes(8 * cards))
        tied += len({draw >> 48 for draw in draws}) < cards
        assert ShakeRng(seed).permutation(cards) == sorted(range(cards), key=draws.__getitem__)
    assert cards < 216 or 0 < tied < 40


@pytest.mark.parametrize(
    ("combos", "finder"), [(COMBOS, FINDER), (TWO_DECK_COMBOS, TWO_DECK_FINDER)]
)
def test_what_beats_a_group_by_cards_and_by_counts(combos: Combos, finder: Finder) -> None:
    deck, luck = combos.deck, random.Random(7)
    for _ in range(300):
        hand = deck.of(luck.sample(range(deck.size), luck.randint(1, 17)))
        counts = deck.counts(hand)
        for table in finder._above:
            by_counts = [
                deck.pick(hand, play) << 8 | PLAY for play in finder.beating(counts, table)
            ]
            assert list(finder.follows(hand, counts, table)) == [PASS, *by_counts]


def test_wings_are_counted_as_they_are_listed() -> None:
    luck = random.Random(8)
    for _ in range(500):
        rest = sum(luck.randint(0, 4) << 4 * rank for rank in range(13) if luck.random() < 0.6)
        for number in (1, 2, 3):
            for step in (1, 2):
                chosen = Chosen(rest, number, step)
                assert len(chosen) == len(list(chosen)) == len(choose(rest, number, step))


def test_an_item_of_a_grid_is_the_one_listed_there() -> None:
    bodies, wings = (1, 1 << 8, 1 << 40), 1 | 1 << 4 | 1 << 8 | 1 << 40 | 1 << 48
    grid = Grid(bodies, 3, wings, 2)
    listed = [
        3 * body + 2 * wing
        for body in bodies
        for wing in (1, 1 << 4, 1 << 8, 1 << 40, 1 << 48)
        if wing != body
    ]
    assert list(grid) == [grid[place] for place in range(len(grid))] == listed
    assert grid[2:5] == listed[2:5]
    with pytest.raises(IndexError):
        grid[len(grid)]


def test_cards_that_no_deck_has_are_not_in_hand() -> None:
    state = Doudizhu().new_state(3)
    state.apply(CHANCE, state.sample_chance(ShakeRng(b"x")))
    state.apply(state.to_act()[0], 3)
    before = state.hash()
    with pytest.raises(IllegalAction, match="not_in_hand"):
        state.apply(state.to_act()[0], 1 << 200 | PLAY)
    assert state.hash() == before
