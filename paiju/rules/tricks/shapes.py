"""Components of a lead: singles, pairs, triples, tractors, titanics, and how a set falls apart.

A lead of several components is a throw. `decompose` is the canonical way to take a set apart;
everything about a lead (verb, follow duty, what counts at the end) goes by it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from paiju.rules.tricks.packs import ONES, UNITS, copies_of, pairs, size_of, triples, types_of
from paiju.rules.tricks.ranking import Ranking

SINGLE, PAIR, TRIPLE, TRACTOR, TITANIC = range(5)
KIND_NAMES = ("single", "pair", "triple", "tractor", "titanic")
TITANIC_RUNGS = 2

Shape = tuple[tuple[int, int], ...]
"""(kind, length) of each component in canonical order; length is 1 but for runs."""


class Component(NamedTuple):
    """length: rungs (k of a tractor, 2 of a titanic). top, bottom: rungs within the suit."""

    kind: int
    length: int
    top: int
    bottom: int
    cards: int

    def size(self) -> int:
        return size_of(self.cards)


def shape_of(components: Iterable[Component]) -> Shape:
    return tuple((c.kind, c.length) for c in components)


@lru_cache(maxsize=1 << 14)
def decompose(ranking: Ranking, cards: int) -> tuple[Component, ...]:
    """The canonical components of a set of one effective suit; () for several suits."""
    suit = ranking.suit(cards)
    if suit is None:
        return ()
    found: list[Component] = []
    rungs = ranking.rungs[suit]
    if pairs(cards):
        cards = _take_titanics(rungs, cards, found)
        cards = _take_tractors(rungs, cards, found)
        for kind, copies in ((TRIPLE, 3), (PAIR, 2)):
            ones = triples(cards) if copies == 3 else pairs(cards)
            for card in types_of(ones):
                rung = ranking.rung_of[card]
                found.append(Component(kind, 1, rung, rung, copies * UNITS[card]))
            cards -= copies * ones
    for card in types_of(cards):
        rung = ranking.rung_of[card]
        found.append(Component(SINGLE, 1, rung, rung, UNITS[card]))
    found.sort(key=lambda c: (-c.kind, -c.length, -c.top, -highest_suit(c.cards)))
    return tuple(found)


def highest_suit(cards: int) -> int:
    """Suit number of the highest suit in a set; jokers are alone on their rungs."""
    return max(card % 4 for card in types_of(cards))


def _take_titanics(rungs: list[tuple[int, ...]], cards: int, found: list[Component]) -> int:
    while True:
        before = cards
        rung = len(rungs) - 1
        while rung > 0:
            upper, lower = _pick(rungs[rung], cards, 3), _pick(rungs[rung - 1], cards, 3)
            if upper is not None and lower is not None:
                taken = 3 * (UNITS[upper] + UNITS[lower])
                found.append(Component(TITANIC, TITANIC_RUNGS, rung, rung - 1, taken))
                cards -= taken
                rung -= 1
            rung -= 1
        if cards == before:
            return cards


def _take_tractors(rungs: list[tuple[int, ...]], cards: int, found: list[Component]) -> int:
    while True:
        before = cards
        run: list[int] = []
        for rung in range(len(rungs) - 1, -2, -1):
            card = _pick(rungs[rung], cards, 2) if rung >= 0 else None
            if card is not None:
                run.append(card)
                continue
            if len(run) > 1:
                taken = 2 * sum(UNITS[c] for c in run)
                found.append(Component(TRACTOR, len(run), rung + len(run), rung + 1, taken))
                cards -= taken
            run = []
        if cards == before:
            return cards


def _pick(types: tuple[int, ...], cards: int, copies: int) -> int | None:
    """Of the types on one rung the one with exactly so many copies, else with more."""
    more = None
    for card in types:
        held = copies_of(cards, card)
        if held == copies:
            return card
        if held > copies and more is None:
            more = card
    return more


def rungs_held(ranking: Ranking, suit: int, cards: int, copies: int) -> list[int]:
    """The rungs, ascending, on which some card is held at least `copies` (1..3) times."""
    cards &= ranking.suit_masks[suit]
    if copies == 1:
        ones = (cards | cards >> 1) & ONES
    else:
        ones = pairs(cards) if copies == 2 else triples(cards)
    return sorted({ranking.rung_of[card] for card in types_of(ones)}) if ones else []


def runs_of(rungs: list[int], length: int) -> list[int]:
    """The top rungs, ascending, of all runs of `length` adjacent rungs."""
    held = set(rungs)
    return [top for top in rungs if all(top - down in held for down in range(1, length))]
