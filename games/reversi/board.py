"""The board as two sets of squares, 64 bits each; a1 is bit 0, b1 bit 1, a2 bit 8, h8 bit 63.

Moves and flips go along all eight directions at once by shifts; `_NOT_A` and `_NOT_H` keep rows
from running into each other.
"""

from __future__ import annotations

from collections.abc import Iterator

FILES = "abcdefgh"
NAMES = tuple(f"{file}{rank}" for rank in range(1, 9) for file in FILES)
SQUARES = {name: square for square, name in enumerate(NAMES)}
ALL = (1 << 64) - 1
_NOT_A = sum(0xFE << 8 * row for row in range(8))
_NOT_H = sum(0x7F << 8 * row for row in range(8))
_STEPS = (
    *((8, ALL), (-8, ALL)),
    *((1, _NOT_A), (9, _NOT_A), (-7, _NOT_A)),
    *((-1, _NOT_H), (-9, _NOT_H), (7, _NOT_H)),
)
"""Direction as a shift, and the squares that can be reached by it."""
BLACK = 1 << SQUARES["e4"] | 1 << SQUARES["d5"]
WHITE = 1 << SQUARES["d4"] | 1 << SQUARES["e5"]
"""How a game begins; black moves first."""


def _shift(squares: int, step: int, allowed: int) -> int:
    moved = squares << step if step > 0 else squares >> -step
    return moved & allowed & ALL


def moves(own: int, other: int) -> int:
    """The squares where the side of `own` may put a disc."""
    empty = ALL & ~(own | other)
    found = 0
    for step, allowed in _STEPS:
        line = _shift(own, step, allowed) & other
        for _ in range(5):
            line |= _shift(line, step, allowed) & other
        found |= _shift(line, step, allowed) & empty
    return found


def flips(own: int, other: int, square: int) -> int:
    """The discs that turn over when the side of `own` puts one there; 0: it may not."""
    turned = 0
    for step, allowed in _STEPS:
        line, at = 0, _shift(1 << square, step, allowed)
        while at & other:
            line |= at
            at = _shift(at, step, allowed)
        if at & own:
            turned |= line
    return turned


def squares_of(found: int) -> Iterator[int]:
    """Ascending."""
    while found:
        low = found & -found
        yield low.bit_length() - 1
        found ^= low


def parse(text: str) -> tuple[int, int]:
    """(black, white) of 64 characters `b`, `w` and `.`, from a1 to h8; spaces are skipped.
    ValueError."""
    marks = "".join(text.split())
    if len(marks) != 64 or set(marks) - set("bw."):
        raise ValueError("a board has 64 squares, b, w or .")
    black, white = (sum(1 << i for i, m in enumerate(marks) if m == side) for side in "bw")
    return black, white


def show(black: int, white: int) -> str:
    """The inverse of `parse`."""
    return "".join(
        "b" if black >> square & 1 else "w" if white >> square & 1 else "." for square in range(64)
    )
