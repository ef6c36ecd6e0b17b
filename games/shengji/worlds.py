"""Other worlds that a viewer cannot tell from this one (bots, and the test for leaks).

A *slot* is a place in the shuffled pack; it keeps its identity through the whole hand, from
the deal to wherever the card lies now. A viewer knows what some slots hold: its own, and all
that was shown. Another world gives the other slots their cards in another order, and lets
the last burier have buried other cards. Drawn is within what is easily stated (who has shown
to be out of a suit, who paid its highest cards); whether the log runs in the new world and
shows the viewer the same is found out by running it. Where drawing fails too often, the real
world is changed by one exchange at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

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
    Move,
    with_cards,
)
from games.shengji.tribute import exchangeable, height, receiver
from paiju.rules.api import CHANCE, IllegalAction, Rng
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks.packs import UNITS, copies_of, set_of, types_of

if TYPE_CHECKING:
    from games.shengji.state import State

S = TypeVar("S", bound="State")

_BOTTOM, _STOCK, _GONE = SEATS, SEATS + 1, SEATS + 2
"""Places beside the hands 0..3."""
EVERY = (1 << len(UNITS)) - 1
"""All cards, as bits by card number."""
_DRAWS = 10
_SWAPS = 40
_ENOUGH = 8
"""So many exchanges that hold make a world of its own."""


def resample(state: S, seat: int, rng: Rng) -> S:
    """Another world for the seat (or a spectator); an equal one when there is no other."""
    if state.result is not None or not state.log():
        return state.clone()
    story = _Story(state, seat)
    if len(story.hidden) < 2:
        return state.clone()
    for _ in range(_DRAWS):
        guess = _drawn(state, story, rng)
        world = None if guess is None else _world(state, story, guess)
        if world is not None:
            return world
    return _exchanged(state, story, rng)


class _Story:
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
        self.place = [_STOCK] * len(pack)
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
            if place != _GONE and slot not in self.seen and slot not in self.loose
        ]

    def _under_or_held(self) -> tuple[int, int]:
        """Where the last burier's cards are."""
        return self.burier, _BOTTOM

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
            self._take([s for s, place in enumerate(self.place) if place == _BOTTOM], seat)
        elif verb == BURY:
            slots = self.find(action >> 8, seat)
            held = [s for s, place in enumerate(self.place) if place == seat]
            self.loose = {s for s in held if s in self.seen}
            self.seen -= self.loose if seat != self.viewer else set()
            self._take(slots, _BOTTOM)
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
            picked = self.find(again.hands[seat] - (hands[seat] - jokers), _BOTTOM)
            self._take(self.find(jokers, seat), _BOTTOM)
            self._take(picked, seat)
            self._limit_after_jokers(seat, jokers)
            self._limit_picked(again, picked)
        elif verb in (PLAY, THROW):
            slots = self.find(hands[seat] - again.hands[seat], seat)
            self.seen.update(slots)
            self._take(slots, _GONE)

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
            self._take(range(end, len(self.pack)), _BOTTOM)

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
            slots = [s for s, place in enumerate(self.place) if place == _BOTTOM]
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


class _Guess:
    """A world: what the slots hold, and which of them the last burier buried."""

    def __init__(self, pack: list[int], under: list[int]) -> None:
        self.pack = pack
        self.under = under


def _real(story: _Story) -> _Guess:
    return _Guess(list(story.pack), list(story.buries[-1][1]) if story.buries else [])


def _world(state: S, story: _Story, guess: _Guess) -> S | None:
    """The log run in that world; None if it does not run, or shows the viewer anything else."""
    log: list[tuple[int, Move]] = list(state.log())
    log[0] = (CHANCE, (story.first, bytes(guess.pack)))
    for number, (index, slots) in enumerate(story.buries, start=1):
        under = guess.under if number == len(story.buries) else slots
        cards = set_of(guess.pack[slot] for slot in under)
        log[index] = (log[index][0], with_cards(BURY, cards))
    world = type(state)(state.game, state.wealth, state.carry)
    try:
        for seat, action in log:
            world.apply(seat, action)
    except IllegalAction:
        return None
    return world if world.view(story.viewer) == state.view(story.viewer) else None


# ---- drawing -----------------------------------------------------------------------------------


def _drawn(state: State, story: _Story, rng: Rng) -> _Guess | None:
    """The hidden cards dealt anew among the hidden slots; None when it does not work out.

    First it is drawn what the burier buried, then which card goes where: the cards that
    fewest places may hold first, each into a free slot of one that may.
    """
    guess = _real(story)
    place = list(story.place)
    if story.movable:
        _bury_anew(state, story, guess, place, rng)
    may = _may_hold(state)
    fits = {s: may[place[s]] & story.limits.get(s, EVERY) for s in (*story.hidden, *story.loose)}
    if not all(fits[s] >> guess.pack[s] & 1 for s in story.loose):
        return None
    free = [guess.pack[s] for s in story.hidden]
    cards = [free[i] for i in rng.permutation(len(free))]
    slots = [story.hidden[i] for i in rng.permutation(len(free))]
    for slot in [s for s in slots if s in story.tight]:
        card = next((c for c in cards if fits[slot] >> c & 1), None)
        if card is None:
            return None
        guess.pack[slot] = card
        cards.remove(card)
        slots.remove(slot)
    room = {c: sum(fits[s] >> c & 1 for s in slots) for c in set(cards)}
    cards.sort(key=room.__getitem__)
    for at, card in enumerate(cards):
        if room[card] == len(cards):
            for slot, rest in zip(slots, cards[at:], strict=True):
                guess.pack[slot] = rest
            break
        found = next((i for i, slot in enumerate(slots) if fits[slot] >> card & 1), None)
        if found is None:
            return None
        guess.pack[slots.pop(found)] = card
    return guess


def _bury_anew(state: State, story: _Story, guess: _Guess, place: list[int], rng: Rng) -> None:
    """Any of the cards that the viewer cannot place with the burier may lie under; those of
    suits that the burier has shown not to have must."""
    region = [
        s for s, p in enumerate(place) if p in (story.burier, _BOTTOM) and s not in story.seen
    ]
    may = _may_hold(state)[story.burier]
    mixed = [region[i] for i in rng.permutation(len(region))]
    mixed.sort(key=lambda s: s not in story.loose or bool(may >> guess.pack[s] & 1))
    guess.under = mixed[: len(guess.under)]
    for slot in mixed:
        place[slot] = story.burier
    for slot in guess.under:
        place[slot] = _BOTTOM


def _may_hold(state: State) -> list[int]:
    """Per place the cards that it may hold: no suit that a seat has shown not to have."""
    may = [EVERY] * _GONE
    ranking = state.ranking
    if ranking is not None:
        for seat, voids in enumerate(state.voids):
            if voids:
                held = [c for c in range(len(UNITS)) if not voids >> ranking.suit_of[c] & 1]
                may[seat] = sum(1 << card for card in held)
    return may


# ---- exchanging --------------------------------------------------------------------------------


def _exchanged(state: S, story: _Story, rng: Rng) -> S:
    """The real world after random exchanges, each of which holds."""
    guess = _real(story)
    best: S | None = None
    found = 0
    for _ in range(_SWAPS):
        trial = _Guess(list(guess.pack), list(guess.under))
        if story.movable and not rng.below(3):
            _exchange_under(story, trial, rng)
        else:
            one, other = (story.hidden[rng.below(len(story.hidden))] for _ in range(2))
            trial.pack[one], trial.pack[other] = trial.pack[other], trial.pack[one]
        if (trial.pack, trial.under) == (guess.pack, guess.under):
            continue
        world = _world(state, story, trial)
        if world is not None:
            guess, best = trial, world
            found += 1
            if found == _ENOUGH:
                break
    return state.clone() if best is None else best


def _exchange_under(story: _Story, guess: _Guess, rng: Rng) -> None:
    """One card of the bottom for one of the burier's."""
    kept = [
        s
        for s, p in enumerate(story.place)
        if p in (story.burier, _BOTTOM) and s not in story.seen and s not in guess.under
    ]
    if kept and guess.under:
        guess.under[rng.below(len(guess.under))] = kept[rng.below(len(kept))]
