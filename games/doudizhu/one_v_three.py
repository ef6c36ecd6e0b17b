"""One against three (一对三斗地主): two decks, the landlord always on the same seat."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.bot import sense
from games.doudizhu.bots import LandlordBot
from games.doudizhu.landlord import BASE, COIN_PARAMETERS, LandlordGame, LandlordState, info
from games.doudizhu.two_decks import JOKER_BOMB, LADDER, bomb_name, factor
from paiju.rules.api import Bot, Parameter, Rng
from paiju.rules.climbing import TWO_DECKS, ClimbingGame, Combos, Finder, Kind, Move, Reading

SEATS = 4
ESCAPE_FACTOR = 4

COMBOS = Combos(
    (
        JOKER_BOMB,
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 3, 11),
        Kind("butterfly", 3, 3, 6, pair_run=True),
        Kind("pair_straight", 2, 3, 12),
        Kind("straight", 1, 5, 12),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=33,
    deck=TWO_DECKS,
    ladder=LADDER,
    joker_pairs=True,
)
"""354 legal sets, each with one reading."""
FINDER = Finder(COMBOS)

_SENSE = sense(COMBOS, FINDER)


class OneAgainstThreeState(LandlordState):
    """One hand: the landlord is dealt 33 cards and leads."""

    __slots__ = ()

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.landlord = game.values["landlord_seat"]
        self.base = game.values["base"]

    @property
    def deal_sizes(self) -> Sequence[int]:  # type: ignore[override]
        return [33 if seat == self.landlord else 25 for seat in range(SEATS)]

    def sample_chance(self, rng: Rng) -> Move:
        """The landlord is first; nothing is drawn for that."""
        hands, bottom = self._shuffled(rng)
        return int(self.game.values["landlord_seat"]), hands, bottom, 0

    def _dealt(self) -> None:
        self._begin_play()

    def _bomb_factor(self, bomb: Reading) -> int:
        return factor([bomb_name(bomb)])

    def multiplier(self) -> int:
        return self.factor * (2 if self.spring() else 1)

    def penalty(self, seat: int) -> int:
        return ESCAPE_FACTOR * self.base * self.factor * int(self.game.values["N"])


class OneAgainstThree(LandlordGame):
    """The game with its parameters; immutable."""

    name = "doudizhu_1v3"
    version = 1
    info = info(SEATS, before=1, cards=108)
    title: ClassVar[Mapping[str, str]] = {
        "zh": "一对三斗地主",
        "en": "Dou Dizhu, one against three",
    }
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **COIN_PARAMETERS,
        "base": BASE,
        "landlord_seat": Parameter(0, 0, SEATS - 1, "the seat of the landlord, in every hand"),
    }
    combos = COMBOS
    finder = FINDER
    deck = TWO_DECKS
    verbs: ClassVar[Mapping[str, int]] = {}
    state_class = OneAgainstThreeState

    def bot(self) -> Bot:
        return LandlordBot(self, _SENSE)
