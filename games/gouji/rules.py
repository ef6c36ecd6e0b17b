"""Gouji (够级): six seats in two federations, four decks, get rid of the cards early.

The game and its parameters. Source: docs/games/gouji.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from games.gouji import actions, deck, hints, messages
from games.gouji.actions import SEATS, Move
from games.gouji.bot import GoujiBot
from games.gouji.finder import Finder
from games.gouji.plays import PlayRules, Reading
from games.gouji.state import State
from paiju.rules.api import Bot, GameId, Info, Parameter

_PLAYS = PlayRules(mixed=True, topped_opens=True, big_joker_rules=False)
_OPENING_ACTIONS = 120
"""More than all phases before the play can have, chance included."""
_PER_CARD = 8
"""Asked after each card at most: five seats, a yield, a second call; and the play."""


class GoujiState(State):
    """One hand of Gouji."""

    __slots__ = ()

    plays = _PLAYS
    finder = Finder(_PLAYS)
    tribute_order = ("smother", "burn", "point", "fall")

    def _ends_at_once(self, reading: Reading) -> bool:
        return False

    def _second_call(self) -> bool:
        return False


class Gouji:
    """The game with its parameters; immutable."""

    name = "gouji"
    version = 1
    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=False,
        perfect_information=False,
        simultaneous=True,
        zero_sum=True,
        enumerable=False,
        max_actions=_OPENING_ACTIONS + 216 * _PER_CARD,
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "够级", "en": "Gouji"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "bie_san": Parameter(False, None, None, "threes are played last, all at once (憋三)"),
        "series": Parameter(5, 1, 100, "hands of a series; tributes run from hand to hand in it"),
        "unit": Parameter(1, 1, 1_000_000, "what one point is worth"),
        "escape_penalty": Parameter(12, 0, 1_000, "points that leaving a running hand costs"),
    }
    state_class: ClassVar[type[State]] = GoujiState
    pack: ClassVar[tuple[int, ...]] = tuple(range(deck.DECK)) * deck.COPIES
    """The cards that are dealt out; studies and tests use fewer."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.values = _checked(self.name, self.parameters, parameters or {})
        encoded = msgspec.json.encode(self.values, order="deterministic").decode()
        self.id = GameId(self.name, self.version, encoded)
        self.whole_pack = deck.set_of(self.pack)

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> State:
        """carry: number of the hand, tributes and first leader, from the hand before."""
        if seats != SEATS:
            raise ValueError(f"{self.name} has {SEATS} seats, not {seats}")
        if wealth is not None and (len(wealth) != seats or min(wealth) < 0):
            raise ValueError("wealth is one amount >= 0 per seat")
        return self.state_class(self, None if wealth is None else tuple(wealth), carry or {})

    def load(self, blob: bytes) -> State:
        """ValueError for what is no snapshot of this game."""
        return self.state_class.restored(self, blob)

    def parse(self, state: State, seat: int, text: str) -> Move:
        return actions.parse(seat, text)

    def format(self, action: Move) -> str:
        return actions.format_(action)

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return messages.message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """The hint set of the seat whose view this is, worked out without a state."""
        return hints.legal_in_view(
            view, self.state_class.finder, self.state_class.plays, bie_san=self.values["bie_san"]
        )

    def bot(self) -> Bot:
        return GoujiBot(self)


def _checked(
    name: str, allowed: Mapping[str, Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Values of all parameters, defaults included. ValueError says what is not allowed."""
    unknown = sorted(set(given) - set(allowed))
    if unknown:
        raise ValueError(f"{name}: unknown parameters {', '.join(unknown)}")
    values: dict[str, Any] = {}
    for key, parameter in allowed.items():
        value = given.get(key, parameter.default)
        if isinstance(parameter.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{name}: {key} is {value!r}, true or false is needed")
        else:
            low, high = parameter.minimum or 0, parameter.maximum or 0
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"{name}: {key} is {value!r}, allowed are {low} to {high}")
        values[key] = value
    return values
