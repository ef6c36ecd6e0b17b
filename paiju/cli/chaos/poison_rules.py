"""A game whose rules do harm: `paiju chaos poison` copies this file into packages of its own.

Three seats pass in turn until the hand is over and nobody has won. Who says `harm` makes
`apply` do what the package's name says: raise, loop, allocate, exit.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.rules.api import Deadline, Event, GameId, IllegalAction, Info, Outcome

KIND = __name__.split(".")[-2].removeprefix("poison_")
SEATS = 3
ROUNDS = 12
PASS, HARM, LEAVE = 0, 1, 2
LINES = ("pass", "harm", "escape")
BLOCK = 64 * 1024 * 1024
BLOCKS = 64
"""4 GiB in all."""


def do_harm() -> None:
    if KIND == "raise":
        raise RuntimeError("these rules are poisoned")
    if KIND == "exit":
        os._exit(99)
    if KIND == "allocate":
        hoard = [b"\x5a" * BLOCK for _ in range(BLOCKS)]
        raise RuntimeError(f"{len(hoard)} blocks were to be had")
    while True:
        pass


class State:
    """One hand: the log is all there is."""

    def __init__(self, game: Poison, log: Sequence[tuple[int, int]] = ()) -> None:
        self.game = game
        self._log = list(log)

    def to_act(self) -> tuple[int, ...]:
        return () if self.is_terminal() else (len(self._log) % SEATS,)

    def phase(self) -> str:
        return "end" if self.is_terminal() else "say"

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple(Deadline(seat, "say") for seat in self.to_act())

    def is_legal(self, seat: int, action: int) -> bool:
        return seat in self.to_act() and action in (PASS, HARM)

    def legal_actions(self, seat: int) -> Sequence[int]:
        return (PASS, HARM) if seat in self.to_act() else ()

    def canonical(self, seat: int, action: int) -> int:
        return action

    def apply(self, seat: int, action: int) -> list[Event]:
        if not self.is_legal(seat, action):
            raise IllegalAction("not_your_turn")
        if action == HARM:
            do_harm()
        self._log.append((seat, action))
        return [Event("say", {"seat": seat})]

    def default_action(self, seat: int) -> int:
        return PASS

    def abandon(self, seat: int, reason: str) -> list[Event]:
        self._log.append((seat, LEAVE))
        return [Event("leave", {"seat": seat})]

    def sample_chance(self, rng: Any) -> int:
        raise IllegalAction("not_your_turn")

    def view(self, seat: int) -> dict[str, Any]:
        return {"phase": self.phase(), "to_act": list(self.to_act()), "said": len(self._log)}

    def resample(self, seat: int, rng: Any) -> State:
        return self.clone()

    def hint(self, seat: int) -> int:
        return PASS

    def is_terminal(self) -> bool:
        left = bool(self._log) and self._log[-1][1] == LEAVE
        return left or len(self._log) >= SEATS * ROUNDS

    def outcome(self) -> Outcome:
        return Outcome("finished", (0,) * SEATS, (0,) * SEATS, 0, {}, None)

    def log(self) -> Sequence[tuple[int, int]]:
        return self._log

    def dump(self) -> bytes:
        return json.dumps([self.game.id, self._log]).encode()

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> State:
        return State(self.game, self._log)


class Poison:
    """The game, named like its package."""

    name = f"poison_{KIND}"
    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=True,
        perfect_information=True,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=SEATS * ROUNDS + 1,
    )
    title: Mapping[str, str] = {"zh": name, "en": name}
    parameters: Mapping[str, Any] = {}

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.id = GameId(self.name, 1, "{}")

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> State:
        return State(self)

    def load(self, blob: bytes) -> State:
        of, log = json.loads(blob)
        if tuple(of) != self.id:
            raise ValueError(f"this is a hand of {of}")
        return State(self, [(seat, action) for seat, action in log])

    def parse(self, state: State, seat: int, text: str) -> int:
        if text not in LINES:
            raise IllegalAction("syntax")
        return LINES.index(text)

    def format(self, action: int) -> str:
        return LINES[action]

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return None

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        return (PASS,)
