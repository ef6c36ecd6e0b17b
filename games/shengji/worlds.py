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

from collections.abc import Sequence
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
from paiju.rules.api import CHANCE, IllegalAction, Rng
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks.packs import UNITS, cards_of, copies_of, set_of, types_of

if TYPE_CHECKING:
    from games.shengji.state import State

S = TypeVar("S", bound="State")

_BOTTOM, _STOCK, _GONE = SEATS, SEATS + 1, SEATS + 2
"""Places beside the hands 0..3."""
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
        self.place = [_STOCK] * len(pack)
        self.seen: set[int] = set()
        self.loose: set[int] = set()
        self.buries: list[tuple[int, list[int]]] = []
        self.top_heights: dict[int, tuple[bool, int]] = {}
        """Payer of a tribute -> height of the lowest card it paid."""
        self._run(state)
        self.burier = state.burier
        self.movable = (
            bool(state.bottom)
            and bool(self.buries)
            and not state.bottom_open
            and viewer != state.burier
        )
        if not self.movable:
            self.loose.clear()
        self.loose = {s for s in self.loose if self.place[s] in (self.burier, _BOTTOM)}
        self.hidden = [
            slot
            for slot, place in enumerate(self.place)
            if place != _GONE and slot not in self.seen and slot not in self.loose
        ]

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
        elif verb in (TRIBUTE, RETURN_TRIBUTE):
            cards = action >> 8
            taker = next(
                s
                for s in range(SEATS)
                if again.hands[s] > hands[s] or _grew(hands[s], again.hands[s])
            )
            slots = self.find(cards, seat)
            self.seen.update(slots)
            self._take(slots, taker)
            if verb == TRIBUTE:
                assert again.ranking is not None
                ranking = again.ranking
                self.top_heights[seat] = min(
                    (ranking.suit_of[c] == 4, ranking.rung_of[c]) for c in types_of(cards)
                )
        elif verb == SWAP_JOKER:
            jokers = action >> 8
            picked = self.find(again.hands[seat] - (hands[seat] - jokers), _BOTTOM)
            self._take(self.find(jokers, seat), _BOTTOM)
            self._take(picked, seat)
        elif verb in (PLAY, THROW):
            slots = self.find(hands[seat] - again.hands[seat], seat)
            self.seen.update(slots)
            self._take(slots, _GONE)

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
        out = []
        for card in cards_of(cards):
            here = [
                s
                for s, (p, c) in enumerate(zip(self.place, self.pack, strict=True))
                if p == place and c == card and s not in out
            ]
            out.append(min(here, key=lambda s: (s not in self.seen, s)))
        return out

    def _shown(self, again: State) -> None:
        """What all know by now: shown cards of hands, an open bottom."""
        for seat, known in enumerate(again.known):
            for card in types_of(known):
                copies = copies_of(known, card)
                slots = self.find(copies * UNITS[card], seat)
                self.seen.update(slots)
                self.loose.difference_update(slots)
        if again.bottom_open:
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


def _grew(before: int, after: int) -> bool:
    return after != before and sum(1 for _ in cards_of(after)) > sum(1 for _ in cards_of(before))


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
        _bury_anew(story, guess, place, rng)
    free = [guess.pack[s] for s in story.hidden]
    cards = [free[i] for i in rng.permutation(len(free))]
    slots = [story.hidden[i] for i in rng.permutation(len(free))]
    may = _may_hold(state, story)
    cards.sort(key=lambda card: sum(may[p] >> card & 1 for p in range(_GONE)))
    everywhere = (1 << _GONE) - 1
    for at, card in enumerate(cards):
        allowed = sum(1 << p for p in range(_GONE) if may[p] >> card & 1)
        if allowed == everywhere:
            for slot, rest in zip(slots, cards[at:], strict=True):
                guess.pack[slot] = rest
            break
        found = next((i for i, slot in enumerate(slots) if allowed >> place[slot] & 1), None)
        if found is None:
            return None
        guess.pack[slots.pop(found)] = card
    held = [(place[s], guess.pack[s]) for s in story.loose]
    return guess if all(may[p] >> card & 1 for p, card in held) else None


def _bury_anew(story: _Story, guess: _Guess, place: list[int], rng: Rng) -> None:
    """Any of the cards that the viewer cannot place with the burier may lie under."""
    region = [
        s for s, p in enumerate(place) if p in (story.burier, _BOTTOM) and s not in story.seen
    ]
    mixed = [region[i] for i in rng.permutation(len(region))]
    guess.under = mixed[: len(guess.under)]
    for slot in mixed:
        place[slot] = story.burier
    for slot in guess.under:
        place[slot] = _BOTTOM


def _may_hold(state: State, story: _Story) -> list[int]:
    """Per place the cards that it may hold, as bits by card number."""
    every = (1 << len(UNITS)) - 1
    may = [every] * _GONE
    ranking = state.ranking
    if ranking is None:
        return may
    for seat in range(SEATS):
        bound = story.top_heights.get(seat)
        for card in range(len(UNITS)):
            suit, rung = ranking.suit_of[card], ranking.rung_of[card]
            too_high = bound is not None and (suit == 4, rung) > bound
            if too_high or state.voids[seat] >> suit & 1:
                may[seat] &= ~(1 << card)
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
