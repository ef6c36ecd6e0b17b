"""Classic Dou Dizhu (斗地主, 叫分): one deck, three seats, one landlord against two farmers.

Each seat calls once, the highest caller takes the bottom cards and leads; the call is the
base score, bombs played and a spring double it. Source: docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from games.doudizhu.bidding import Bidding
from games.doudizhu.bot import sense
from games.doudizhu.bots import BiddingBot
from games.doudizhu.classic import SEATS, DoudizhuState
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.landlord import COIN_PARAMETERS, LandlordGame, info
from paiju.rules.api import Bot, Parameter
from paiju.rules.climbing import ONE_DECK

_SENSE = sense(COMBOS, FINDER)
_CALLED_UP_TO = ((3.3, 3), (4.2, 2), (5.0, 1))


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
