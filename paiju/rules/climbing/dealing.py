"""Nature's part of a hand: the deal, and other worlds that a viewer cannot tell from it."""

from __future__ import annotations

from typing import Self

from paiju.rules.api import CHANCE, IllegalAction, Rng
from paiju.rules.climbing.decks import dealt
from paiju.rules.climbing.hand import Deal, HandData, Move
from paiju.rules.climbing.worlds import Cards, Known, elsewhere
from paiju.rules.compiled import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
class Dealing(HandData):
    """A deal of all cards at once; a rule set that deals otherwise says so itself."""

    __slots__ = ()

    def _check_deal(self, deal: Deal) -> None:
        first, hands, bottom, _ = deal
        deck = self.deck
        sizes = [deck.length(hand) for hand in hands]
        whole = sum(hands) + bottom
        if sizes != [*self.deal_sizes] or whole != deck.full:
            raise IllegalAction("bad_deal")
        if sum(sizes) + deck.length(bottom) != deck.size:
            raise IllegalAction("bad_deal")
        if first != self.carry.get("first", first) or not 0 <= first < len(self.hands):
            raise IllegalAction("bad_deal")

    def sample_chance(self, rng: Rng) -> Move:
        """Cards first, then the first seat where no hand went before."""
        hands, bottom = self._shuffled(rng)
        first = self.carry.get("first")
        return rng.below(len(self.hands)) if first is None else first, hands, bottom, 0

    def _shuffled(self, rng: Rng) -> tuple[tuple[int, ...], int]:
        """Hands and bottom."""
        order = rng.permutation(self.deck.size)
        *hands, bottom = dealt(self.deck, order, self.deal_sizes)
        return tuple(hands), bottom

    def known_to(self, viewer: int) -> Known:
        """What the viewer knows of where the cards are; all that `view` shows must be in it."""
        bottom = self.bottom if self.bottom_is_open() else None
        hands = [0] * len(self.hands)
        if bottom is not None and self.landlord is not None:
            hands[self.landlord] = self._left_of(bottom, self.landlord)
        if 0 <= viewer < len(self.hands):
            hands[viewer] = self.hands[viewer]
        return Known(tuple(hands), bottom)

    def bottom_is_open(self) -> bool:
        """Whether everybody knows the bottom cards."""
        return self.landlord is not None and self.stage in ("play", "end")

    def _left_of(self, cards: int, seat: int) -> int:
        """What of these cards the seat must still hold, having begun with them."""
        had = self._cards().dealt[seat] + (self.bottom if seat == self.landlord else 0)
        played = had - self.hands[seat]
        return self.deck.lacking(played, cards)

    def _cards(self) -> Cards:
        """Where the cards are, with the deal of the log."""
        deal = self._log[0][1]
        assert isinstance(deal, tuple)
        return Cards(deal[1], deal[2], self._bottom_holder(), tuple(self.hands), self.mark)

    def _bottom_holder(self) -> int | None:
        """The seat whose hand the bottom cards have joined."""
        return self.landlord if self.stage in ("play", "end") else None

    def resample(self, seat: int, rng: Rng) -> Self:
        """The cards that the seat cannot see are dealt anew among the places it cannot see."""
        world = self.clone()
        if self.result is not None or not self._log:
            return world
        cards = elsewhere(self.deck, self._cards(), self.known_to(seat), rng)
        world._put(cards)
        return world

    def _put(self, cards: Cards) -> None:
        """Have the cards there, in the log, too."""
        first = self._log[0][1]
        assert isinstance(first, tuple)
        self.hands = list(cards.hands)
        self.counts = [self.deck.counts(hand) for hand in cards.hands]
        self.bottom = cards.bottom
        self._log[0] = (CHANCE, (first[0], cards.dealt, cards.bottom, first[3]))
        self._forget_packed()
