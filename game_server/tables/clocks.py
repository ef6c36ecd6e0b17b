"""Turn clocks of one hand: which seats are on the clock, until when, with what reserve.

Pure: `now` is a monotonic time in milliseconds that the caller passes in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True)
class _Running:
    key: str
    begun: int
    turn_ms: int


class Clocks:
    """One clock per seat that may act. A turn first uses its own time, then the reserve."""

    def __init__(self, *, seats: int, reserve_ms: int) -> None:
        self._reserve = [reserve_ms] * seats + [0]  # the last is chance's (-1): it has none
        self._running: dict[int, _Running] = {}

    def set(self, turns: Iterable[tuple[int, str, int]], *, acted: int | None, now: int) -> None:
        """The seats on the clock from now on, as (seat, key, turn_ms).

        acted: the seat that has just acted; its clock stops and, if it is to act again,
        starts anew. Clocks of other seats that stay on the clock run on.
        """
        wanted = {seat: (key, turn_ms) for seat, key, turn_ms in turns}
        for seat in list(self._running):
            if seat == acted or seat not in wanted or wanted[seat][0] != self._running[seat].key:
                self._stop(seat, now)
        for seat, (key, turn_ms) in wanted.items():
            if seat not in self._running:
                self._running[seat] = _Running(key, now, turn_ms)

    def _stop(self, seat: int, now: int) -> None:
        running = self._running.pop(seat)
        used = max(0, now - running.begun - running.turn_ms)
        self._reserve[seat] = max(0, self._reserve[seat] - used)

    def stop_all(self, now: int) -> None:
        for seat in list(self._running):
            self._stop(seat, now)

    def due(self, seat: int) -> int | None:
        """When the seat's time is over, reserve included; None when it is not on the clock."""
        running = self._running.get(seat)
        if running is None:
            return None
        return running.begun + running.turn_ms + self._reserve[seat]

    def begun(self, seat: int) -> int | None:
        """When the seat's present turn began."""
        running = self._running.get(seat)
        return None if running is None else running.begun

    def running(self) -> Sequence[int]:
        return list(self._running)

    def shift(self, by_ms: int) -> None:
        """Push all clocks back: time in which nobody could act is charged to nobody."""
        for running in self._running.values():
            running.begun += by_ms

    def dump(self, now: int) -> dict[str, list[Any]]:
        """What is left, for the journal: `running` as [seat, key, turn ms], `reserve` per seat."""
        running = [[seat, key, left] for seat, key, left, _ in self.shown(now)]
        reserve = list(self._reserve)
        for seat, _, _, left in self.shown(now):
            reserve[seat] = left
        return {"running": running, "reserve": reserve}

    def restore(self, dumped: Mapping[str, Sequence[Any]], *, now: int) -> None:
        """Go on with exactly what was left when it was dumped."""
        self._reserve = list(dumped["reserve"])
        self._running = {
            seat: _Running(key, begun=now, turn_ms=left) for seat, key, left in dumped["running"]
        }

    def shown(self, now: int) -> list[tuple[int, str, int, int]]:
        """(seat, key, remaining ms of the turn, remaining ms of the reserve) per running clock."""
        out = []
        for seat, running in self._running.items():
            left = running.begun + running.turn_ms - now
            reserve = self._reserve[seat] + min(0, left)
            out.append((seat, running.key, max(0, left), max(0, reserve)))
        return out
