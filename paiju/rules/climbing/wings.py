"""Plays with wings: not listed but counted, and made when asked for.

All are packed counts (`packed`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import overload

from paiju.rules.climbing.packed import held

_CACHED = 1 << 13


@lru_cache(_CACHED)
def choose(rest: int, number: int, step: int) -> tuple[int, ...]:
    """All ways to take `number` groups of `step` equal cards from `rest`."""
    if number == 0:
        return (0,)
    if rest == 0:
        return ()
    shift = (rest & -rest).bit_length() - 1 & 60
    here = rest >> shift & 15
    rest ^= here << shift
    out: list[int] = []
    for groups in range(min(number, here // step) + 1):
        taken = groups * step << shift
        out += [taken + more for more in choose(rest, number - groups, step)]
    return tuple(out)


class Chosen(Sequence[int]):
    """`choose`, done when an item is asked for: two groups, the usual number, are counted."""

    __slots__ = ("_number", "_rest", "_step")

    def __init__(self, rest: int, number: int, step: int) -> None:
        self._rest = rest
        self._number = number
        self._step = step

    def __len__(self) -> int:
        if self._number != 2:
            return len(choose(self._rest, self._number, self._step))
        once, twice, _, four = held(self._rest)
        if self._step == 2:
            once, twice = twice, four
        ranks = once.bit_count()
        return ranks * (ranks - 1) // 2 + twice.bit_count()

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        return choose(self._rest, self._number, self._step)[index]

    def __iter__(self) -> Iterator[int]:
        return iter(choose(self._rest, self._number, self._step))


class Carried(Sequence[int]):
    """One body with each of its wings, packed."""

    __slots__ = ("_body", "_wings")

    def __init__(self, body: int, wings: Sequence[int]) -> None:
        self._body = body
        self._wings = wings

    def __len__(self) -> int:
        return len(self._wings)

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self._body + wing for wing in self._wings[index]]
        return self._body + self._wings[index]

    def __iter__(self) -> Iterator[int]:
        body = self._body
        for wing in self._wings:
            yield body + wing


class Grid(Sequence[int]):
    """Each of some bodies with each of some wings of another rank, packed.

    bodies: one card of each rank, by rising rank; wings: spaced mask of ranks, all those of
    the bodies are among them; copies, carried: cards of a body and of a wing.
    """

    __slots__ = ("_bodies", "_carried", "_copies", "_row", "_wings")

    def __init__(self, bodies: tuple[int, ...], copies: int, wings: int, carried: int) -> None:
        self._bodies = bodies
        self._copies = copies
        self._wings = wings
        self._carried = carried
        self._row = wings.bit_count() - 1

    def __len__(self) -> int:
        return len(self._bodies) * self._row

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return list(self)[index]
        row, column = divmod(index, self._row)
        body = self._bodies[row]
        wings = self._wings ^ body
        for _ in range(column):
            wings &= wings - 1
        return body * self._copies + (wings & -wings) * self._carried

    def __iter__(self) -> Iterator[int]:
        for body in self._bodies:
            wings = self._wings ^ body
            while wings:
                low = wings & -wings
                wings ^= low
                yield body * self._copies + low * self._carried
