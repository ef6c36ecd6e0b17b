"""placeholder"""
from __future__ import annotations
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
if TYPE_CHECKING:
    from games.gouji.rules import Gouji


class GoujiBot:
    def __init__(self, game: Gouji) -> None:
        self._game = game

    def act(self, view: Mapping[str, Any], legal: Sequence[int], budget_ms: int) -> int:
        return legal[0]
