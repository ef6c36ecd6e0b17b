"""The bot of the bull games: plays from a view, never from a state.

Arranging has one right result, so it lays the first split there is and shows. Where there are
bets the payments are symmetric: against somebody who arranges as well no bank and no bet is
worth anything in the mean. It is worth something against who forgets to arrange; therefore it
takes the bank and the highest chip. Deterministic.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class BullBot:
    """Bot of all three games."""

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """The first of `legal`: games list what the bot wants first.

        That is the bank before passing, the highest chip, a split before giving up.
        """
        return legal[0]
