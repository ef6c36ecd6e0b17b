"""Lists of plays, and how plays are written as numbers.

A play is listed once per multiset of ranks, with the lowest suits of the hand. A lead can
have thousands of them (wings multiply), most callers want one or a few: so what is kept is
packed counts, and of plays with wings only what they are made of; cards are picked when an
item is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Final, overload

PASS: Final = 0
PLAY: Final = 16
"""An action is `cards << 8 | PLAY + kind`, kind 0: the default reading, else 1 + its place."""
LOWEST_PLAY: Final = 1 << 8
"""All actions from there up are plays, all below are verbs."""


class Plays(Sequence[int]):
    """The legal actions of a hand, in canonical order: pass first where it is legal.

    plain: packed counts of the plays, 0 stands for pass.
    """

    __slots__ = ("_hand", "_pick", "_plain")

    def __init__(self, pick: Callable[[int, int], int], hand: int, plain: tuple[int, ...]) -> None:
        self._pick = pick
        self._hand = hand
        self._plain = plain

    def __len__(self) -> int:
        return len(self._plain)

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        counts = self._plain[index]
        return self._pick(self._hand, counts) << 8 | PLAY if counts else PASS

    def counts(self) -> Iterator[int]:
        """Packed counts of every play, each once."""
        return filter(None, self._plain)

    def __iter__(self) -> Iterator[int]:
        hand, pick = self._hand, self._pick
        for counts in self._plain:
            yield pick(hand, counts) << 8 | PLAY if counts else PASS


class PlaysInParts(Plays):
    """Plays of several kinds.

    parts: packed counts, the parts behind one another, as in `Plays`; more: actions behind
    them (those that name another reading).
    """

    __slots__ = ("_length", "_more", "_parts")

    def __init__(
        self,
        pick: Callable[[int, int], int],
        hand: int,
        parts: Sequence[Sequence[int]],
        more: tuple[int, ...] = (),
    ) -> None:
        self._pick = pick
        self._hand = hand
        self._parts = parts
        self._more = more
        length = len(more)
        for part in parts:
            length += len(part)
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if index < 0:
            index += self._length
        if index >= 0:
            for part in self._parts:
                if index < len(part):
                    counts = part[index]
                    return self._pick(self._hand, counts) << 8 | PLAY if counts else PASS
                index -= len(part)
            if index < len(self._more):
                return self._more[index]
        raise IndexError("there are not so many plays")

    def counts(self) -> Iterator[int]:
        return filter(None, chain.from_iterable(self._parts))

    def __iter__(self) -> Iterator[int]:
        hand, pick = self._hand, self._pick
        for part in self._parts:
            for counts in part:
                yield pick(hand, counts) << 8 | PLAY if counts else PASS
        yield from self._more
