"""Aiqipai Niuniu (爱棋牌牛牛): bid for the bank, bet chips, then cards; the banker shows last.

Bets are made at the same time and stay hidden until all are in. A hand that nobody arranges
counts as no bull. Source: docs/games/niuniu.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from games.niuniu.aiqipai_hand import BID, BULLS, DECLARE, PASS, TRIES, AiqipaiState
from games.niuniu.bot import BullBot
from games.niuniu.game import BET, HINT, BullGame
from games.niuniu.stakes import chips
from paiju.rules.api import Bot, Info, Parameter
from paiju.rules.showdown import Action, amount, numbers


class AiqipaiNiuniu(BullGame[AiqipaiState]):
    """The game with its parameters; immutable.

    entry: what a seat must have when a hand begins, and what it is taken to have in score
    play, where the chips could not be worked out otherwise.
    """

    name = "aiqipai_niuniu"
    version = 1
    title: ClassVar[Mapping[str, str]] = {"zh": "爱棋牌牛牛", "en": "Aiqipai Niuniu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "seats": Parameter(4, 2, 6, "seats of a table"),
        "max_multiplier": Parameter(5, 1, 1_000, "greatest multiplier: divides the limits"),
        "chip_divisors": Parameter("1/2/4/8", 1, 1_000, "parts of the limit that are offered"),
        "unit": Parameter(1, 1, 1_000_000, "unit of the entry minimum"),
        "entry_min_units": Parameter(50, 0, 1_000_000, "units needed when a hand begins"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
        "multipliers": Parameter(
            "1/1/1/1/1/1/1/2/3/4/5/5/5",
            0,
            1_000,
            "by the winner's kind: no_bull / bull_1 .. bull_9 / bull_bull / four_flowers"
            " / five_flowers",
        ),
    }
    bulls = BULLS
    first_word = "priority"
    verbs: ClassVar[Mapping[str, int]] = {
        "pass": PASS,
        "bid_banker": BID,
        "hint": HINT,
        "declare": DECLARE,
    }
    state_class = AiqipaiState

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)
        self.multipliers = numbers(self.values["multipliers"])
        self.divisors = numbers(self.values["chip_divisors"])
        self.entry: int = self.values["unit"] * self.values["entry_min_units"]

    def _info(self) -> Info:
        seats = self.values["seats"]
        return Info(
            min_seats=seats,
            max_seats=seats,
            deterministic=False,
            perfect_information=False,
            simultaneous=True,
            zero_sum=True,
            enumerable=False,  # arranging once more is legal, but no use
            # two steps of chance; each seat bids, bets, arranges, shows and may leave
            max_actions=2 + seats * (TRIES + 4),
            who_begins=frozenset({"priority"}),
        )

    def chips(self, state: AiqipaiState) -> list[tuple[int, ...] | None]:
        """What each seat may bet."""
        return chips(
            state.banker,
            state.wealth or [self.entry] * state.seats,
            most=self.values["max_multiplier"],
            divisors=self.divisors,
        )

    def bot(self) -> Bot:
        return BullBot()

    def _parsed(self, verb: str, rest: str) -> int | None:
        return amount(rest) << 8 | BET if verb == "bet" else super()._parsed(verb, rest)

    def _formatted(self, action: Action) -> str:
        if isinstance(action, int) and action & 0xFF == BET:
            return f"bet {action >> 8}"
        return super()._formatted(action)
