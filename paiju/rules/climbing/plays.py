"""Lists of plays, and how plays are written as numbers.

A play is listed once per multiset of ranks, with the lowest suits of the hand. A lead can
have thousands of them (wings multiply), most callers want one or a few: so what is kept is
the packed counts of plays without wings and, for each body with wings, the tuple of its
wings; cards are picked when an item is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import overload

PASS = 0
PLAY = 16
"""An action is `cards << 8 | PLAY + kind`, kind 0: the default reading, else 1 + its place."""
LOWEST_PLAY = 1 << 8
"""All actions from there up are plays, all below are verbs."""


class Plays(Sequence[int]):
    """The legal actions of a hand, in canonical order: pass first where it is legal."""

    __slots__ = ("_hand", "_length", "_more", "_passes", "_pick", "_plain", "_winged")

    def __init__(
        self,
        pick: Callable[[int, int], int],
        hand: int,
        passes: int,
        plain: tuple[int, ...],
        winged: Sequence[tuple[int, tuple[int, ...]]] = (),
        more: tuple[int, ...] = (),
    ) -> None:
        self._pick = pick
        self._hand = hand
        self._passes = passes  # 1: pass is legal
        self._plain = plain
        self._winged = winged
        self._more = more  # actions that name another reading
        self._length = passes + len(plain)
        if winged or more:
            self._length += len(more) + sum([len(wings) for _, wings in winged])

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, index: int) -> int: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...

    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        try:
            counts = self._plain[index - self._passes]  # type: ignore[operator]
            if index >= self._passes:  # type: ignore[operator]
                return self._pick(self._hand, counts) << 8 | PLAY
        except (IndexError, TypeError):
            pass
        return self._item(index)

    def _item(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(index)
        index %= self._length
        if index < self._passes:
            return PASS
        index -= self._passes + len(self._plain)
        if index < 0:
            return self._pick(self._hand, self._plain[index]) << 8 | PLAY
        for body, wings in self._winged:
            if index < len(wings):
                return self._pick(self._hand, body + wings[index]) << 8 | PLAY
            index -= len(wings)
        return self._more[index]

    def counts(self) -> Iterator[int]:
        """Packed counts of every play, each once."""
        yield from self._plain
        for body, wings in self._winged:
            for wing in wings:
                yield body + wing

    def __iter__(self) -> Iterator[int]:
        if self._passes:
            yield PASS
        hand, pick = self._hand, self._pick
        for counts in self.counts():
            yield pick(hand, counts) << 8 | PLAY
        yield from self._more
