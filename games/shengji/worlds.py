"""Other worlds that a viewer cannot tell from this one (bots, and the test for leaks).

A viewer knows what some slots of the pack hold (`story`): its own, and all that was shown.
Another world gives the other slots their cards in another order, and lets the last burier
have buried other cards. Drawn is within what is easily stated (who has shown to be out of a
suit, who paid its highest cards); whether the log runs in the new world and shows the viewer
the same is found out by running it. Where drawing fails too often, the real world is changed
by one exchange at a time.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from games.shengji.actions import BURY, Move, with_cards
from games.shengji.story import BOTTOM, EVERY, GONE, Story
from paiju.rules.api import CHANCE, IllegalAction, Rng
from paiju.rules.tricks.packs import UNITS, set_of

if TYPE_CHECKING:
    from games.shengji.state import State

S = TypeVar("S", bound="State")

_DRAWS = 10
_SWAPS = 40
_ENOUGH = 8
"""So many exchanges that hold make a world of its own."""


def resample(state: S, seat: int, rng: Rng) -> S:
    """Another world for the seat (or a spectator); an equal one when there is no other."""
    if state.result is not None or not state.log():
        return state.clone()
    story = Story(state, seat)
    if len(story.hidden) + len(story.loose) < 2:
        return state.clone()
    for _ in range(_DRAWS):
        guess = _drawn(state, story, rng)
        world = None if guess is None else _world(state, story, guess)
        if world is not None:
            return world
    return _exchanged(state, story, rng)


class _Guess:
    """A world: what the slots hold, and which of them the last burier buried."""

    def __init__(self, pack: list[int], under: list[int]) -> None:
        self.pack = pack
        self.under = under


def _real(story: Story) -> _Guess:
    return _Guess(list(story.pack), list(story.buries[-1][1]) if story.buries else [])


def _world(state: S, story: Story, guess: _Guess) -> S | None:
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


def _drawn(state: State, story: Story, rng: Rng) -> _Guess | None:
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
    kinds = Counter(fits[s] for s in slots)
    room = {c: sum(n for may_be, n in kinds.items() if may_be >> c & 1) for c in set(cards)}
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


def _bury_anew(state: State, story: Story, guess: _Guess, place: list[int], rng: Rng) -> None:
    """Any of the cards that the viewer cannot place with the burier may lie under; those of
    suits that the burier has shown not to have must."""
    region = [s for s, p in enumerate(place) if p in (story.burier, BOTTOM) and s not in story.seen]
    may = _may_hold(state)[story.burier]
    mixed = [region[i] for i in rng.permutation(len(region))]
    mixed.sort(key=lambda s: s not in story.loose or bool(may >> guess.pack[s] & 1))
    guess.under = mixed[: len(guess.under)]
    for slot in mixed:
        place[slot] = story.burier
    for slot in guess.under:
        place[slot] = BOTTOM


def _may_hold(state: State) -> list[int]:
    """Per place the cards that it may hold: no suit that a seat has shown not to have."""
    may = [EVERY] * GONE
    ranking = state.ranking
    if ranking is not None:
        for seat, voids in enumerate(state.voids):
            if voids:
                held = [c for c in range(len(UNITS)) if not voids >> ranking.suit_of[c] & 1]
                may[seat] = sum(1 << card for card in held)
    return may


# ---- exchanging --------------------------------------------------------------------------------


def _exchanged(state: S, story: Story, rng: Rng) -> S:
    """The real world after random exchanges, each of which holds."""
    guess = _real(story)
    best: S | None = None
    found = 0
    for _ in range(_SWAPS):
        trial = _Guess(list(guess.pack), list(guess.under))
        if len(story.hidden) < 2 or (story.movable and not rng.below(3)):
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


def _exchange_under(story: Story, guess: _Guess, rng: Rng) -> None:
    """One card of the bottom for one of the burier's."""
    kept = [
        s
        for s, p in enumerate(story.place)
        if p in (story.burier, BOTTOM) and s not in story.seen and s not in guess.under
    ]
    if kept and guess.under:
        guess.under[rng.below(len(guess.under))] = kept[rng.below(len(kept))]
