"""One hand of classic Dou Dizhu; its game is in `rules`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from games.doudizhu.bidding import Bidding
from paiju.rules.api import Event
from paiju.rules.compiled import mypyc_attr

SEATS = 3
ESCAPE_FACTOR = 3


@mypyc_attr(allow_interpreted_subclasses=True)
class DoudizhuState(Bidding):
    """One hand. Phases: deal, bid, play, end. carry: {"first": who bids first}."""

    __slots__ = ()

    deal_sizes: ClassVar[Sequence[int]] = (17, 17, 17)

    def multiplier(self) -> int:
        return self.factor * (2 if self.spring() else 1)

    def penalty(self, seat: int) -> int:
        values = self.game.values
        return ESCAPE_FACTOR * max(self.base, 1) * self.factor * values["N"]

    def _all_passed(self) -> Event:
        return self._nobody_calls("redeal")

    def _next_first(self) -> int:
        """The first call goes round, whatever came of the hand."""
        return (self.first + 1) % SEATS

    def _carry_on(self) -> dict[str, Any]:
        return {"first": self._next_first()}
