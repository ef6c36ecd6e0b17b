"""Huanle Douniu (欢乐斗牛): Douniu with a banker drawn before every hand.

Source: docs/games/niuniu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from games.niuniu.douniu import CHOICES, POINTS_AND_ESCAPE, Douniu, DouniuState
from paiju.rules.api import Parameter


class HuanleDouniuState(DouniuState):
    """One hand; nothing is carried to the next."""

    def _carried(self) -> int | None:
        return None

    def next_banker(self, strengths: Sequence[int]) -> int | None:
        return None


class HuanleDouniu(Douniu):
    """The game with its parameters; immutable."""

    name = "huanle_douniu"
    title: ClassVar[Mapping[str, str]] = {"zh": "欢乐斗牛", "en": "Huanle Douniu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **POINTS_AND_ESCAPE,
        "banker_draw": Parameter("random_each_hand", None, None, "who is banker"),
    }
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {
        **CHOICES,
        "banker_draw": ("random_each_hand",),
    }
    state_class = HuanleDouniuState
