"""Four-player Dou Dizhu (四人斗地主): two decks, one landlord against three, called for points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from games.doudizhu.bidding import Bidding
from games.doudizhu.bot import sense
from games.doudizhu.bots import BiddingBot
from games.doudizhu.landlord import COIN_PARAMETERS, LandlordGame, info
from games.doudizhu.two_decks import JOKER_BOMB, LADDER, bomb_name, factor
from paiju.rules.api import Bot, Event, Parameter
from paiju.rules.climbing import TWO_DECKS, Combos, Finder, Kind, Reading

SEATS = 4
ESCAPE_FACTOR = 4

COMBOS = Combos(
    (
        JOKER_BOMB,
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 2, 11),
        Kind("plane_pair", 3, 2, 6, pairs=1),
        Kind("pair_straight", 2, 3, 12),
        Kind("straight", 1, 5, 12),
        Kind("trio_pair", 3, pairs=1),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=33,
    deck=TWO_DECKS,
    ladder=LADDER,
    joker_pairs=True,
)
"""39,133 legal sets, each with one reading."""
FINDER = Finder(COMBOS)

_SENSE = sense(COMBOS, FINDER)
_CALLED_UP_TO = ((3.6, 3), (4.6, 2), (5.6, 1))


class FourState(Bidding):
    """One hand. carry: {"failed_rounds": deals in succession that nobody called}."""

    __slots__ = ()

    deal_sizes = (25, 25, 25, 25)

    def _failed_before(self) -> int:
        return int(self.carry.get("failed_rounds", self.game.values["failed_rounds"]))

    def _all_passed(self) -> Event:
        last = self._failed_before() + 1 >= self.game.values["max_failed_rounds"]
        return self._nobody_calls("dissolved" if last else "redeal")

    def _carry_on(self) -> dict[str, Any]:
        return {"failed_rounds": self._failed_before() + 1 if self.result == "redeal" else 0}

    def _bomb_factor(self, bomb: Reading) -> int:
        return factor([bomb_name(bomb)])

    def multiplier(self) -> int:
        return self.factor * (2 if self.spring() else 1)

    def penalty(self, seat: int) -> int:
        values = self.game.values
        return ESCAPE_FACTOR * max(self.base, 1) * self.factor * values["N"]


class FourPlayers(LandlordGame):
    """The game with its parameters; immutable."""

    name = "doudizhu_4p"
    version = 1
    info = info(SEATS, before=1 + SEATS, cards=108)
    title: ClassVar[Mapping[str, str]] = {"zh": "四人斗地主", "en": "Dou Dizhu for four"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **COIN_PARAMETERS,
        "max_failed_rounds": Parameter(3, 1, 100, "deals that nobody calls before the end"),
        "failed_rounds": Parameter(0, 0, 99, "such deals counted before a table's first"),
    }
    combos = COMBOS
    finder = FINDER
    deck = TWO_DECKS
    verbs = Bidding.VERBS
    state_class = FourState

    def bot(self) -> Bot:
        return BiddingBot(self, _SENSE, _CALLED_UP_TO)
