"""Xin Gouji (新够级): Gouji with the differences of docs/games/gouji.md, section "Xin"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from games.gouji.deck import RJ_RANK
from games.gouji.finder import Finder
from games.gouji.plays import PlayRules, Reading
from games.gouji.rules import Gouji
from games.gouji.state import State

_PLAYS = PlayRules(mixed=False, topped_opens=False, big_joker_rules=True)


class XinGoujiState(State):
    """One hand of Xin Gouji."""

    __slots__ = ()

    plays = _PLAYS
    finder = Finder(_PLAYS)
    tribute_order = ("point", "burn", "smother", "fall")
    reentry = False

    def _ends_at_once(self, reading: Reading) -> bool:
        return reading.joker == RJ_RANK

    def _second_call(self) -> bool:
        """On a plain play before melee that is not a yielder's."""
        plain = self.top is not None and not self.top.gouji
        return plain and not self.by_yielder and not self.melee()


class XinGouji(Gouji):
    """The game with its parameters; immutable."""

    name = "xin_gouji"
    title: ClassVar[Mapping[str, str]] = {"zh": "新够级", "en": "Xin Gouji"}
    state_class: ClassVar[type[State]] = XinGoujiState
