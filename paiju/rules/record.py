"""Records (牌谱): one finished hand as JSON, and the proof that it was fair.

A record holds all that its rules need: replaying its actions under its own version gives the
same outcome, for ever, without any random generator.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import msgspec

from paiju.rules import shuffle
from paiju.rules.api import CHANCE, Game, IllegalAction, Outcome, State

FORMAT = 1


class RecordedAction(NamedTuple):
    """ms: since the hand began. cause: player, timeout, trustee, abandon or chance."""

    seat: int
    action: str
    ms: int
    cause: str


class RecordedOutcome(msgspec.Struct, frozen=True):
    """As the table saw it; result "void" when the hand had no outcome."""

    result: str
    deltas: list[int]
    fees: list[int]
    pot_change: int = 0
    carry: dict[str, Any] = {}
    next_first: int | None = None

    @classmethod
    def of(cls, outcome: Outcome | None, *, seats: int) -> RecordedOutcome:
        """None: a void hand of so many seats."""
        if outcome is None:
            return cls("void", [0] * seats, [0] * seats)
        return cls(
            outcome.result,
            list(outcome.deltas),
            list(outcome.fees),
            outcome.pot_change,
            dict(outcome.carry),
            outcome.next_first,
        )


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """Ids are decimal strings (they exceed 2^53), bytes are hex, times microseconds UTC."""

    format: int = FORMAT
    game: str
    version: int
    package: str
    parameters: str
    table: str
    hand: int
    seats: list[str]
    bots: list[bool]
    wealth: list[int] | None
    carry: dict[str, Any]
    commitment: str
    contributions: list[str]
    secret: str
    actions: list[RecordedAction]
    started_us: int
    ended_us: int
    outcome: RecordedOutcome


class RecordError(ValueError):
    """The record contradicts itself or its rules; the message says where."""


class Games(Protocol):
    """Where the rules of a record are found; Registry is one."""

    def get(self, name: str, version: int, parameters: str) -> Game: ...


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode


def encode(record: Record) -> bytes:
    """One line of JSON."""
    return _encode(record)


def decode(data: bytes | str) -> Record:
    """RecordError names the field that is missing or wrong."""
    try:
        record = _decode(data)
    except msgspec.MsgspecError as error:
        raise RecordError(f"not a record: {error}") from None
    if record.format > FORMAT:
        raise RecordError(f"format {record.format} is newer than this program ({FORMAT})")
    return record


def replay(record: Record, games: Games) -> State:
    """The state after all actions. RecordError names the action that does not apply."""
    game = games.get(record.game, record.version, record.parameters)
    state = game.new_state(len(record.seats), wealth=record.wealth, carry=record.carry or None)
    for index, entry in enumerate(record.actions):
        try:
            state.apply(entry.seat, game.parse(state, entry.seat, entry.action))
        except IllegalAction as refused:
            raise RecordError(
                f"action {index} ({entry.seat}: {entry.action!r}) is illegal: {refused.code}"
            ) from None
    return state


def outcome_of(record: Record, games: Games) -> RecordedOutcome:
    """The outcome by replay. A hand recorded as void has none: nobody wins or loses."""
    state = replay(record, games)
    if record.outcome.result == "void":
        return RecordedOutcome.of(None, seats=len(record.seats))
    if not state.is_terminal():
        raise RecordError("the hand is not over after its last action")
    return RecordedOutcome.of(state.outcome(), seats=len(record.seats))


def verify(record: Record, games: Games) -> None:
    """RecordError unless secret, deal and outcome are what was committed to and played.

    Proved: the secret is the committed one; every step of chance is what the secret and the
    contributions give; the actions lead to the outcome. Not proved: that nobody knew the
    secret during the hand (docs/contracts/records.md).
    """
    try:
        secret = bytes.fromhex(record.secret)
        contributions = [bytes.fromhex(c) for c in record.contributions]
        committed = shuffle.commitment(secret).hex()
    except ValueError as error:
        raise RecordError(f"secret or contributions cannot be read: {error}") from None
    if committed != record.commitment:
        raise RecordError("the secret is not the one that was committed to")
    _verify_chance(record, games, secret, contributions)
    found = outcome_of(record, games)
    if found != record.outcome:
        raise RecordError(f"the outcome by replay is {_shown(found)}")


def _verify_chance(record: Record, games: Games, secret: bytes, contributions: list[bytes]) -> None:
    game = games.get(record.game, record.version, record.parameters)
    state = game.new_state(len(record.seats), wealth=record.wealth, carry=record.carry or None)
    rng = shuffle.ShakeRng(
        secret, contributions, context=shuffle.hand_context(record.table, record.hand)
    )
    for index, entry in enumerate(record.actions):
        if entry.seat == CHANCE:
            drawn = game.format(state.sample_chance(rng))
            if drawn != entry.action:
                raise RecordError(f"action {index}: chance is {drawn!r}, not {entry.action!r}")
        try:
            state.apply(entry.seat, game.parse(state, entry.seat, entry.action))
        except IllegalAction as refused:
            raise RecordError(f"action {index} is illegal: {refused.code}") from None


def _shown(outcome: RecordedOutcome) -> Mapping[str, Any]:
    return {"result": outcome.result, "deltas": outcome.deltas, "fees": outcome.fees}
