"""The bot: plays from a view; the hint button is its move.

Corners first, squares beside an empty corner last; between equal squares the one that leaves
the other side the fewest moves. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.reversi import board

_CORNERS = {board.SQUARES[name] for name in ("a1", "h1", "a8", "h8")}
_BESIDE = {
    board.SQUARES[name]: board.SQUARES[corner]
    for corner, near in {
        "a1": ("b1", "a2", "b2"),
        "h1": ("g1", "h2", "g2"),
        "a8": ("b8", "a7", "b7"),
        "h8": ("g8", "h7", "g7"),
    }.items()
    for name in near
}


def value(own: int, other: int, square: int) -> int:
    """Of a move, in about moves that the other side loses."""
    turned = board.flips(own, other, square)
    after_own, after_other = own | turned | 1 << square, other & ~turned
    left = board.moves(after_other, after_own).bit_count()
    worth = 30 if square in _CORNERS else 0
    corner = _BESIDE.get(square)
    if corner is not None and not (own | other) >> corner & 1:
        worth -= 15
    return worth - left


class Bot:
    def act(self, view: Mapping[str, Any], legal: Sequence[int], budget_ms: int) -> int:
        black, white = board.parse(view["board"])
        own, other = (black, white) if view["to_act"] == [view["black"]] else (white, black)
        return max(legal, key=lambda square: (value(own, other, square), -square))
