"""Games on squares: the board of a view, with the squares where one may move marked."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rich.text import Text

_MARKS: Mapping[str, tuple[str, str]] = {
    "b": ("●", "bold"),
    "w": ("○", "bold"),
    ".": ("·", "dim"),
}


def grid(view: Mapping[str, Any]) -> Text | None:
    """Of a view whose `board` has a mark for each square, from a1 on, rank by rank; else None."""
    marks = view.get("board")
    if not isinstance(marks, str) or math.isqrt(len(marks)) ** 2 != len(marks):
        return None
    size = math.isqrt(len(marks))
    files = [chr(ord("a") + number) for number in range(size)]
    moves, last = set(view.get("moves") or ()), view.get("last")
    drawn = Text("    " + " ".join(files) + "\n", style="dim")
    for rank in range(size, 0, -1):
        drawn.append(f" {rank:>2} ")
        for file, mark in zip(files, marks[(rank - 1) * size : rank * size], strict=True):
            drawn.append_text(
                _mark(mark, may=f"{file}{rank}" in moves, new=f"{file}{rank}" == last)
            )
            drawn.append(" ")
        drawn.append("\n")
    return drawn


def _mark(mark: str, *, may: bool, new: bool) -> Text:
    sign, style = _MARKS.get(mark, (mark, ""))
    if may:
        return Text("+", style="green")
    return Text(sign, style=f"{style} reverse" if new else style)
