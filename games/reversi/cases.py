"""Golden cases of Reversi: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.reversi import board
from games.reversi.rules import Reversi, difference, paid
from paiju.rules.api import IllegalAction
from paiju.rules.cases import told


def moves(case: Mapping[str, Any]) -> list[str]:
    """Where `side` (b or w) may move on this board."""
    black, white = board.parse(case["board"])
    own, other = (black, white) if case["side"] == "b" else (white, black)
    return [board.NAMES[square] for square in board.squares_of(board.moves(own, other))]


def flips(case: Mapping[str, Any]) -> list[str]:
    """What a disc of `side` there turns over."""
    black, white = board.parse(case["board"])
    own, other = (black, white) if case["side"] == "b" else (white, black)
    turned = board.flips(own, other, board.SQUARES[case["square"]])
    return [board.NAMES[square] for square in board.squares_of(turned)]


def score(case: Mapping[str, Any]) -> int:
    """Discs that black is ahead at the end."""
    return difference(*board.parse(case["board"]))


def settle(case: Mapping[str, Any]) -> dict[str, list[int]]:
    given = case["input"]
    deltas, fees = paid(
        given["loser"],
        given["amount"],
        fee=given.get("A", 0),
        wealth=given.get("wealth"),
        to_house=given.get("to_house", False),
    )
    return {"deltas": list(deltas), "fees": list(fees)}


def play(case: Mapping[str, Any]) -> dict[str, Any]:
    """How the game stands after the actions, or `illegal_at`."""
    game = Reversi(case.get("config", {}))
    state = game.new_state(2, carry=case.get("carry"))
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            state.apply(seat, game.parse(state, seat, text))
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
    over = state.is_terminal()
    view = state.view(-2)
    return told(case, game, state) | {
        "phase": state.phase(),
        "to_act": list(state.to_act()),
        "discs": view["discs"],
        "moves": view["moves"],
        "result": state.outcome().result if over else None,
        "deltas": list(state.outcome().deltas) if over else None,
    }


def perft(case: Mapping[str, Any]) -> int:
    """Lines of so many moves from the beginning; a side without a move is left out."""

    def count(own: int, other: int, depth: int) -> int:
        if depth == 0:
            return 1
        found = board.moves(own, other)
        if not found:
            return count(other, own, depth) if board.moves(other, own) else 1
        lines = 0
        for square in board.squares_of(found):
            turned = board.flips(own, other, square)
            lines += count(other & ~turned, own | turned | 1 << square, depth - 1)
        return lines

    return count(board.BLACK, board.WHITE, case["depth"])


OPERATIONS = {
    "moves": moves,
    "flips": flips,
    "score": score,
    "settle": settle,
    "play": play,
    "perft": perft,
}
