"""The rule interface: what a game is, to tables, bots, replays and tests.

Rules are pure: no clock, no I/O, no randomness of their own. Seats are 0..n-1; amounts are
integers. Inside, an action is a compact value that the game defines; outside (wire, journal,
record, case, log) it is one line of text that `format` writes and `parse` reads. Chance is a
logged action, too, so that a log replays without any random generator.

Errors: IllegalAction, with a stable code; the state is unchanged when it is raised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol, runtime_checkable

Seat = int
Action = Any
"""Compact and hashable, defined by the game; an int where it fits (a deal does not)."""

CHANCE: Final[Seat] = -1
"""Nature: the table samples, the log keeps the outcome."""
SPECTATOR: Final[Seat] = -2
"""A viewer without a seat."""
ALL: Final[tuple[Seat, ...]] = (-3,)
"""`Event.to`: everybody. Not (): receivers that a game works out and that are none are nobody."""


ABANDON = "escape"
"""The line that `abandon` logs, in every game. Records and replays have it; from a player's
client it is refused, because leaving is a command of the table, with what it costs told first."""


class IllegalAction(ValueError):
    """The action is refused; the state is unchanged.

    code: stable and lower case ("not_your_turn", "does_not_beat"); params fill the sentence
    of the game's catalogue (`Game.message`).
    """

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params = params


class GameId(NamedTuple):
    """Identity of a hand's rules."""

    name: str
    version: int
    """Bumped whenever any log could replay differently."""
    parameters: str
    """Canonical JSON of all rule parameters, defaults included."""


class Info(NamedTuple):
    """What a table must know of a game."""

    min_seats: int
    max_seats: int
    deterministic: bool
    perfect_information: bool
    """view(any) == view(SPECTATOR)."""
    simultaneous: bool
    """to_act() may hold more than one seat."""
    zero_sum: bool
    """deltas + fees + pot change sum to 0."""
    enumerable: bool
    """False: legal_actions() is a hint set, is_legal() is the truth."""
    max_actions: int
    """Bound on the applied actions of a hand, chance included."""
    who_begins: frozenset[str] = frozenset()
    """Keys of `carry` that only say who begins: nobody loses anything if there is no next hand."""


class Parameter(NamedTuple):
    """One thing a room may set."""

    default: int | bool | str
    minimum: int | None
    maximum: int | None
    meaning: str


class Event(NamedTuple):
    """What just happened: `data` for the seats in `to`, `masked` for the rest (None: nothing)."""

    kind: str
    data: Mapping[str, Any]
    to: tuple[Seat, ...] = ALL
    masked: Mapping[str, Any] | None = None


class Deadline(NamedTuple):
    """Advice for the table's clock; rules never read one."""

    seat: Seat
    """May be CHANCE: the next step of a deal during which players may act."""
    key: str
    """"bid", "play", "claim" ...: rooms map keys to milliseconds."""
    hard: bool = False
    """False: on expiry the default action; True: abandon(seat, "time")."""


class Outcome(NamedTuple):
    """How a hand ended. sum(deltas) + sum(fees) + pot_change == 0."""

    result: str
    deltas: tuple[int, ...]
    """Per seat, fees already taken off."""
    fees: tuple[int, ...]
    """Per seat, what the house takes, >= 0."""
    pot_change: int
    carry: Mapping[str, Any]
    """What the next hand's new_state(carry=...) needs; JSON."""
    next_first: Seat | None


class Rng(Protocol):
    """ShakeRng; only tables and tests draw."""

    def below(self, n: int) -> int: ...

    def permutation(self, n: int) -> Sequence[int]: ...


class State(Protocol):
    """One running hand: mutable, single-threaded, cheap."""

    game: Game

    def to_act(self) -> tuple[Seat, ...]:
        """() when terminal; (CHANCE,) for nature; otherwise every seat that may act now."""

    def phase(self) -> str: ...

    def deadlines(self) -> tuple[Deadline, ...]:
        """The clocks that run now."""

    def is_legal(self, seat: Seat, action: Action) -> bool:
        """One action, without enumerating."""

    def legal_actions(self, seat: Seat) -> Sequence[Action]:
        """All legal actions in canonical order (a hint set when not info.enumerable).

        One of each class that `canonical` makes equal; () for a seat that may not act.
        """

    def canonical(self, seat: Seat, action: Action) -> Action:
        """The listed action that does the same as this legal one (equal ranks, other suits)."""

    def apply(self, seat: Seat, action: Action) -> list[Event]:
        """The only mutator: checks turn and legality, logs, and says what happened."""

    def default_action(self, seat: Seat) -> Action:
        """What a time-out plays: always legal, deterministic."""

    def abandon(self, seat: Seat, reason: str) -> list[Event]:
        """Escape, resignation or flag as a logged action, with the game's consequence."""

    def sample_chance(self, rng: Rng) -> Action:
        """Nature's next action; the table applies it for CHANCE."""

    def view(self, seat: Seat) -> dict[str, Any]:
        """All that a seat or SPECTATOR may see, built by allow-list; flat, JSON."""

    def resample(self, seat: Seat, rng: Rng) -> State:
        """Another world that the seat cannot tell from this one."""

    def hint(self, seat: Seat) -> Action:
        """A good legal action from what the seat may know."""

    def is_terminal(self) -> bool: ...

    def outcome(self) -> Outcome:
        """Valid only when terminal."""

    def log(self) -> Sequence[tuple[Seat, Action]]:
        """All applied actions, chance included."""

    def hash(self) -> int:
        """64 bits, equal in every process."""

    def dump(self) -> bytes:
        """Snapshot: game.load(dump()).hash() == hash()."""

    def clone(self) -> State: ...


@runtime_checkable
class TakesClaims(Protocol):
    """A State of a game in which seats may act out of turn (a burn in Gouji).

    `is_legal` says when. The table collects the claims of one moment and asks for their order.
    """

    def order_claims(self, claims: Sequence[tuple[Seat, Action]]) -> Sequence[tuple[Seat, Action]]:
        """The claim that comes first in front. IllegalAction: together they are not legal."""


class Bot(Protocol):
    """Plays from a view, never from a State."""

    def act(self, view: Mapping[str, Any], legal: Sequence[Action], budget_ms: int) -> Action: ...


class Game(Protocol):
    """The immutable rules of one GameId."""

    name: str
    id: GameId
    info: Info
    title: Mapping[str, str]
    """By locale."""
    parameters: Mapping[str, Parameter]

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> State:
        """wealth: what each seat has on the table (None: score play, no caps)."""

    def load(self, blob: bytes) -> State:
        """Inverse of dump(); ValueError for a blob of another GameId."""

    def parse(self, state: State, seat: Seat, text: str) -> Action:
        """A line -> action; IllegalAction("syntax")."""

    def format(self, action: Action) -> str:
        """The canonical line; parse(format(a)) == a."""

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        """The sentence of a refusal; None when the game does not know the code."""

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Action]:
        """The legal actions of the seat whose view this is: clients have no State."""

    def bot(self) -> Bot: ...
