"""Reversi (黑白棋): two seats, 64 squares, no chance; whose clock runs out has lost.

The winner takes what the difference in discs is worth. Source: docs/games/reversi.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import msgspec

from games.reversi import board
from games.reversi.bot import Bot
from paiju.rules.api import (
    ABANDON,
    Deadline,
    Event,
    GameId,
    IllegalAction,
    Info,
    Outcome,
    Parameter,
    Rng,
)

ESCAPE, FLAG = 64, 65
LINES = {**dict(enumerate(board.NAMES)), ESCAPE: ABANDON, FLAG: "flag"}
ACTIONS = {line: action for action, line in LINES.items()}
WHOLE = 64
"""Discs that are lost with an escape or on time."""
SENTENCES = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "no_flip": ("A disc there turns nothing over.", "此处不能翻转任何棋子。"),
    "taken": ("There is a disc already.", "此处已有棋子。"),
    "hand_over": ("The game is over.", "对局已结束。"),
    "syntax": ("Not understood: {detail}. Try `d3`.", "无法识别：{detail}。例如 d3。"),
}


def difference(black: int, white: int) -> int:
    """Discs of black more than of white at the end; empty squares are the winner's."""
    ours, theirs = black.bit_count(), white.bit_count()
    empty = WHOLE - ours - theirs
    if ours == theirs:
        return 0
    return ours - theirs + (empty if ours > theirs else -empty)


def paid(
    loser: int, amount: int, *, fee: int, wealth: Sequence[int] | None, to_house: bool = False
) -> tuple[tuple[int, int], tuple[int, int]]:
    """(deltas, fees): the loser pays at most what he has; then both pay the fee, if they can."""
    debt = amount if wealth is None else min(amount, wealth[loser])
    change = [debt, debt]
    change[loser] = -debt
    if to_house:
        change[1 - loser] = 0
    fees = [fee, fee] if wealth is None else [
        min(fee, have + got) for have, got in zip(wealth, change, strict=True)
    ]  # fmt: skip
    deltas = [got - cost for got, cost in zip(change, fees, strict=True)]
    if to_house:
        fees[loser] += debt
    return (deltas[0], deltas[1]), (fees[0], fees[1])


class ReversiState:
    """One game. Phases: move, end. carry: {"black": who has black}."""

    __slots__ = ("_log", "_moves", "black", "discs", "game", "leaver", "side", "wealth")

    def __init__(self, game: Reversi, wealth: tuple[int, ...] | None, black: int) -> None:
        self.game = game
        self.wealth = wealth
        self.black = black  # seat
        self.discs = [board.BLACK, board.WHITE]  # of black, of white
        self.side: int | None = 0  # to move: 0 black, 1 white; None: nobody can
        self.leaver: int | None = None
        self._moves = board.moves(*self.discs)
        self._log: list[tuple[int, int]] = []

    # ---- whose turn ------------------------------------------------------------------------

    def seat_of(self, side: int) -> int:
        return self.black if side == 0 else 1 - self.black

    def to_act(self) -> tuple[int, ...]:
        if self.side is None or self.leaver is not None:
            return ()
        return (self.seat_of(self.side),)

    def phase(self) -> str:
        return "end" if self.is_terminal() else "move"

    def deadlines(self) -> tuple[Deadline, ...]:
        """A clock that has run out ends the game."""
        return tuple(Deadline(seat, "move", hard=True) for seat in self.to_act())

    def is_terminal(self) -> bool:
        return not self.to_act()

    # ---- actions ---------------------------------------------------------------------------

    def legal_actions(self, seat: int) -> Sequence[int]:
        return list(board.squares_of(self._moves)) if seat in self.to_act() else ()

    def is_legal(self, seat: int, action: int) -> bool:
        if self.is_terminal():
            return False
        if action == ESCAPE:
            return seat in (0, 1)
        if action == FLAG:
            return seat in self.to_act()
        return seat in self.to_act() and bool(self._moves >> action & 1)

    def canonical(self, seat: int, action: int) -> int:
        return action

    def default_action(self, seat: int) -> int:
        """Nothing is played for anybody: a clock that runs out is the end."""
        return FLAG

    def hint(self, seat: int) -> int:
        return self.game.bot().act(self.view(seat), self.legal_actions(seat), 20)

    def apply(self, seat: int, action: int) -> list[Event]:
        if not self.is_legal(seat, action):
            raise IllegalAction(self._why(seat, action))
        self._log.append((seat, action))
        if action in (ESCAPE, FLAG):
            self.leaver = seat
            return [Event(LINES[action], {"seat": seat})]
        assert self.side is not None
        own, other = self.discs[self.side], self.discs[1 - self.side]
        turned = board.flips(own, other, action)
        self.discs[self.side] = own | turned | 1 << action
        self.discs[1 - self.side] = other & ~turned
        data = {
            "seat": seat,
            "square": board.NAMES[action],
            "turned": [board.NAMES[square] for square in board.squares_of(turned)],
        }
        return [Event("move", data), *self._go_on(1 - self.side)]

    def _go_on(self, side: int) -> list[Event]:
        """Whose turn it is now: a side without a move is left out, and said so."""
        events: list[Event] = []
        for candidate in (side, 1 - side):
            found = board.moves(self.discs[candidate], self.discs[1 - candidate])
            if found:
                self.side, self._moves = candidate, found
                return events
            events.append(Event("no_move", {"seat": self.seat_of(candidate)}))
        self.side, self._moves = None, 0
        return []

    def _why(self, seat: int, action: int) -> str:
        if self.is_terminal():
            return "hand_over"
        if seat not in self.to_act():
            return "not_your_turn"
        return "taken" if (self.discs[0] | self.discs[1]) >> action & 1 else "no_flip"

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Out of time, or gone."""
        flagged = reason == "time" and seat in self.to_act()
        return self.apply(seat, FLAG if flagged else ESCAPE)

    def sample_chance(self, rng: Rng) -> int:
        raise IllegalAction("not_your_turn")

    # ---- what may be seen: everything ------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        black, white = self.discs
        view: dict[str, Any] = {
            "phase": self.phase(),
            "to_act": list(self.to_act()),
            "black": self.black,
            "board": board.show(black, white),
            "discs": [self.discs[seat != self.black].bit_count() for seat in (0, 1)],
            "moves": [board.NAMES[square] for square in board.squares_of(self._moves)],
            "last": board.NAMES[self._log[-1][1]] if self._log and self._log[-1][1] < 64 else None,
        }
        if self.is_terminal():
            outcome = self.outcome()
            view["moves"] = []
            view["result"] = {
                "result": outcome.result,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
        return view

    def resample(self, seat: int, rng: Rng) -> Self:
        return self.clone()

    # ---- result ----------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        if not self.is_terminal():
            raise ValueError("the game is not over")
        unit, fee = self.game.values["N"], self.game.values["A"]
        carry = {"black": 1 - self.black}
        if self.leaver is not None:
            flagged = self._log[-1][1] == FLAG
            deltas, fees = paid(
                self.leaver, WHOLE * unit, wealth=self.wealth,
                fee=fee if flagged else 0, to_house=not flagged,
            )  # fmt: skip
            result = "time" if flagged else "escaped"
            return Outcome(result, deltas, fees, 0, carry, 1 - self.black)
        ahead = difference(*self.discs)
        loser = self.seat_of(1 if ahead > 0 else 0)
        deltas, fees = paid(loser, abs(ahead) * unit, fee=fee, wealth=self.wealth)
        return Outcome("finished", deltas, fees, 0, carry, 1 - self.black)

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, int]]:
        return self._log

    def dump(self) -> bytes:
        return msgspec.msgpack.encode((self.game.id, self.wealth, self.black, self._log))

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Self:
        other = type(self)(self.game, self.wealth, self.black)
        other.discs, other.side, other.leaver = list(self.discs), self.side, self.leaver
        other._moves, other._log = self._moves, list(self._log)
        return other


class Reversi:
    """The game with its parameters; immutable."""

    name = "reversi"
    version = 1
    info = Info(
        min_seats=2,
        max_seats=2,
        deterministic=True,
        perfect_information=True,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=61,
        who_begins=frozenset({"black"}),
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "黑白棋", "en": "Reversi"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "N": Parameter(1, 1, 1_000_000, "what one disc of the difference is worth"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and game"),
    }

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        self.values = {
            name: given.pop(name, allowed.default) for name, allowed in self.parameters.items()
        }
        if given:
            raise ValueError(f"reversi: unknown parameters {', '.join(sorted(given))}")
        for name, value in self.values.items():
            low, high = self.parameters[name].minimum or 0, self.parameters[name].maximum or 0
            if type(value) is not int or not low <= value <= high:
                raise ValueError(f"reversi: {name} is {value!r}, allowed are {low} to {high}")
        encoded = msgspec.json.encode(self.values, order="deterministic").decode()
        self.id = GameId(self.name, self.version, encoded)

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> ReversiState:
        if seats != 2:
            raise ValueError(f"reversi has 2 seats, not {seats}")
        black = int((carry or {}).get("black", 0))
        return ReversiState(self, None if wealth is None else tuple(wealth), black)

    def load(self, blob: bytes) -> ReversiState:
        try:
            identity, wealth, black, log = msgspec.msgpack.decode(blob)
        except (msgspec.DecodeError, ValueError, TypeError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != self.id:
            raise ValueError(f"a state of {identity}")
        state = self.new_state(2, wealth=wealth, carry={"black": black})
        for seat, action in log:
            state.apply(seat, action)
        return state

    def parse(self, state: ReversiState, seat: int, text: str) -> int:
        action = ACTIONS.get(text)
        if action is None:
            raise IllegalAction("syntax", detail=text[:40])
        return action

    def format(self, action: int) -> str:
        return LINES[action]

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        texts = SENTENCES.get(code)
        if texts is None:
            return None
        return texts[locale.startswith("zh")].format_map({"detail": "?", **params})

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """Of whoever is to move: everybody sees the same."""
        return [ACTIONS[name] for name in view["moves"]]

    def bot(self) -> Bot:
        return Bot()
