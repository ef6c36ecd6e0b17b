"""Turns of a running hand: who is on the clock, since which number, and what is due.

Pure, owned by its table. A decision counts only if it was made on the position that the
seat's present turn began with, or on a later one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from game_server.tables.clocks import Clocks
from game_server.tables.room import RoomSpec
from game_server.tables.seat import Seat
from paiju.rules.api import CHANCE, State
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2


class Due(NamedTuple):
    """A turn whose time is over. what: "default", "abandon" (a hard deadline) or "chance"."""

    seat: int
    what: str
    cause: str


class Turns:
    """Begins anew with each hand."""

    def __init__(self, *, room: RoomSpec, seats: int) -> None:
        self._room = room
        self._clocks = Clocks(seats=seats, reserve_ms=room.reserve_ms)
        self._began_at = [0] * seats  # number with which the seat's turn began
        self._hard: frozenset[int] = frozenset()  # seats that lose when their time is over

    def set(self, state: State, *, acted: int | None, next_seq: int, now: int) -> None:
        """After a change that will have the number `next_seq`: the clocks that run now."""
        deadlines = () if state.is_terminal() else state.deadlines()
        before = set(self._clocks.running())
        self._hard = frozenset(d.seat for d in deadlines if d.hard)
        turns = [(d.seat, d.key, self._room.time_for(d.key)) for d in deadlines]
        self._clocks.set(turns, acted=acted, now=now)
        for seat in self._clocks.running():
            if seat >= 0 and (seat == acted or seat not in before):
                self._began_at[seat] = next_seq

    def check_decision(self, seat: int, decided_on: int) -> None:
        """Refused(STALE_DECISION) for a decision on a position of the past."""
        if decided_on < self._began_at[seat]:
            raise Refused("STALE_DECISION")

    def next_due(self, seats: Sequence[Seat | None]) -> int | None:
        """When the first turn is over, monotonic ms."""
        return min((self._due(seat, seats) for seat in self._clocks.running()), default=None)

    def due(self, state: State, seats: Sequence[Seat | None], now: int) -> Due | None:
        """A turn that is over at `now`, the first one in seat order."""
        for seat in sorted(self._clocks.running()):
            if self._due(seat, seats) > now:
                continue
            if seat == CHANCE:
                return Due(seat, "chance", "chance")
            hard = any(d.seat == seat and d.hard for d in state.deadlines())
            held = seats[seat]
            away = held is not None and held.away_since is not None
            return Due(seat, "abandon" if hard else "default", "trustee" if away else "timeout")
        return None

    def _due(self, seat: int, seats: Sequence[Seat | None]) -> int:
        due, begun = self._clocks.due(seat), self._clocks.begun(seat)
        assert due is not None and begun is not None
        held = seats[seat] if seat >= 0 else None
        away = held is not None and held.away_since is not None
        if away and seat not in self._hard:  # a game clock runs on, whoever is there
            assert held is not None and held.away_since is not None
            due = min(due, max(begun, held.away_since) + self._room.away_turn_ms)
        return due

    def stop(self, now: int) -> None:
        """The hand is over."""
        self._clocks.stop_all(now)

    def shift(self, by_ms: int) -> None:
        """Time in which nobody could act is charged to nobody."""
        self._clocks.shift(by_ms)

    def dump(self, now: int) -> dict[str, Any]:
        """For the journal: what is left of every clock, and since when each turn is on."""
        hard = {"hard": sorted(self._hard)} if self._hard else {}
        return {**self._clocks.dump(now), "began_at": list(self._began_at), **hard}

    def restore(self, dumped: Mapping[str, Any], *, now: int) -> None:
        """Run on with what was left: the time between is charged to nobody."""
        self._clocks.restore(dumped, now=now)
        self._began_at = list(dumped["began_at"])
        self._hard = frozenset(dumped.get("hard", ()))

    def shown(self, now: int) -> list[hall_pb2.Clock]:
        return [
            hall_pb2.Clock(seat=seat, key=key, remaining_ms=left, reserve_ms=reserve)
            for seat, key, left, reserve in self._clocks.shown(now)
        ]
