"""What the games of the family have in common as games: parameters, text of actions, loading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from paiju.rules.api import CHANCE, Bot, GameId, IllegalAction, Info, Parameter
from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing.combos import Combos, Reading
from paiju.rules.climbing.decks import Deck
from paiju.rules.climbing.finder import Finder
from paiju.rules.climbing.hand import Deal, Move
from paiju.rules.climbing.plays import LOWEST_PLAY, PASS, PLAY
from paiju.rules.climbing.state import ESCAPE, ClimbingState

_TURNED_UP = "up="

S = TypeVar("S", bound=ClimbingState)


def play(cards: int) -> int:
    """The action that plays a set of cards as its default reading."""
    return cards << 8 | PLAY


def checked(
    name: str, allowed: Mapping[str, Parameter], given: Mapping[str, Any]
) -> dict[str, int]:
    """Values of all parameters, defaults included. ValueError says what is not allowed."""
    unknown = sorted(set(given) - set(allowed))
    if unknown:
        raise ValueError(f"{name}: unknown parameters {', '.join(unknown)}")
    values: dict[str, int] = {}
    for key, parameter in allowed.items():
        value = given.get(key, parameter.default)
        if isinstance(parameter.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{name}: {key} is {value!r}, allowed are true and false")
        else:
            low, high = parameter.minimum or 0, parameter.maximum or 0
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"{name}: {key} is {value!r}, allowed are {low} to {high}")
        values[key] = value
    return values


class ClimbingGame(Generic[S]):
    """Base of the games; a rule set names its combinations, state, verbs and parameters.

    verbs: the lines of the game's own actions (bids and the like), line -> number 1..255
    except 15.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    info: ClassVar[Info]
    title: ClassVar[Mapping[str, str]]
    parameters: ClassVar[Mapping[str, Parameter]]
    combos: Combos
    finder: Finder
    """Of the class, or of the object where they depend on parameters."""
    deck: ClassVar[Deck]
    verbs: ClassVar[Mapping[str, int]]
    state_class: ClassVar[type[Any]]

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.values = checked(self.name, self.parameters, parameters or {})
        encoded = msgspec.json.encode(self.values, order="deterministic").decode()
        self.id = GameId(self.name, self.version, encoded)
        self.actions = {**self.verbs, "pass": PASS, "escape": ESCAPE}
        self.lines = {action: line for line, action in self.actions.items()}

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> S:
        """carry: {"first": seat} from the outcome of the hand before."""
        if not self.info.min_seats <= seats <= self.info.max_seats:
            raise ValueError(f"{self.name} has {self.info.max_seats} seats, not {seats}")
        if wealth is not None and (len(wealth) != seats or min(wealth) < 0):
            raise ValueError("wealth is one amount >= 0 per seat")
        state: S = self.state_class(self, None if wealth is None else tuple(wealth), carry or {})
        return state

    def load(self, blob: bytes) -> S:
        """ValueError for what is no snapshot of this game."""
        state: S = self.state_class.restored(self, blob)
        return state

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        raise NotImplementedError

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Move]:
        raise NotImplementedError

    def bot(self) -> Bot:
        raise NotImplementedError

    def parse(self, state: S, seat: int, text: str) -> Move:
        action = self.actions.get(text)
        if action is not None:
            return action
        verb, _, rest = text.partition(" ")
        try:
            if verb == "play" and rest:
                return self._parse_play(state, rest)
            if verb == "deal" and seat == CHANCE:
                return self._parse_deal(rest)
        except ValueError as error:
            raise IllegalAction("syntax", detail=str(error)) from None
        raise IllegalAction("syntax", detail=text[:40])

    def _parse_play(self, state: S, rest: str) -> int:
        names, _, kind = rest.partition(" as ")
        cards = self.deck.parse(names)
        if not cards:
            raise ValueError("no cards are named")
        if not kind:
            return play(cards)
        if kind not in self.combos.by_name:
            raise ValueError(f"{kind[:40]!r} is no combination")
        counts = self.deck.counts(cards)
        usual = self.combos.reading_on(counts, state.table, None)
        if usual is not None and usual.kind == kind:
            return play(cards)
        return play(cards) + 1 + self.combos.names.index(kind)

    def _parse_deal(self, text: str) -> Deal:
        """Hands and bottom (`-`: no cards), then `up=` and the card that lies face up, if any."""
        first, *piles = text.split(" / ")
        mark = 0
        if piles and piles[-1].startswith(_TURNED_UP):
            mark = self.deck.parse(piles.pop().removeprefix(_TURNED_UP))
        seats = self.info.max_seats
        if len(piles) != seats + 1:
            raise ValueError(f"a deal has {seats + 1} piles, not {len(piles)}")
        *hands, bottom = (0 if cards == "-" else self.deck.parse(cards) for cards in piles)
        return int(first), tuple(hands), bottom, mark

    def format(self, action: Move) -> str:
        names = self.deck.names
        if isinstance(action, tuple):
            first, hands, bottom, mark = action
            piles = [" ".join(names(cards)) or "-" for cards in (*hands, bottom)]
            if mark:
                piles += [_TURNED_UP + name for name in names(mark)]
            return " / ".join((f"deal {first}", *piles))
        if action < LOWEST_PLAY:
            return self.lines[action]
        text = "play " + " ".join(names(action >> 8))
        named = (action & 0xFF) - PLAY
        return f"{text} as {self.combos.names[named - 1]}" if named else text


def shown_reading(table: Mapping[str, Any]) -> Reading:
    """The reading that a view's `table` describes."""
    return Reading(table["kind"], RANK_NAMES.index(table["rank"]), table["length"])
