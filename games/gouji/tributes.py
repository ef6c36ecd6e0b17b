"""What the next hand owes for this one, and which cards may pay it (section 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from games.gouji import deck
from games.gouji.seats import opposite


class Debt(NamedTuple):
    """`cards` cards from `payer` to `receiver`; returned: as many go back."""

    kind: str
    """smother, burn, point or fall."""
    payer: int
    receiver: int
    cards: int
    returned: bool

    def shown(self) -> dict[str, Any]:
        """As views, golden cases and `carry` name it."""
        return {
            "kind": self.kind,
            "from": self.payer,
            "to": self.receiver,
            "count": self.cards,
            "ret": self.returned,
        }

    @classmethod
    def of(cls, shown: Mapping[str, Any]) -> Debt:
        """Inverse of shown()."""
        return cls(shown["kind"], shown["from"], shown["to"], shown["count"], bool(shown["ret"]))


def plan(
    *,
    places: Sequence[int],
    announced: Sequence[bool],
    opened: Sequence[bool],
    burned: Sequence[Sequence[int]],
    smothered: Sequence[Sequence[int]],
    order: Sequence[str],
) -> list[Debt]:
    """All debts in the order in which they are paid.

    places: seats from first to last. burned: (victim, burner). smothered: (beaten, beater).
    order: the kinds as the rule set pays them. Three of one federation in front: no debts.
    """
    if len({seat % 2 for seat in places[:3]}) == 1:
        return []
    by_kind = {
        "smother": [Debt("smother", loser, winner, 1, False) for loser, winner in smothered],
        "burn": [Debt("burn", victim, burner, 1, False) for victim, burner in burned],
        "point": [
            Debt("point", seat, opposite(seat), count, False)
            for first in range(3)
            for seat in (first, opposite(first))
            if (count := _points(seat, announced, opened))
        ],
        "fall": [
            Debt("fall", places[5], places[0], 2, True),
            Debt("fall", places[4], places[1], 1, True),
        ],
    }
    return [debt for kind in order for debt in by_kind[kind]]


def _points(seat: int, announced: Sequence[bool], opened: Sequence[bool]) -> int:
    """What a seat owes its opposite for announcing and opening."""
    other = opposite(seat)
    opens, other_opens = opened[seat], opened[other]
    if announced[seat] and announced[other]:
        return 2 if opens == other_opens else 0 if opens else 4
    if not announced[seat] and not announced[other]:
        return 0 if opens else 1
    if announced[seat]:
        if opens:
            return 2 if other_opens else 0
        return 3 if other_opens else 1
    if opens:
        return 0
    return 3 if other_opens else 2


def _top_counts(counts: int, n: int) -> int:
    """Packed counts of the n highest of these."""
    taken = 0
    for one in reversed(deck.ONE):
        copies = min(n, counts // one & 0xFFF)
        taken += copies * one
        n -= copies
    return taken


def pays(own: int, count: int, given: int) -> bool:
    """Whether these are the highest ranks of `own`; which of equal ranks is free."""
    return deck.covers(own, given) and deck.counts_of(given) == _top_counts(
        deck.counts_of(own), count
    )


def usual_payment(own: int, count: int) -> int:
    """The highest, of equal ranks s before h, c, d."""
    return deck.highest(own, count)


def usual_return(hand: int, count: int, *, bie_san: bool) -> int:
    """The lowest; where 3s are played last they are also returned last."""
    cards = deck.cards_of(hand)
    if bie_san:
        cards.sort(key=lambda card: (card < 4, card))
    return deck.set_of(cards[:count])
