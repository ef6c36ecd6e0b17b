"""Who pays what at the end: for cards left, for a wuhuaguo, for an escape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paiju.rules.showdown import Settlement, fees_taken
from paiju.rules.showdown.settle import Wealth, capped


class Rates(NamedTuple):
    """unit: what one card is worth; the others are units, the fee is an amount."""

    unit: int
    fee: int
    wuhuaguo: int
    shutout: int
    escape: int

    def out(
        self, winner: int, left: Sequence[int], played: Sequence[bool], wealth: Wealth
    ) -> Settlement:
        """The others pay by the cards they hold. played: whether a seat has played a card."""
        units = [
            self.shutout if not moved else 0 if cards == 1 else cards
            for cards, moved in zip(left, played, strict=True)
        ]
        return self._to(winner, units, wealth)

    def declared(self, winner: int, seats: int, wealth: Wealth) -> Settlement:
        return self._to(winner, [self.wuhuaguo] * seats, wealth)

    def _to(self, winner: int, units: Sequence[int], wealth: Wealth) -> Settlement:
        """Everybody pays what it can; the winner gets what is paid; then the fee."""
        moved = [
            0 if seat == winner else -capped(count * self.unit, seat, wealth)
            for seat, count in enumerate(units)
        ]
        moved[winner] = -sum(moved)
        return fees_taken(moved, fee=self.fee, wealth=wealth)

    def escaped(self, seat: int, seats: int, wealth: Wealth) -> Settlement:
        """The others share the penalty, odd units going to the next ones; no fee is taken."""
        paid = capped(self.escape * self.unit, seat, wealth)
        each, rest = divmod(paid, seats - 1)
        deltas = [0] * seats
        for step in range(1, seats):
            deltas[(seat + step) % seats] = each + (1 if step <= rest else 0)
        deltas[seat] = -paid
        return Settlement(tuple(deltas), (0,) * seats)
