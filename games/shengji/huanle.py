"""Huanle Shengji (欢乐升级): the bottom may be countered, and every counter doubles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from games.shengji.bottom import CounterBottom
from games.shengji.phase import Phase
from games.shengji.rules import Shengji, phases
from games.shengji.scores import BeansScoring, Scoring
from games.shengji.state import State
from paiju.rules.api import Parameter


class HuanleShengji(Shengji):
    """The game with its parameters."""

    name = "huanle_shengji"
    title: ClassVar[Mapping[str, str]] = {"zh": "欢乐升级", "en": "Huanle Shengji"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **Shengji.parameters,
        "room_factor": Parameter(1, 1, 1_000_000, "N: beans per unit"),
        "room_fee": Parameter(0, 0, 1_000_000, "A: what the house takes from every seat"),
        "escape_penalty": Parameter(20, 0, 1_000_000, "units that leaving a running hand costs"),
    }
    phases: ClassVar[Mapping[str, Phase]] = phases(after_bury=CounterBottom(then="play"))

    def _scoring(self) -> Scoring:
        return BeansScoring(
            decks=self.decks,
            order=self.order,
            great_slam=self.values["great_slam_score"],
            room_factor=self.values["room_factor"],
        )

    def fee(self) -> int:
        return int(self.values["room_fee"])

    def penalty(self) -> int:
        return int(self.values["escape_penalty"] * self.values["room_factor"]) + self.fee()

    def shown_more(self, state: State) -> dict[str, int]:
        return {"counters": state.counters, "bottom_counters": state.bottom_counters}
