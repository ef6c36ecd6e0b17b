"""Classic Dou Dizhu (斗地主, 叫分): one deck, three seats, one landlord against two farmers.

Each seat calls once, the highest caller takes the bottom cards and leads; the call is the
base score, bombs played and a spring double it. Source: docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.bidding import Bidding
from games.doudizhu.bot import sense
from games.doudizhu.bots import BiddingBot
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.landlord import COIN_PARAMETERS, LandlordGame, info
from paiju.rules.api import Bot, Event, Parameter
from paiju.rules.climbing import ONE_DECK

SEATS = 3
ESCAPE_FACTOR = 3
_SENSE = sense(COMBOS, FINDER)
_CALLED_UP_TO = ((3.3, 3), (4.2, 2), (5.0, 1))


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


class Doudizhu(LandlordGame):
    """The game with its parameters; immutable."""

    name = "doudizhu"
    version = 1
    info = info(SEATS, before=1 + SEATS)
    title: ClassVar[Mapping[str, str]] = {"zh": "斗地主", "en": "Dou Dizhu"}
    parameters: ClassVar[Mapping[str, Parameter]] = COIN_PARAMETERS
    combos = COMBOS
    finder = FINDER
    deck = ONE_DECK
    verbs = Bidding.VERBS
    state_class = DoudizhuState

    def bot(self) -> Bot:
        return BiddingBot(self, _SENSE, _CALLED_UP_TO)
