"""The hand of a showdown game: what is the same whatever its phases are.

Actions are integers, 0..14 the rule set's plain verbs, 15 escape, from 16 verbs with an
argument as `argument << 8 | code`; what nature does is a tuple. Everything hidden lies in the
log: another world is the log with its hidden parts drawn anew (`_redrawn`), replayed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from paiju.rules.api import CHANCE, Deadline, Event, IllegalAction, Outcome, Rng

if TYPE_CHECKING:
    from paiju.rules.showdown.game import RoundGame

Action = int | tuple[Any, ...]

ESCAPE = 15
ARGUMENT = 16
"""Codes from here carry an argument in the bits above the lowest eight."""

_BUDGET_MS = 20
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode


class RoundState:
    """One hand. Phases: the rule set's own, the last one "end".

    Owner: whoever made it; a state is not shared. `_public` is the part of the view that
    everybody sees, kept until the next action. gone: seats that have left for good. choices:
    what each seat has chosen in a phase in which all choose at the same time, None: not yet;
    nobody else may see a choice before all are in.
    """

    _SAVED: ClassVar[tuple[str, ...]] = ("stage", "result", "gone", "choices")
    """What a snapshot holds besides wealth, carry and log; a rule set adds its own."""

    __slots__ = (*_SAVED, "_log", "_public", "carry", "game", "seats", "wealth")

    gone: list[bool]
    choices: list[int | None]

    def __init__(
        self,
        game: RoundGame[Any],
        seats: int,
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        self.game = game
        self.seats = seats
        self.wealth = wealth
        self.carry = carry
        self.stage = ""
        self.result: str | None = None
        self.gone = [False] * seats
        self.choices = [None] * seats
        self._log: list[tuple[int, Action]] = []
        self._public: dict[str, Any] | None = None

    # ---- what a rule set adds --------------------------------------------------------------

    def _turns(self) -> tuple[int, ...]:
        """Who is to act while the hand runs: (CHANCE,) or seats."""
        raise NotImplementedError

    def _check_chance(self, action: tuple[Any, ...]) -> None:
        """IllegalAction unless nature may do this now."""
        raise NotImplementedError

    def _check_act(self, seat: int, action: int) -> None:
        """IllegalAction unless the seat, which has not left, may do this now."""
        raise NotImplementedError

    def _chance(self, action: tuple[Any, ...]) -> list[Event]:
        raise NotImplementedError

    def _act(self, seat: int, action: int) -> list[Event]:
        raise NotImplementedError

    def _left(self, seat: int) -> list[Event]:
        """The consequence of an escape; `gone` says so already."""
        raise NotImplementedError

    def _actions(self, seat: int) -> Sequence[int]:
        """The legal actions of a seat that is to act."""
        raise NotImplementedError

    def _redrawn(self, seat: int, rng: Rng) -> Sequence[tuple[int, Action]]:
        """The log with everything that the viewer cannot know drawn anew."""
        return self._log

    def _public_view(self) -> dict[str, Any]:
        raise NotImplementedError

    def _private_view(self, seat: int) -> dict[str, Any]:
        """What a seat sees besides."""
        return {}

    def default_action(self, seat: int) -> int:
        raise NotImplementedError

    def sample_chance(self, rng: Rng) -> Action:
        raise NotImplementedError

    def outcome(self) -> Outcome:
        raise NotImplementedError

    # ---- whose turn ------------------------------------------------------------------------

    def to_act(self) -> tuple[int, ...]:
        return () if self.result is not None else self._turns()

    def phase(self) -> str:
        return self.stage

    def deadlines(self) -> tuple[Deadline, ...]:
        """One clock per seat that is to act; nature needs none."""
        return tuple([Deadline(seat, self.stage) for seat in self.to_act() if seat != CHANCE])

    def is_terminal(self) -> bool:
        return self.result is not None

    def present(self) -> list[int]:
        """The seats that have not left."""
        return [seat for seat, gone in enumerate(self.gone) if not gone]

    def choosing(self) -> tuple[int, ...]:
        """The present seats whose choice is not in."""
        choices, gone = self.choices, self.gone
        return tuple([s for s in range(self.seats) if choices[s] is None and not gone[s]])

    def chosen(self) -> list[bool]:
        """Who has chosen: all that others may know of hidden choices."""
        return [choice is not None for choice in self.choices]

    # ---- actions ---------------------------------------------------------------------------

    def apply(self, seat: int, action: Action) -> list[Event]:
        self._check(seat, action)
        self._log.append((seat, action))
        self._public = None
        if isinstance(action, tuple):
            return self._chance(action)
        if action == ESCAPE:
            self.gone[seat] = True
            return [Event("escape", {"seat": seat}), *self._left(seat)]
        return self._act(seat, action)

    def is_legal(self, seat: int, action: Action) -> bool:
        try:
            self._check(seat, action)
        except IllegalAction:
            return False
        return True

    def _check(self, seat: int, action: Action) -> None:
        if self.result is not None:
            raise IllegalAction("hand_over")
        if isinstance(action, tuple):
            if seat != CHANCE or self._turns() != (CHANCE,):
                raise IllegalAction("wrong_phase")
            self._check_chance(action)
        elif not 0 <= seat < self.seats:
            raise IllegalAction("not_your_turn")
        elif self.gone[seat]:
            raise IllegalAction("has_left")
        elif action != ESCAPE:
            self._check_act(seat, action)
        elif not self._may_leave():
            raise IllegalAction("wrong_phase")

    def _may_leave(self) -> bool:
        """Whether leaving is an escape already: the hand has begun."""
        return bool(self._log)

    def legal_actions(self, seat: int) -> Sequence[int]:
        if seat < 0 or seat not in self.to_act():
            return ()
        return self._actions(seat)

    def canonical(self, seat: int, action: Action) -> Action:
        """No two actions do the same."""
        return action

    def hint(self, seat: int) -> Action:
        """The bot's move, from what the seat sees."""
        action: Action = self.game.bot().act(self.view(seat), self.legal_actions(seat), _BUDGET_MS)
        return action

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Leaving before the end is an escape, whatever the reason."""
        return self.apply(seat, ESCAPE)

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = self._public_view()
        view = dict(self._public)
        if 0 <= seat < self.seats:
            view.update(self._private_view(seat))
        return view

    def resample(self, seat: int, rng: Rng) -> Self:
        """Another world that the seat cannot tell from this one."""
        if self.result is not None:
            return self.clone()
        world = type(self)(self.game, self.seats, self.wealth, self.carry)
        for who, action in self._redrawn(seat, rng):
            world.apply(who, action)
        return world

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Action]]:
        return self._log

    def dump(self) -> bytes:
        """All of the state, in this program's own packing; records are for keeping."""
        saved = [getattr(self, name) for name in self._SAVED]
        return _encode((self.game.id, self.seats, self.wealth, dict(self.carry), self._log, saved))

    @classmethod
    def restored(cls, game: RoundGame[Any], blob: bytes) -> Self:
        """The state of a dump. ValueError for what is none of this game."""
        try:
            identity, seats, wealth, carry, log, saved = _decode(blob)
        except (msgspec.DecodeError, TypeError, ValueError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != game.id:
            raise ValueError(f"a state of {identity}, not of {list(game.id)}")
        state = cls(game, seats, None if wealth is None else tuple(wealth), carry)
        for name, value in zip(cls._SAVED, saved, strict=True):
            setattr(state, name, value)
        state._log = [(seat, _frozen(action)) for seat, action in log]
        return state

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Self:
        return self.restored(self.game, self.dump())


def _frozen(value: Any) -> Any:
    """Lists of a snapshot as the tuples that actions are."""
    return tuple([_frozen(item) for item in value]) if isinstance(value, list) else value
