"""What happened to each slot of the pack, and what a viewer knows of it.

A *slot* is a place in the shuffled pack; it keeps its identity through the whole hand, from
the deal to wherever its card lies now.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from games.shengji.actions import (
    BURY,
    DEAL,
    PLAY,
    RETURN_TRIBUTE,
    SEATS,
    SWAP_JOKER,
    TAKE_BOTTOM,
    THROW,
    TRIBUTE,
)
from games.shengji.tribute import exchangeable, height, receiver
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks.packs import UNITS, copies_of, types_of

if TYPE_CHECKING:
    from games.shengji.state import State

BOTTOM, STOCK, GONE = SEATS, SEATS + 1, SEATS + 2
"""Places beside the hands 0..3."""
EVERY = (1 << len(UNITS)) - 1
"""All cards, as bits by card number."""


class Story:
    """Where every slot lies, and what the viewer knows, worked out by running the log.

    loose: slots whose cards the viewer knows to be with the burier or under, not which.
    buries: (index in the log, slots) of all buries; movable: whether the last one may have
    been another, for this viewer.
    """

    def __init__(self, state: State, viewer: int) -> None:
        self.viewer = viewer
        (_, action), *_ = state.log()
        assert isinstance(action, tuple)
        self.first, pack = action
        self.pack = list(pack)
        self._slots_of: dict[int, list[int]] = {}
        for slot, card in enumerate(pack):
            self._slots_of.setdefault(card, []).append(slot)
        self._known = [0] * SEATS  # what all knew at the last step, and the bottom then
        self._bottom = 0
        self.place = [STOCK] * len(pack)
        self.seen: set[int] = set()
        self.loose: set[int] = set()
        self.buries: list[tuple[int, list[int]]] = []
        self.limits: dict[int, int] = {}
        """Slot -> the cards that it may hold, as bits by card number."""
        self.tight: list[int] = []
        """Slots that few cards fit."""
        self._red_first = "swap_joker" in state.game.phases
        self._run(state)
        self.burier = state.burier
        self.movable = (
            bool(state.bottom)
            and bool(self.buries)
            and not state.bottom_open
            and viewer != state.burier
        )
        known = self.loose
        self.loose = set()
        if self.movable:
            self.loose = {s for s in known - self.seen if self.place[s] in self._under_or_held()}
        self.seen |= known - self.loose
        self.hidden = [
            slot
            for slot, place in enumerate(self.place)
            if place != GONE and slot not in self.seen and slot not in self.loose
        ]

    def _under_or_held(self) -> tuple[int, int]:
        """Where the last burier's cards are."""
        return self.burier, BOTTOM

    def _run(self, state: State) -> None:
        again = state.game.new_state(SEATS, wealth=state.wealth, carry=state.carry or None)
        for index, (seat, action) in enumerate(state.log()):
            hands, bottom = list(again.hands), again.bottom
            turned = len(again.turned)
            again.apply(seat, action)
            if not isinstance(action, tuple):
                self._move(again, index, seat, action, hands, bottom)
            if len(again.turned) > turned:
                self._turned(again)
            self._shown(again)

    def _move(
        self, again: State, index: int, seat: int, action: int, hands: list[int], bottom: int
    ) -> None:
        verb = action & 15
        if verb == DEAL:
            self._dealt(again, action >> 8)
        elif verb == TAKE_BOTTOM:
            self._take([s for s, place in enumerate(self.place) if place == BOTTOM], seat)
        elif verb == BURY:
            slots = self.find(action >> 8, seat)
            held = [s for s, place in enumerate(self.place) if place == seat]
            self.loose = {s for s in held if s in self.seen}
            self.seen -= self.loose if seat != self.viewer else set()
            self._take(slots, BOTTOM)
            self.buries.append((index, slots))
            self._limit_after_jokers(seat, action >> 8)
        elif verb in (TRIBUTE, RETURN_TRIBUTE):
            slots = self.find(action >> 8, seat)
            taker = again.payer if verb == RETURN_TRIBUTE else receiver(again)
            self.seen.update(slots)
            self._take(slots, taker)
            if verb == TRIBUTE:
                self._limit_after_tribute(again, seat, action >> 8)
        elif verb == SWAP_JOKER:
            jokers = action >> 8
            picked = self.find(again.hands[seat] - (hands[seat] - jokers), BOTTOM)
            self._take(self.find(jokers, seat), BOTTOM)
            self._take(picked, seat)
            self._limit_after_jokers(seat, jokers)
            self._limit_picked(again, picked)
        elif verb in (PLAY, THROW):
            slots = self.find(hands[seat] - again.hands[seat], seat)
            self.seen.update(slots)
            self._take(slots, GONE)

    def _limit_after_tribute(self, again: State, seat: int, paid: int) -> None:
        """What is kept is not higher than anything that was paid."""
        ranking = again.ranking
        assert ranking is not None
        bound = min(height(ranking, card) for card in types_of(paid))
        self._limit(seat, lambda card: height(ranking, card) <= bound)

    def _limit_after_jokers(self, seat: int, away: int) -> None:
        """Who puts a black joker under has no red one left."""
        if copies_of(away, BJ) and self._red_first:
            self._limit(seat, lambda card: card != RJ)

    def _limit_picked(self, again: State, picked: list[int]) -> None:
        """Cards taken out for jokers come before all that stay."""
        ranking = again.ranking
        assert ranking is not None
        stay = exchangeable(ranking, again.bottom)[:1]
        last = ranking.place[stay[0]] if stay else len(UNITS)
        fits = [
            c for c in range(BJ) if exchangeable(ranking, UNITS[c]) and ranking.place[c] <= last
        ]
        self.tight += picked
        for slot in picked:
            self.limits[slot] = sum(1 << card for card in fits)

    def _limit(self, seat: int, fits: Callable[[int], bool]) -> None:
        """All cards that the seat holds now fit."""
        mask = sum(1 << card for card in range(len(UNITS)) if fits(card))
        for slot, place in enumerate(self.place):
            if place == seat:
                self.limits[slot] = self.limits.get(slot, EVERY) & mask

    def _take(self, slots: Sequence[int], place: int) -> None:
        for slot in slots:
            self.place[slot] = place
            if place == self.viewer:
                self.seen.add(slot)

    def _dealt(self, again: State, rounds: int) -> None:
        end = again.dealt
        for slot in range(end - SEATS * rounds, end):
            self._take([slot], (self.first + slot) % SEATS)
        if not again.undealt():
            self._take(range(end, len(self.pack)), BOTTOM)

    def find(self, cards: int, place: int) -> list[int]:
        """Slots in a place that hold these cards, such as the viewer knows first."""
        out: list[int] = []
        for card in types_of(cards):
            here = [s for s in self._slots_of[card] if self.place[s] == place]
            here.sort(key=lambda s: s not in self.seen)
            out += here[: copies_of(cards, card)]
        return out

    def _shown(self, again: State) -> None:
        """What all know by now: shown cards of hands, an open bottom."""
        for seat, known in enumerate(again.known):
            if known == self._known[seat]:
                continue
            self._known[seat] = known
            for card in types_of(known):
                copies = copies_of(known, card)
                slots = self.find(copies * UNITS[card], seat)
                self.seen.update(slots)
                self.loose.difference_update(slots)
        if again.bottom_open and again.bottom != self._bottom:
            self._bottom = again.bottom
            slots = [s for s, place in enumerate(self.place) if place == BOTTOM]
            self.seen.update(slots)
            self.loose.difference_update(slots)

    def _turned(self, again: State) -> None:
        """Cards turned up beside claims: the claimer's, or of the bottom."""
        own = range((again.claimer - self.first) % SEATS, again.dealt, SEATS)
        if again.claim and len(self.buries) == 0 and again.claim == UNITS[RJ]:
            held = [s for s in own if self.pack[s] == RJ]
            after = [s for s in own if s > held[0] and self.pack[s] < BJ]
            if after:
                self.seen.update((held[0], after[0]))
                return
        self.seen.update(range(again.dealt, again.dealt + len(again.turned)))
