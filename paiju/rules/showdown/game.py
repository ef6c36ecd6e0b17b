"""What showdown games have in common as games: parameters, text of actions, loading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from paiju.rules.api import CHANCE, Bot, GameId, IllegalAction, Info, Parameter
from paiju.rules.showdown.parameters import checked
from paiju.rules.showdown.round import ESCAPE, Action, RoundState

S = TypeVar("S", bound=RoundState)


class RoundGame(Generic[S]):
    """Base of the games; a rule set names its state, verbs and parameters.

    verbs: the lines of the game's plain actions, line -> number 0..14. choices: what a
    parameter that is text may be.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    title: ClassVar[Mapping[str, str]]
    parameters: ClassVar[Mapping[str, Parameter]]
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    verbs: ClassVar[Mapping[str, int]]
    state_class: ClassVar[type[Any]]
    texts: ClassVar[Mapping[str, tuple[str, str]]]
    """Code of a refusal -> its sentence in English and Chinese."""

    info: Info

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        values = checked(self.name, self.parameters, self.choices, parameters or {})
        self.values: dict[str, Any] = values
        encoded = msgspec.json.encode(values, order="deterministic").decode()
        self.id = GameId(self.name, self.version, encoded)
        self._numbers = {**self.verbs, "escape": ESCAPE}
        self._lines = {action: line for line, action in self._numbers.items()}
        self.info = self._info()

    # ---- what a rule set adds --------------------------------------------------------------

    def _info(self) -> Info:
        raise NotImplementedError

    def _parsed(self, verb: str, rest: str) -> int | None:
        """A verb with an argument; None: no such verb. ValueError: the argument is wrong."""
        raise NotImplementedError

    def _parsed_chance(self, verb: str, rest: str) -> tuple[Any, ...] | None:
        """What nature does; as `_parsed`."""
        raise NotImplementedError

    def _formatted(self, action: Action) -> str:
        """The line of what is no plain verb."""
        raise NotImplementedError

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Action]:
        """The legal actions of the seat whose view this is: the lines that it lists."""
        return [self.parse(None, 0, line) for line in view.get("legal", ())]

    def bot(self) -> Bot:
        raise NotImplementedError

    # ---- the interface ---------------------------------------------------------------------

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> S:
        """carry: from the outcome of the hand before."""
        low, high = self.info.min_seats, self.info.max_seats
        if not low <= seats <= high:
            raise ValueError(f"{self.name} has {low} to {high} seats, not {seats}")
        if wealth is not None and (len(wealth) != seats or min(wealth) < 0):
            raise ValueError("wealth is one amount >= 0 per seat")
        state: S = self.state_class(
            self, seats, None if wealth is None else tuple(wealth), carry or {}
        )
        return state

    def load(self, blob: bytes) -> S:
        """ValueError for what is no snapshot of this game."""
        state: S = self.state_class.restored(self, blob)
        return state

    def parse(self, state: S | None, seat: int, text: str) -> Action:
        """No line of these games needs the state to be understood."""
        action: Action | None = self._numbers.get(text)
        if action is not None:
            return action
        verb, _, rest = text.partition(" ")
        try:
            if seat == CHANCE:
                action = self._parsed_chance(verb, rest)
            elif rest:
                action = self._parsed(verb, rest)
        except ValueError as error:
            raise IllegalAction("syntax", detail=str(error)[:80]) from None
        if action is None:
            raise IllegalAction("syntax", detail=text[:40])
        return action

    def format(self, action: Action) -> str:
        if isinstance(action, int) and action <= ESCAPE:
            return self._lines[action]
        return self._formatted(action)

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        """The sentence for a code, None for one that is not of this game."""
        texts = self.texts.get(code)
        if texts is None:
            return None
        return texts[1 if locale.startswith("zh") else 0].format_map(_Known(params))


class _Known(dict[str, object]):
    """Parameters of a sentence; what is missing reads "?"."""

    def __missing__(self, key: str) -> str:
        return "?"
