"""Wuhuaguo (无花果): four seats shed their cards, everyone for himself; some hands win at once.

Before the play each seat may declare a wuhuaguo hand. Source: docs/games/wuhuaguo.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.wuhuaguo.bot import FigBot
from games.wuhuaguo.hand import DECLARE, SEATS, WuhuaguoState
from games.wuhuaguo.kinds import kinds
from games.wuhuaguo.legal import Turn, has_opening
from games.wuhuaguo.messages import message
from games.wuhuaguo.scores import Rates
from paiju.rules.api import Bot, Info, Parameter
from paiju.rules.cards import mask_of, parse_cards
from paiju.rules.climbing import PASS, ClimbingGame, shown_reading
from paiju.rules.climbing.decks import NO_JOKERS


class Wuhuaguo(ClimbingGame[WuhuaguoState]):
    """The game with its parameters; immutable."""

    name = "wuhuaguo"
    version = 1
    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=False,
        perfect_information=False,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=1 + SEATS + SEATS * 52,  # of four actions in a row one is a play
        who_begins=frozenset({"first"}),
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "无花果", "en": "Wuhuaguo"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "unit": Parameter(1, 1, 1_000_000, "what one card is worth"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
        "wuhuaguo_units": Parameter(26, 0, 1_000, "what a declared hand gets from each"),
        "shutout_units": Parameter(26, 0, 1_000, "what it costs to have played no card"),
        "escape_units": Parameter(26, 0, 1_000, "what leaving costs"),
        "straight_min": Parameter(4, 3, 12, "cards of the shortest straight"),
        "must_beat": Parameter(False, None, None, "who can beat the table may not pass"),
    }
    deck = NO_JOKERS
    verbs: ClassVar[Mapping[str, int]] = {"declare": DECLARE}
    state_class = WuhuaguoState

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)
        values = self.values
        self.kinds = kinds(values["straight_min"])
        self.combos, self.finder = self.kinds
        self.must_beat = bool(values["must_beat"])
        self.rates = Rates(
            unit=values["unit"],
            fee=values["A"],
            wuhuaguo=values["wuhuaguo_units"],
            shutout=values["shutout_units"],
            escape=values["escape_units"],
        )

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """The legal actions of the seat whose view this is, worked out without a state."""
        if not view.get("legal"):
            return ()
        if view["phase"] == "declare":
            return (PASS, DECLARE) if view["figs"] else (PASS,)
        hand = mask_of(parse_cards(" ".join(view["hand"])))
        (seat,) = view["to_act"]
        table = view["table"]
        opening = not view["played"].strip("0") and has_opening(hand)
        turn = Turn(
            hand=hand,
            table=None if table is None else shown_reading(table),
            opening=opening,
            alarm=view["counts"][(seat + 1) % SEATS] == 1 and not opening,
            must_beat=self.must_beat,
        )
        return turn.plays(self.kinds)

    def bot(self) -> Bot:
        return FigBot(self)
