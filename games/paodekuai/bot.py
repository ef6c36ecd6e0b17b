"""The bot: plays from a view, never from a state; the hint button is its move.

It leads what gets rid of most cards, low ones first, and follows with the lowest play that
beats; bombs wait until somebody is near the end. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.paodekuai.kinds import COMBOS, DECK
from paiju.rules.climbing import PASS, Reading, shown_reading

_NEAR = 3
"""So few cards make an opponent dangerous."""
_HIGH = 10
"""From kings on a high card is kept as long as it need not be spent."""


class Bot:
    def act(self, view: Mapping[str, Any], legal: Sequence[int], budget_ms: int) -> int:
        table = None if view["table"] is None else shown_reading(view["table"])
        hand = len(view["hand"])
        seat = view["to_act"][0]
        left = [count for other, count in enumerate(view["counts"]) if other != seat]
        danger = min(left) <= _NEAR
        plays = [action for action in legal if action != PASS]
        if not plays:
            return PASS
        best = min(plays, key=lambda action: self._price(action, table, hand, danger))
        if PASS in legal and table is not None and self._dear(best, table, hand, danger):
            return PASS
        return best

    def _price(
        self, action: int, table: Reading | None, hand: int, danger: bool
    ) -> tuple[int, int, int, int]:
        """What is cheapest is played: (bomb, cards kept, rank, action)."""
        size = DECK.length(action >> 8)
        reading = self._reading(action, table)
        bomb = reading.kind == "bomb" and size != hand
        rank = -reading.rank if danger and size == 1 else reading.rank
        return (bomb and not danger, -size if table is None else 0, rank, action)

    def _dear(self, action: int, table: Reading, hand: int, danger: bool) -> bool:
        """Whether passing is better: a bomb, or a high card on a low one, early in the hand."""
        size = DECK.length(action >> 8)
        reading = self._reading(action, table)
        if danger or size == hand:
            return False
        if reading.kind == "bomb":
            return True
        return reading.rank > _HIGH and reading.rank - table.rank > 4 and hand > 8

    def _reading(self, action: int, table: Reading | None) -> Reading:
        found = COMBOS.reading_on(DECK.counts(action >> 8), table, None)
        assert found is not None
        return found
