"""Shengji (升级, tractor): one, two or three decks, partners, tricks, levels.

The source is docs/games/shengji.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from games.shengji.bottom import Bury, TakeBottom
from games.shengji.declaring import Declare
from games.shengji.game import DEALER, LEVEL, LEVELS, TrickGame
from games.shengji.phase import Phase
from games.shengji.scores import LevelScoring, Scoring
from games.shengji.trick import Play
from paiju.rules.api import Parameter

FIRST_DEALER = "who deals the first hand: first_declarer, or final_declarer"


def phases(*, declare: Phase | None = None, after_bury: Phase | None = None) -> dict[str, Phase]:
    """The phases of the family, by name."""
    chain = [
        declare or Declare(then="take_bottom"),
        TakeBottom(then="bury"),
        Bury(then="play" if after_bury is None else after_bury.name),
        Play(then="over"),
    ]
    if after_bury is not None:
        chain.append(after_bury)
    return {phase.name: phase for phase in chain}


class Shengji(TrickGame):
    """The game with its parameters."""

    name = "shengji"
    title: ClassVar[Mapping[str, str]] = {"zh": "升级", "en": "Shengji"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "decks": Parameter(2, 1, 3, "decks of cards"),
        "level": LEVEL,
        "two_is_trump": Parameter(False, None, None, "all 2s are trump; levels begin at 3"),
        "dealer": DEALER,
        "first_dealer": Parameter("first_declarer", None, None, FIRST_DEALER),
        "great_slam_score": Parameter(4, 1, 1_000, "score when the scorers get no point (大光)"),
        "scores": Parameter("", None, None, "totals at the beginning, `0 0 0 0`; empty: no bands"),
        "levels": LEVELS,
        "escape_penalty": Parameter(20, 0, 1_000_000, "what leaving a running hand costs"),
    }
    phases: ClassVar[Mapping[str, Phase]] = phases()

    def _level_order(self) -> str:
        return "3456789TJQKA" if self.values["two_is_trump"] else "23456789TJQKA"

    def two_is_trump(self) -> bool:
        return bool(self.values["two_is_trump"])

    def _scoring(self) -> Scoring:
        return LevelScoring(
            decks=self.decks, order=self.order, great_slam=self.values["great_slam_score"]
        )
