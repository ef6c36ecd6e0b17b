"""Chihuoguo (吃火锅): everybody antes into the pot, then bets in turn that a card falls between.

Two cards lie open; the seat on turn folds or stakes that the third one falls between them.
Everything is open, so nothing is hidden from anybody. Source: docs/games/chihuoguo.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from games.chihuoguo.bot import HotpotBot
from games.chihuoguo.hand import DRAW, FIRST, FOLD, STAKE, ChihuoguoState
from games.chihuoguo.messages import TEXTS
from games.chihuoguo.posts import Stakes
from paiju.rules.api import Bot, Info, Parameter
from paiju.rules.cards import NAMES, parse_cards
from paiju.rules.showdown import Action, RoundGame, amount


class Chihuoguo(RoundGame[ChihuoguoState]):
    """The game with its parameters; immutable. entry: what a seat needs when a game begins."""

    name = "chihuoguo"
    version = 1
    title: ClassVar[Mapping[str, str]] = {"zh": "吃火锅", "en": "Hot Pot"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "seats": Parameter(4, 2, 8, "seats of a table"),
        "ante": Parameter(500, 1, 1_000_000, "what every seat pays into the pot"),
        "min_stake": Parameter(5, 1, 1_000_000, "lowest stake"),
        "stake_cap": Parameter(100_000, 1, 1_000_000_000, "highest stake"),
        "loss_cap": Parameter(200_000, 1, 1_000_000_000, "most that a turn can cost"),
        "wealth_divisor": Parameter(2, 1, 100, "a stake is at most this part of the wealth"),
        "pillar_factor": Parameter(2, 1, 100, "times the stake for hitting a post"),
        "pillar_factor_ak": Parameter(4, 1, 100, "the same with A and K"),
        "laps": Parameter(5, 1, 20, "turns of each seat"),
        "escape_penalty": Parameter(0, 0, 1_000_000_000, "what a leaver pays into the pot"),
    }
    verbs: ClassVar[Mapping[str, int]] = {"fold": FOLD}
    texts = TEXTS
    state_class = ChihuoguoState

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)
        self.stakes = Stakes(**{key: self.values[key] for key in Stakes._fields})
        self.entry: int = self.values["ante"] + 2 * self.values["min_stake"]

    def _info(self) -> Info:
        seats = self.values["seats"]
        return Info(
            min_seats=seats,
            max_seats=seats,
            deterministic=False,
            perfect_information=True,
            simultaneous=False,
            zero_sum=True,
            enumerable=False,  # any stake between the limits
            # the first seat; two draws and a decision a turn; everybody may leave
            max_actions=1 + 3 * self.turns(seats) + seats,
        )

    def turns(self, seats: int) -> int:
        """Turns of a game."""
        laps: int = self.values["laps"]
        return laps * seats

    def bot(self) -> Bot:
        return HotpotBot(self.stakes)

    def _parsed(self, verb: str, rest: str) -> int | None:
        return amount(rest) << 8 | STAKE if verb == "stake" else None

    def _parsed_chance(self, verb: str, rest: str) -> tuple[Any, ...] | None:
        if verb == FIRST:
            return FIRST, int(rest)
        return (DRAW, tuple(parse_cards(rest))) if verb == DRAW else None

    def _formatted(self, action: Action) -> str:
        if isinstance(action, int):
            return f"stake {action >> 8}"
        what, value = action
        if what == FIRST:
            return f"first {value}"
        return "draw " + " ".join(NAMES[card] for card in value)
