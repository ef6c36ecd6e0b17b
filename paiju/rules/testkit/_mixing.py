"""Does `resample` mix? Measured where the answer is known: right after the deal.

Before any seat has done anything every hidden card is as likely at one hidden place as at
another, in proportion to the places' sizes. So in many hands and many worlds these counts
must lie within binomial limits:

* how often a card lies at a place;
* how often a card lies where it really is (a sampler that gives the real hand away);
* how often a card of one place is sampled at another.

Cards of a world are drawn without replacement, so the true variance is below the binomial
one that is used; LIMIT standard deviations leave room for that and for thousands of counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paiju.rules import views
from paiju.rules.api import SPECTATOR, Game, State
from paiju.rules.testkit._cards import Pile, dealt_in, hidden_from, piles_in, shown_in
from paiju.rules.testkit._hand import Hand
from paiju.rules.testkit._report import Report, Violation

Screens = Mapping[int, views.Parts]
"""The view of each viewer."""

LIMIT = 6.0
_SKIPPED_MAX = 9
"""Worlds skipped for each that is counted: where one card lies face up and who holds its twin is
the secret, only those that leave the twin where it is are comparable."""
UNDEALT = -3
"""The place of cards that nobody holds: a bottom, a stock. Which cards there are is known from
all deals together."""


@dataclass
class _Count:
    seen: float = 0.0
    expected: float = 0.0
    variance: float = 0.0

    def off(self) -> float:
        """Distance from what is expected, in standard deviations (of at least one)."""
        return float(abs(self.seen - self.expected) / max(1.0, self.variance) ** 0.5)


@dataclass
class Mixing:
    """worst: how far off the worst count is, in standard deviations; at: which one that is."""

    states: int = 0
    worlds: int = 0
    skipped: int = 0  # a card that all see has a twin that is hidden: sizes are not comparable
    counts: dict[tuple[Any, ...], _Count] = field(default_factory=dict)

    @property
    def at(self) -> tuple[Any, ...]:
        return max(self.counts, key=lambda key: self.counts[key].off())

    @property
    def worst(self) -> float:
        return self.counts[self.at].off()

    def add(self, real: dict[int, Pile], sampled: dict[int, Pile]) -> None:
        """One world of one state: place -> hidden cards there."""
        sizes = {place: pile.total() for place, pile in real.items()}
        total = sum(sizes.values())
        copies: Pile = Counter()
        for pile in real.values():
            copies += pile
        shares = {place: size / total for place, size in sizes.items()}
        for card, n in copies.items():
            mean = sum(shares[p] * real[p][card] for p in real)
            square = sum(shares[p] * real[p][card] ** 2 for p in real)
            stays = sum(real[p][card] * sampled[p][card] for p in real)
            self._count(("stays", card), stays, n * mean, n * (square - mean**2))
            for place, share in shares.items():
                lies = sampled[place][card]
                self._count(("lies", card, place), lies, n * share, n * share * (1 - share))
                for origin, pile in real.items():
                    weight, key = pile[card], ("moves", origin, place)
                    spread = weight**2 * n * share * (1 - share)
                    self._count(key, weight * lies, weight * n * share, spread)
        self.worlds += 1

    def _count(self, key: tuple[Any, ...], seen: float, expected: float, variance: float) -> None:
        count = self.counts.setdefault(key, _Count())
        count.seen += seen
        count.expected += expected
        count.variance += variance


def measure_mixing(
    game: Game, *, hands: int, seed: int | str, worlds: int = 4, seats: int | None = None
) -> Mixing:
    """Sample `worlds` worlds per viewer after each of `hands` deals.

    Violation "mixing": a count is beyond LIMIT, or nothing is hidden in a game that is said
    to hide something.
    """
    mixing = Mixing()
    dealt = [_dealt(game, number, seed, seats) for number in range(hands)]
    deck: Pile = Counter()
    for hand in dealt:
        deck |= dealt_in(hand, hand.state)
    for hand in dealt:
        if not hand.state.is_terminal():
            screens = _screens(hand, hand.state)
            for viewer in hand.viewers:
                _sample(mixing, hand, deck, viewer, worlds, screens)
    if game.info.perfect_information:
        return mixing
    if mixing.worlds * _SKIPPED_MAX <= mixing.skipped:
        raise Violation("mixing", "no seat's view shows cards that others do not see")
    if mixing.worst > LIMIT:
        count = mixing.counts[mixing.at]
        raise Violation(
            "mixing",
            f"{mixing.at}: {count.seen:.0f} times, {count.expected:.0f} are expected "
            f"({mixing.worst:.1f} standard deviations)",
        )
    return mixing


def _dealt(game: Game, number: int, seed: int | str, seats: int | None) -> Hand:
    hand = Hand(
        game=game,
        seats=seats or game.info.max_seats,
        wealth=None,
        carry={},
        number=number,
        seed=f"mixing {seed}:{number}",
        report=Report(),
    )
    hand.deal()
    return hand


def _sample(
    mixing: Mixing, hand: Hand, deck: Pile, viewer: int, worlds: int, screens: Screens
) -> None:
    real = _places(hand, screens, deck, viewer)
    if len(real) < 2:
        return
    mixing.states += 1
    for _ in range(worlds):
        world = hand.state.resample(viewer, hand.rng)
        sampled = _places(hand, _screens(hand, world), deck, viewer)
        if _sizes(sampled) == _sizes(real):
            mixing.add(real, sampled)
        else:
            mixing.skipped += 1


def _sizes(places: dict[int, Pile]) -> dict[int, int]:
    return {place: pile.total() for place, pile in places.items()}


def _screens(hand: Hand, state: State) -> Screens:
    return {viewer: views.encode(state.view(viewer)) for viewer in hand.viewers}


def _places(hand: Hand, screens: Screens, deck: Pile, viewer: int) -> dict[int, Pile]:
    """Place -> cards there that the viewer does not see."""
    piles = piles_in(screens, hand.seats)
    places = hidden_from(viewer, screens[viewer], piles)
    rest = deck - shown_in(screens[SPECTATOR])
    for pile in piles:
        rest -= pile
    if rest:
        places[UNDEALT] = rest
    return places
