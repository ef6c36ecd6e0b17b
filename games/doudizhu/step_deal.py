"""A deal in steps, for games in which hands may be shown before all cards are dealt.

Chance draws step 0 (who is first if nothing else decides it), steps 1..17 (a card for each
seat) and step 18 (the bottom cards, in order). What is not dealt yet does not exist yet, so
nothing can leak of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from games.doudizhu.landlord import LandlordState
from paiju.rules.api import CHANCE, Deadline, Event, IllegalAction, Rng
from paiju.rules.climbing import ClimbingGame, Deal, Move

STEPS = 17
BOTTOM_STEP = STEPS + 1
_SEATS = 3


class StepDeal(LandlordState):
    """step: steps dealt, -1 before the first; bottoms: the bottom cards in order."""

    _SAVED: ClassVar[tuple[str, ...]] = (*LandlordState._SAVED, "step", "bottoms")
    __slots__ = ("bottoms", "step")

    bottoms: list[int]

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.step = -1
        self.bottoms = []

    # ---- what a rule set adds --------------------------------------------------------------

    def _is_open(self, seat: int) -> bool:
        """Whether all see the seat's hand."""
        raise NotImplementedError

    def _has_seen(self, seat: int, number: int) -> bool:
        """Whether the seat alone knows that bottom card."""
        raise NotImplementedError

    # ---- the deal --------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        step = self.step + 1
        if step == 0:
            return rng.below(_SEATS), (0,) * _SEATS, 0, 0
        left = self.deck.places(self.deck.full - sum(self.hands))
        piles = []
        for _ in range(_SEATS):
            card = left.pop(rng.below(len(left)))
            piles.append(self.deck.of([card]))
        return step, tuple(piles), 0, 0

    def _check_deal(self, deal: Deal) -> None:
        number, piles, bottom, mark = deal
        step = self.step + 1
        if bottom or mark or len(piles) != _SEATS:
            raise IllegalAction("bad_deal")
        if step == 0:
            if any(piles) or not 0 <= number < _SEATS:
                raise IllegalAction("bad_deal")
            return
        union = 0
        for pile in piles:
            union |= pile
        if number != step or any(pile.bit_count() != 1 for pile in piles):
            raise IllegalAction("bad_deal")
        if union.bit_count() != _SEATS or union & sum(self.hands):
            raise IllegalAction("bad_deal")

    def _deal(self, deal: Deal) -> list[Event]:
        number, piles, _, _ = deal
        self.step += 1
        if self.step == 0:
            self.first = number
            return []
        if self.step == BOTTOM_STEP:
            self.bottoms, self.bottom = list(piles), sum(piles)
            self._dealt()
            return [Event("dealt", {})]
        return [event for seat, pile in enumerate(piles) for event in self._given(seat, pile)]

    def _given(self, seat: int, pile: int) -> list[Event]:
        """The card of one seat, which all see once it has shown its hand."""
        self.hands[seat] += pile
        self.counts[seat] = self.deck.counts(self.hands[seat])
        data = {"seat": seat, "cards": self.deck.names(pile)}
        return [Event("deal", data) if self._is_open(seat) else Event("deal", data, (seat,), None)]

    def to_act(self) -> tuple[int, ...]:
        return (CHANCE,) if self.stage == "deal" else super().to_act()

    def deadlines(self) -> tuple[Deadline, ...]:
        """The deal waits, that players may show; the bottom cards come at once."""
        if self.stage != "deal":
            return super().deadlines()
        if 0 <= self.step < STEPS:
            return (Deadline(CHANCE, "deal" if self.step else "start"),)
        return ()

    # ---- other worlds ----------------------------------------------------------------------

    def resample(self, seat: int, rng: Rng) -> Self:
        """Every card that the seat does not know changes its name for another such card."""
        world = self.clone()
        if self.result is not None:
            return world
        sure = self.played_cards() | sum(self.known_to(seat).hands)
        for number, card in enumerate(self.bottoms):
            if self._has_seen(seat, number):
                sure |= card
        if self.bottom_is_open():
            sure |= self.bottom
        hidden = self.deck.places(self.deck.full & ~sure)
        order = rng.permutation(len(hidden))
        renamed = {1 << card: 1 << hidden[place] for card, place in zip(hidden, order, strict=True)}
        world._rename(renamed)
        return world

    def played_cards(self) -> int:
        """All cards that have been played."""
        cards = 0
        for _, action in self._log:
            if isinstance(action, int):
                cards |= action >> 8
        return cards

    def _rename(self, renamed: Mapping[int, int]) -> None:
        def new(cards: int) -> int:
            return sum(renamed.get(1 << place, 1 << place) for place in self.deck.places(cards))

        self.hands = [new(hand) for hand in self.hands]
        self.counts = [self.deck.counts(hand) for hand in self.hands]
        self.bottoms = [new(card) for card in self.bottoms]
        self.bottom = sum(self.bottoms)
        for index, (seat, action) in enumerate(self._log):
            if isinstance(action, tuple):
                piles = tuple(new(pile) for pile in action[1])
                self._log[index] = (seat, (action[0], piles, 0, 0))
        self._forget_packed()
