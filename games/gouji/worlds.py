"""Other worlds that a seat cannot tell from this one (bots, and the test for leaks).

What a seat does not know are the cards of others that nobody has seen. But who was asked
tells something: about 2s and jokers (revolution), the highest cards (tribute), threes
(buying), and what can burn a dead play. So a new deal is drawn under the bounds that are
easily stated, and kept if the log runs in it with the same seats asked. Where that fails too
often, cards are swapped in the real world one pair at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeVar

from games.gouji import deck
from games.gouji.actions import SEATS, TRIBUTE, Deal
from paiju.rules.api import IllegalAction, Rng

if TYPE_CHECKING:
    from games.gouji.state import State

S = TypeVar("S", bound="State")

_DRAWS = 24
_SWAPS = 60


def resample(state: S, seat: int, rng: Rng) -> S:
    """Another world for the seat (or a spectator); an equal one when there is no other."""
    if state.result is not None or not state.log():
        return state.clone()
    hidden = [
        0 if s == seat else hand - known
        for s, (hand, known) in enumerate(zip(state.hands, state.known, strict=True))
    ]
    for _ in range(_DRAWS):
        drawn = _drawn(hidden, _bounds(state), rng)
        if drawn is not None:
            world = _world(state, hidden, drawn)
            if _is_possible(world, state):
                return world
    return _swapped(state, hidden, rng)


def _deal_of(state: State) -> Deal:
    deal = state.log()[0][1]
    assert isinstance(deal, tuple)
    return deal


def _world(state: S, hidden: list[int], drawn: list[int]) -> S:
    deal = _deal_of(state)
    world = state.with_deal(
        tuple(d - old + new for d, old, new in zip(deal, hidden, drawn, strict=True))
    )
    for s in range(SEATS):
        world.hands[s] += drawn[s] - hidden[s]
        if world.own[s]:
            world.own[s] += drawn[s] - hidden[s]
    return world


def _is_possible(world: State, state: State) -> bool:
    """Whether the log runs in this world as far as it tells anything, to the question that is
    asked in `state`, the real one."""
    log = world.log()
    again = world.game.new_state(SEATS, wealth=world.wealth, carry=world.carry or None)
    try:
        for actor, action in log[: state.tells + 1]:
            again.apply(actor, action)
    except IllegalAction:
        return False
    if again.bought != state.bought:
        return False
    if len(log) <= state.tells:
        return _question(again) == _question(state)
    return True


def _question(state: State) -> object:
    """Who is asked what."""
    need = state.need(state.queue[0]) if state.stage == "buy_three" else None
    return state.stage, state.to_act(), need and need.verb


# ---- drawing -----------------------------------------------------------------------------------


class _Bounds:
    """Highest and lowest rank that a seat's hidden cards may have."""

    def __init__(self) -> None:
        self.high = [deck.RJ_RANK] * SEATS
        self.low = [0] * SEATS


def _bounds(state: State) -> _Bounds:
    """What the log says about hidden cards, as far as ranks bound it."""
    bounds = _Bounds()
    for seat, action in state.log()[1 : state.tells]:
        if not isinstance(action, tuple) and action & 0xFF == TRIBUTE:
            lowest = deck.cards_of(action >> 8)[0]
            bounds.high[seat] = min(bounds.high[seat], _rank(lowest))
    for seat in range(SEATS):
        if state.weak >> seat & 1:
            bounds.high[seat] = min(bounds.high[seat], deck.TWO - 1)
        if state.threeless >> seat & 1:
            bounds.low[seat] = deck.THREE + 1
    return bounds


def _rank(card: int) -> int:
    return card // 4 if card < deck.BJ else deck.BJ_RANK + card - deck.BJ


def _drawn(hidden: list[int], bounds: _Bounds, rng: Rng) -> list[int] | None:
    """The hidden cards dealt anew within the bounds; None when it does not work out.

    The most restricted cards first, each to a free place that may hold it: threes, then from
    the highest rank down.
    """
    pool = [card for cards in hidden for card in deck.cards_of(cards)]
    mixed = [pool[i] for i in rng.permutation(len(pool))] if pool else []
    mixed.sort(key=lambda card: (card >= 4, -_rank(card)))
    free = [s for s, cards in enumerate(hidden) for _ in range(deck.size_of(cards))]
    drawn = [0] * SEATS
    for index, card in enumerate(mixed):
        rank = _rank(card)
        able = [low <= rank <= high for low, high in zip(bounds.low, bounds.high, strict=True)]
        open_ = [i for i, s in enumerate(free) if able[s]]
        if not open_:
            return None
        if len(open_) == len(free) and rank and _no_bounds_below(bounds, rank):
            places = [free[i] for i in rng.permutation(len(free))]
            for s, rest in zip(places, mixed[index:], strict=True):
                drawn[s] += deck.UNITS[rest]
            return drawn
        drawn[free.pop(open_[rng.below(len(open_))])] += deck.UNITS[card]
    return drawn


def _no_bounds_below(bounds: _Bounds, rank: int) -> bool:
    return all(high >= rank for high in bounds.high)


# ---- swapping ----------------------------------------------------------------------------------


def _swapped(state: S, hidden: list[int], rng: Rng) -> S:
    """The real world after random exchanges of hidden cards, each of which is possible."""
    drawn = list(hidden)
    best = _world(state, hidden, drawn)
    holders = [s for s in range(SEATS) if hidden[s]]
    if len(holders) < 2:
        return best
    for one, other in _pairs(holders, rng):
        mine, theirs = deck.cards_of(drawn[one]), deck.cards_of(drawn[other])
        given, taken = mine[rng.below(len(mine))], theirs[rng.below(len(theirs))]
        if given == taken:
            continue
        difference = deck.UNITS[taken] - deck.UNITS[given]
        trial = list(drawn)
        trial[one] += difference
        trial[other] -= difference
        world = _world(state, hidden, trial)
        if _is_possible(world, state):
            drawn, best = trial, world
    return best


def _pairs(holders: list[int], rng: Rng) -> Iterator[tuple[int, int]]:
    for _ in range(_SWAPS):
        one = rng.below(len(holders))
        other = (one + 1 + rng.below(len(holders) - 1)) % len(holders)
        yield holders[one], holders[other]
