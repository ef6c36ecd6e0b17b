"""Claims of one moment: actions out of turn, for which the rules and not the network decide
who comes first.

The first one opens a moment of `wait_ms`. What arrives before it is over, also the action of
the seat whose turn it is, waits with it; then the rules' order decides. Pure, owned by its
table. Nothing of this is in the journal: a claim counts when it is applied.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from game_server.tables.hand import Hand
from game_server.tables.op import Op
from paiju.rules.api import IllegalAction
from paiju.service.refusals import Refused


class Asked(NamedTuple):
    """What a player wants to do in this moment; one thing per player."""

    seat: int
    player: int
    action: str
    op: Op


class Claimed(NamedTuple):
    """What became of it: the number it got, or why not."""

    player: int
    result: int | Refused


class Claims:
    """`due`: monotonic ms at which the moment is over; None while there is none."""

    def __init__(self, *, wait_ms: int) -> None:
        self.due: int | None = None
        self._wait_ms = wait_ms
        self._asked: list[Asked] = []

    def add(self, asked: Asked, now: int) -> None:
        """Refused(ALREADY_CLAIMED): the player has asked for something in this moment."""
        if any(other.player == asked.player for other in self._asked):
            raise Refused("ALREADY_CLAIMED")
        if self.due is None:
            self.due = now + self._wait_ms
        self._asked.append(asked)

    def take(self) -> list[Asked]:
        """All that was asked for; the moment is over."""
        asked, self._asked, self.due = self._asked, [], None
        return asked

    def shift(self, by_ms: int) -> None:
        if self.due is not None:
            self.due += by_ms


def in_order(hand: Hand, asked: Sequence[Asked]) -> list[Asked]:
    """Claims as the rules order them, then whoever's turn it is."""
    claims = [one for one in asked if hand.is_claim(one.seat, one.action)]
    others = [one for one in asked if one not in claims]
    by_seat = {one.seat: one for one in claims}
    parsed = [(one.seat, hand.game.parse(hand.state, one.seat, one.action)) for one in claims]
    try:
        ordered = [by_seat[seat] for seat, _ in hand.order_claims(parsed)]
    except IllegalAction:  # together they are not legal: in the order of arrival
        ordered = claims
    return [*ordered, *others]
