"""The bot: plays from a view; the hint button is its move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from games.shengji.game import TrickGame


class ShengjiBot:
    """Bot of the family."""

    def __init__(self, game: TrickGame) -> None:
        self._game = game

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        return legal[0]
