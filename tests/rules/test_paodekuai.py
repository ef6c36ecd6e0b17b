"""Paodekuai beyond golden cases and kit: who leads, what all know, what the bot is worth."""

from __future__ import annotations

import random
from typing import Any

from games.paodekuai.kinds import COMBOS, DECK, OPENING
from games.paodekuai.rules import Paodekuai
from paiju.rules.api import CHANCE
from paiju.rules.shuffle import ShakeRng

GAME = Paodekuai()


def dealt(seed: str, carry: dict[str, Any] | None = None) -> Any:
    state = GAME.new_state(3, carry=carry)
    state.apply(CHANCE, state.sample_chance(ShakeRng(seed.encode())))
    return state


def test_the_deck_has_forty_eight_cards() -> None:
    names = DECK.names(DECK.full)
    assert len(names) == DECK.size == 48
    assert not {"As", "2d", "2c", "2h", "BJ", "RJ"} & set(names)
    assert DECK.of(DECK.places(DECK.full)) == DECK.full


def test_every_reading_fits_the_deck() -> None:
    whole = DECK.counts(DECK.full)
    for counts in COMBOS.readings:
        for rank in range(15):
            assert counts >> 4 * rank & 15 <= whole >> 4 * rank & 15


def test_three_of_spades_leads_and_everybody_knows_where_it_is() -> None:
    for number in range(50):
        state = dealt(f"deal {number}")
        (leader,) = state.to_act()
        assert state.hands[leader] & OPENING
        viewer = (leader + 1) % 3
        for draw in range(5):
            world = state.resample(viewer, ShakeRng(f"{number} {draw}".encode()))
            assert world.hands[leader] & OPENING
            assert world.hands[viewer] == state.hands[viewer]


def test_the_winner_leads_the_next_hand() -> None:
    assert dealt("next", {"first": 2}).to_act() == (2,)


def test_the_bot_wins_more_than_its_share_against_random_players() -> None:
    choices, won = random.Random(7), 0
    bot = GAME.bot()
    for number in range(90):
        state, seat = dealt(f"bot {number}"), number % 3
        while not state.is_terminal():
            (turn,) = state.to_act()
            legal = state.legal_actions(turn)
            if turn == seat:
                state.apply(turn, bot.act(state.view(turn), legal, 20))
            else:
                state.apply(turn, legal[choices.randrange(len(legal))])
        won += state.winner == seat
    assert won >= 45  # a third would be 30
