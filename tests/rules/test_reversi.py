"""Reversi beyond golden cases and kit: an independent board, clocks at a table, the bot."""

from __future__ import annotations

import random
from typing import Any

from game_server.tables.room import RoomSpec
from game_server.tables.turns import Turns
from games.reversi import board
from games.reversi.rules import FLAG, Reversi

GAME = Reversi()
_DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def slow_flips(marks: list[str], square: int, own: str) -> list[int]:
    """Square by square, as a person looks."""
    other, found = {"b": "w", "w": "b"}[own], []
    if marks[square] != ".":
        return []
    for x, y in _DIRECTIONS:
        line, column, row = [], square % 8 + x, square // 8 + y
        while 0 <= column < 8 and 0 <= row < 8 and marks[row * 8 + column] == other:
            line.append(row * 8 + column)
            column, row = column + x, row + y
        if 0 <= column < 8 and 0 <= row < 8 and marks[row * 8 + column] == own:
            found += line
    return sorted(found)


def test_moves_and_flips_are_what_a_person_sees() -> None:
    choices = random.Random(3)
    for _ in range(300):
        marks = [choices.choice("bw.") for _ in range(64)]
        black, white = board.parse("".join(marks))
        for own, sets in (("b", (black, white)), ("w", (white, black))):
            seen = [square for square in range(64) if slow_flips(marks, square, own)]
            assert list(board.squares_of(board.moves(*sets))) == seen
            for square in seen:
                turned = list(board.squares_of(board.flips(*sets, square)))
                assert turned == slow_flips(marks, square, own)


def play(state: Any, *players: Any) -> None:
    while not state.is_terminal():
        (seat,) = state.to_act()
        legal = state.legal_actions(seat)
        state.apply(seat, players[seat](state, seat, legal))


def test_the_bot_beats_random_players() -> None:
    choices, won = random.Random(5), 0

    def bot(state: Any, seat: int, legal: Any) -> int:
        return GAME.bot().act(state.view(seat), legal, 20)

    def anything(state: Any, seat: int, legal: Any) -> int:
        return choices.choice(legal)

    for number in range(40):
        state = GAME.new_state(2, carry={"black": number % 2})
        seat = number // 2 % 2
        play(state, *((bot, anything) if seat == 0 else (anything, bot)))
        won += state.outcome().deltas[seat] > 0
    assert won >= 30


class _Held:
    """A seat whose player is gone."""

    away_since = 0


def test_a_clock_that_runs_out_is_the_end_and_runs_for_the_absent_too() -> None:
    room = RoomSpec(
        id="reversi.x", game="reversi", currency="score", turn_ms={"move": 5000}, reserve_ms=60000
    )
    state, turns = GAME.new_state(2), Turns(room=room, seats=2)
    turns.set(state, acted=None, next_seq=1, now=0)
    seats: Any = [_Held(), None]
    assert turns.due(state, seats, 64_000) is None
    due = turns.due(state, seats, 65_001)
    assert due is not None and (due.seat, due.what) == (0, "abandon")
    again = Turns(room=room, seats=2)
    again.restore(turns.dump(1000), now=500_000)  # the host was restarted
    assert again.due(state, seats, 550_000) is None
    state.abandon(0, "time")
    assert state.log()[-1] == (0, FLAG)
    assert (state.outcome().result, state.outcome().deltas) == ("time", (-64, 64))


def test_a_missed_turn_is_told_and_costs_nothing() -> None:
    choices = random.Random(11)
    for _ in range(200):
        state, told = GAME.new_state(2), 0
        while not state.is_terminal():
            (seat,) = state.to_act()
            legal = state.legal_actions(seat)
            events = state.apply(seat, choices.choice(legal))
            told += sum(event.kind == "no_move" for event in events)
            if told and not state.is_terminal():
                assert state.to_act() == (seat,)
                return
    raise AssertionError("no game had a missed turn")
