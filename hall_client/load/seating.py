"""How many players go into which room, so that every table fills up.

What a room's seats do not divide is moved into rooms with other numbers of seats: 2,000 at
tables of three are 665 of them and one of five.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A room of the mix. seats: of one of its tables. weight: its part of the players."""

    room: str
    seats: int
    weight: int = 1


def allot(players: int, mix: Sequence[Place], fillers: Sequence[Place] = ()) -> dict[str, int]:
    """Room -> players, a multiple of its seats wherever that is possible.

    fillers: rooms that may take what is left, though nobody asked for them. What cannot be
    placed even so goes into the first room and waits there for company.
    """
    total = sum(place.weight for place in mix)
    taken = {
        place.room: players * place.weight // total // place.seats * place.seats for place in mix
    }
    seats = {place.room: place.seats for place in (*fillers, *mix)}
    left = players - sum(taken.values())
    _fill(taken, seats, left, first=mix[0].room)
    return {room: number for room, number in taken.items() if number}


def _fill(taken: dict[str, int], seats: Mapping[str, int], left: int, *, first: str) -> None:
    """Place what is left as whole tables; up to some tables of the mix are opened again."""
    rooms = sorted(seats, key=lambda room: (room != first, room not in taken, seats[room]))
    for reopened in range(1 + min(4, taken[first] // seats[first])):
        tables = _tables(left + reopened * seats[first], [seats[room] for room in rooms])
        if tables is not None:
            taken[first] -= reopened * seats[first]
            for room, number in zip(rooms, tables, strict=True):
                if number:
                    taken[room] = taken.get(room, 0) + number * seats[room]
            return
    taken[first] += left


def _tables(players: int, sizes: Sequence[int]) -> list[int] | None:
    """Numbers of tables of these sizes that seat exactly so many; as many of the first ones as
    can be. None when there are none."""
    if not sizes:
        return [] if players == 0 else None
    for number in range(players // sizes[0], -1, -1):
        rest = _tables(players - number * sizes[0], sizes[1:])
        if rest is not None:
            return [number, *rest]
    return None
