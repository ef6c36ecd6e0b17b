"""Aiqipai Shengji (愛棋牌): trumps are turned up once round; a dug bottom counts double."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from games.shengji.claims import Claims, OneLevelCard
from games.shengji.declaring import TurnUp
from games.shengji.game import DEALER, LEVEL, LEVELS, TrickGame
from games.shengji.phase import Phase
from games.shengji.rules import FIRST_DEALER, phases
from games.shengji.scores import AiqipaiScoring, Scoring
from paiju.rules.api import Parameter
from paiju.rules.cards import RANKS


class AiqipaiShengji(TrickGame):
    """The game with its parameters."""

    name = "aiqipai_shengji"
    title: ClassVar[Mapping[str, str]] = {"zh": "爱棋牌升级", "en": "Aiqipai Shengji"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "decks": Parameter(2, 1, 2, "decks of cards"),
        "unit": Parameter(1, 1, 1_000_000, "what one level is worth"),
        "escape_penalty": Parameter(20, 0, 1_000_000, "what leaving a running hand costs"),
        "level": LEVEL,
        "dealer": DEALER,
        "levels": LEVELS,
        "first_dealer": Parameter("final_declarer", None, None, FIRST_DEALER),
    }
    phases: ClassVar[Mapping[str, Phase]] = phases(declare=TurnUp(then="take_bottom"))

    def make_claims(self, level: str, dealer: int) -> Claims:
        return OneLevelCard(RANKS.index(level))

    def _scoring(self) -> Scoring:
        return AiqipaiScoring(decks=self.decks, order=self.order, unit=self.values["unit"])
