"""A finished hand as the boards that one seat saw: what the page's replay draws.

The page sends a record that it has; the game's own rules replay it. Nothing is kept, and nothing
can be learned here that the record does not hold.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.rules import record as records
from paiju.rules.api import ALL, CHANCE, SPECTATOR, Event, IllegalAction
from paiju.rules.record import Record, RecordError
from paiju.rules.registry import Registry, UnknownGame

MAX_PACKED_BYTES = 32 * 1024
MAX_RECORD_BYTES = 256 * 1024
MAX_ACTIONS = 3_000


class NoReplay(Exception):
    """Why not, as a sentence."""


def unpacked(data: bytes) -> Record:
    """The record in zlib's bytes. Raises NoReplay."""
    unzip = zlib.decompressobj()
    try:
        text = unzip.decompress(data, MAX_RECORD_BYTES)
        if unzip.unconsumed_tail:
            raise NoReplay("the record is too large")
        return records.decode(text)
    except (zlib.error, RecordError) as error:
        raise NoReplay(f"not a record: {error}") from None


class Replays:
    """at_once: how many may be worked out side by side; the others wait."""

    def __init__(self, registry: Registry, *, at_once: int = 1) -> None:
        self._registry = registry
        self._slots = asyncio.Semaphore(at_once)

    async def give(self, data: bytes, seat: int, names: Sequence[str] = ()) -> dict[str, Any]:
        """See `frames`. Raises NoReplay."""
        async with self._slots:
            return await asyncio.to_thread(self._work_out, data, seat, names)

    def _work_out(self, data: bytes, seat: int, names: Sequence[str]) -> dict[str, Any]:
        try:
            return frames(unpacked(data), self._registry, seat=seat, names=names)
        except UnknownGame as error:
            raise NoReplay(str(error)) from None
        except NoReplay:
            raise
        except Exception as error:
            # What a page sends is not to be trusted: a record may hold anything, and rules that
            # are shown what cannot be raise anything.
            raise NoReplay(f"not a record of this game: {type(error).__name__}") from None


def frames(
    record: Record, registry: Registry, *, seat: int, names: Sequence[str] = ()
) -> dict[str, Any]:
    """`{"view": first board, "steps": [{seat, line, cause, ms, set, del, events}, ...]}`.

    seat: whose board, SPECTATOR for what everybody saw. names: by seat; without, their numbers.
    """
    count = len(record.seats)
    if not (0 <= seat < count or seat == SPECTATOR):
        raise NoReplay("there is no such seat")
    if len(record.actions) > MAX_ACTIONS:
        raise NoReplay("the hand is too long")
    game = registry.get(record.game, record.version, record.parameters)
    state = game.new_state(count, wealth=record.wealth, carry=record.carry or None)
    frame = _frame(record, seat, names)
    before = first = {**frame, **state.view(seat)}
    steps = []
    for at, entry in enumerate(record.actions):
        try:
            events = state.apply(entry.seat, game.parse(state, entry.seat, entry.action))
        except IllegalAction as refused:
            raise NoReplay(f"action {at} is illegal: {refused.code}") from None
        last = at == len(record.actions) - 1
        now = {**frame, **(_result(record) if last else {}), **state.view(seat)}
        steps.append(
            {
                "seat": entry.seat,
                "line": entry.action if entry.seat != CHANCE else "",
                "cause": entry.cause,
                "ms": entry.ms,
                "set": {key: value for key, value in now.items() if before.get(key, ...) != value},
                "del": [key for key in before if key not in now],
                "events": [_seen(event, seat) for event in events if _is_seen(event, seat)],
            }
        )
        before = now
    return {"view": first, "steps": steps}


def _frame(record: Record, seat: int, names: Sequence[str]) -> dict[str, Any]:
    """The table's own keys, as a table sends them."""
    wealth: Sequence[int | None] = record.wealth or [None] * len(record.seats)
    told = [*names, *[""] * len(record.seats)]
    return {
        "@table": {
            "id": record.table,
            "room": "",
            "game": record.game,
            "version": record.version,
            "parameters": record.parameters,
        },
        "@you": seat,
        "@phase": "playing",
        "@hand": record.hand,
        **{
            f"@seat{n}": {"name": told[n] or f"#{n + 1}", "ready": False, "stake": wealth[n]}
            for n in range(len(record.seats))
        },
    }


def _result(record: Record) -> Mapping[str, Any]:
    outcome = record.outcome
    return {
        "@phase": "waiting",
        "@result": {"result": outcome.result, "deltas": outcome.deltas, "fees": outcome.fees},
    }


def _is_seen(event: Event, seat: int) -> bool:
    return event.to == ALL or seat in event.to or event.masked is not None


def _seen(event: Event, seat: int) -> dict[str, Any]:
    told = event.data if event.to == ALL or seat in event.to else event.masked
    return {"kind": event.kind, "data": told}
