"""What may be led and followed, as one object per hand once its trumps are known.

`Tractors` are the rules of Shengji: pairs, tractors and throws. `Sticks` are those of Dagunzi:
only identical cards, without or with a duty to answer them in kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple, Protocol

from paiju.rules.tricks import contest, finder, follow
from paiju.rules.tricks.contest import Key
from paiju.rules.tricks.follow import filled, places
from paiju.rules.tricks.packs import UNITS, copies_of, pairs, size_of, triples, types_of
from paiju.rules.tricks.ranking import TRUMP, Ranking
from paiju.rules.tricks.shapes import (
    KIND_NAMES,
    PAIR,
    SINGLE,
    TRIPLE,
    Component,
    Shape,
    decompose,
    shape_of,
)


class Lead(NamedTuple):
    """What a trick began with. shape, owed: see `follow`; top: of the first component."""

    cards: int
    suit: int
    size: int
    shape: Shape
    owed: Shape
    top: int


class TrickRules(Protocol):
    """The rules of one hand; immutable."""

    ranking: Ranking

    @property
    def kind_names(self) -> Sequence[str]:
        """Of the kinds of components, as players call them."""

    def components(self, cards: int) -> tuple[Component, ...]:
        """Of a lead, in canonical order; () for what cannot be led."""

    def forced(self, cards: int, others: Iterable[int]) -> int | None:
        """What a throw that does not stand is cut down to; None: it stands."""

    def may_follow(self, lead: Lead, hand: int, cards: int) -> bool:
        """cards: from the hand, as many as the lead has."""

    def automatic(self, lead: Lead | None, hand: int) -> int:
        """What is played for an absent seat; None: it leads."""

    def key(self, lead: Lead, cards: int) -> Key | None:
        """How high a follow is; None when it does not compete."""

    def leads(self, hand: int, unseen: int) -> Iterator[int]:
        """Leads worth a thought; unseen: what others may hold."""

    def follows(self, lead: Lead, hand: int) -> Iterator[int]:
        """Legal follows worth a thought."""


def lead_of(rules: TrickRules, cards: int) -> Lead:
    """cards: of one suit, with components."""
    components = rules.components(cards)
    suit = rules.ranking.suit(cards)
    assert components and suit is not None
    shape = shape_of(components)
    return Lead(cards, suit, size_of(cards), shape, follow.duties(shape), components[0].top)


def best_of(rules: TrickRules, lead: Lead, plays: Sequence[int]) -> int:
    """Index of the play that has the trick so far; plays[0] is the lead. Equal: the earlier."""
    best, best_key = 0, (lead.suit == TRUMP, lead.top)
    for index, cards in enumerate(plays[1:], start=1):
        key = rules.key(lead, cards)
        if key is not None and key > best_key:
            best, best_key = index, key
    return best


class Tractors:
    """Shengji: any set of one suit may be led; pairs, triples and runs oblige."""

    kind_names = KIND_NAMES

    def __init__(self, ranking: Ranking) -> None:
        self.ranking = ranking

    def components(self, cards: int) -> tuple[Component, ...]:
        return decompose(self.ranking, cards)

    def forced(self, cards: int, others: Iterable[int]) -> int | None:
        return contest.forced(self.ranking, cards, others)

    def may_follow(self, lead: Lead, hand: int, cards: int) -> bool:
        return follow.is_legal(self.ranking, lead.suit, lead.owed, hand, cards)

    def automatic(self, lead: Lead | None, hand: int) -> int:
        if lead is None:
            return filled(0, hand, 1, self.ranking.place)
        return follow.automatic(self.ranking, lead.suit, lead.owed, hand, lead.size)

    def key(self, lead: Lead, cards: int) -> Key | None:
        return contest.contest_key(self.ranking, lead.suit, lead.shape, cards)

    def leads(self, hand: int, unseen: int) -> Iterator[int]:
        yield from finder.leads(self.ranking, hand)
        yield from finder.throws(self.ranking, hand, unseen)

    def follows(self, lead: Lead, hand: int) -> Iterator[int]:
        return finder.follows(self.ranking, lead.suit, lead.shape, lead.size, hand)


class Sticks:
    """Dagunzi: one, two (stick) or three (roller) identical cards; no runs, no throws.

    dead: a stick or roller that is held must be played on one. A card held in exactly two
    copies must answer a stick; a roller need not be broken for it.
    """

    kind_names = ("single", "stick", "roller")

    def __init__(self, ranking: Ranking, *, dead: bool) -> None:
        self.ranking = ranking
        self.dead = dead

    def components(self, cards: int) -> tuple[Component, ...]:
        types = list(types_of(cards))
        if len(types) != 1:
            return ()
        rung = self.ranking.rung_of[types[0]]
        kind = (SINGLE, PAIR, TRIPLE)[copies_of(cards, types[0]) - 1]
        return (Component(kind, 1, rung, rung, cards),)

    def forced(self, cards: int, others: Iterable[int]) -> int | None:
        return None

    def may_follow(self, lead: Lead, hand: int, cards: int) -> bool:
        own = hand & self.ranking.suit_masks[lead.suit]
        played = cards & self.ranking.suit_masks[lead.suit]
        if size_of(own) <= lead.size:
            return played == own
        return played == cards and self._does_duty(lead.size, own, cards)

    def _does_duty(self, size: int, own: int, cards: int) -> bool:
        if not self.dead or size == 1:
            return True
        if size == 2:
            return pairs(own) == triples(own) or bool(pairs(cards))
        if triples(own):
            return bool(triples(cards))
        return not pairs(own) or bool(pairs(cards))

    def automatic(self, lead: Lead | None, hand: int) -> int:
        order = self.ranking.place
        if lead is None:
            return filled(0, hand, 1, order)
        own = hand & self.ranking.suit_masks[lead.suit]
        if size_of(own) <= lead.size:
            return filled(own, hand, lead.size, order)
        legal = [
            cards
            for core in self._cores(own)
            if size_of(core) <= lead.size
            and self._does_duty(lead.size, own, cards := filled(core, own, lead.size, order))
        ]
        return min(legal, key=lambda cards: places(cards, own, order))

    def _cores(self, own: int) -> Iterator[int]:
        """Nothing, and every stick and roller: what a duty may ask for."""
        yield 0
        for card in types_of(pairs(own)):
            yield 2 * UNITS[card]
        for card in types_of(triples(own)):
            yield 3 * UNITS[card]

    def key(self, lead: Lead, cards: int) -> Key | None:
        return contest.contest_key(self.ranking, lead.suit, lead.shape, cards)

    def leads(self, hand: int, unseen: int) -> Iterator[int]:
        for card in types_of(hand):
            for copies in range(1, copies_of(hand, card) + 1):
                yield copies * UNITS[card]

    def follows(self, lead: Lead, hand: int) -> Iterator[int]:
        own = hand & self.ranking.suit_masks[lead.suit]
        if size_of(own) <= lead.size or lead.size == 1:
            yield from finder.follows(self.ranking, lead.suit, lead.shape, lead.size, hand)
            return
        ranking = self.ranking
        for core in self._cores(own):
            for order in (ranking.place, ranking.rich, ranking.dear):
                if size_of(core) <= lead.size:
                    cards = filled(core, own, lead.size, order)
                    if self._does_duty(lead.size, own, cards):
                        yield cards


@lru_cache(maxsize=512)
def tractors(ranking: Ranking) -> Tractors:
    return Tractors(ranking)


@lru_cache(maxsize=512)
def sticks(ranking: Ranking, dead: bool) -> Sticks:
    return Sticks(ranking, dead=dead)
