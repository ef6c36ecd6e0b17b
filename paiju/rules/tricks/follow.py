"""Follow duty: tractors, pairs and triples that are held must be played on the lead's.

A follow must be as good as the hand allows, component by component of the lead in canonical
order. How good an answer is, is its *grade*; the grades of all components are the grade list,
and over all ways of choosing cards the lexicographically best list counts:

* pair: 1 pair, 0 nothing; triple: 2 triple, 1 pair, 0 nothing;
* tractor of k: (r, q), the longest run used and further pairs, at most k in all;
* titanic: 7 titanic, 6 run of two pairs, 5 two triples, 4 triple and pair, 3 triple,
  2 two pairs, 1 pair, 0 nothing.

A follow that contains a *core*, cards that reach the hand's grade list, is legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Any

from paiju.rules.tricks.contest import placements
from paiju.rules.tricks.packs import ONES, UNITS, pairs, size_of, triples, types_of
from paiju.rules.tricks.ranking import Ranking
from paiju.rules.tricks.shapes import PAIR, SINGLE, TITANIC, TRACTOR, TRIPLE, Shape

Grades = tuple[Any, ...]
"""One grade per component that is no single."""


def duties(shape: Shape) -> Shape:
    """The components that oblige: all but singles."""
    return tuple(part for part in shape if part[0] != SINGLE)


def grades(ranking: Ranking, suit: int, owed: Shape, cards: int) -> Grades:
    """The best grade list of a set for what is owed (`duties`)."""
    twice = pairs(cards & ranking.suit_masks[suit])
    if len(owed) == 1 and owed[0][0] == PAIR:
        return (1 if twice else 0,)
    if not twice:
        return tuple((0, 0) if kind == TRACTOR else 0 for kind, _ in owed)
    return _best(ranking, suit, owed, 2 * twice | _third(owed, cards, twice))


def _third(owed: Shape, cards: int, twice: int) -> int:
    """The third copies, where anything that is owed asks for them."""
    if all(kind in (PAIR, TRACTOR) for kind, _ in owed):
        return 0
    return cards & twice & ONES


@lru_cache(maxsize=1 << 14)
def _best(ranking: Ranking, suit: int, owed: Shape, cards: int) -> Grades:
    """As `grades`; cards: pairs and triples only."""
    if not owed:
        return ()
    kind, length = owed[0]
    if kind in (PAIR, TRIPLE):
        return _simple(owed, triples(cards).bit_count(), pairs(cards).bit_count())
    best: Grades = ()
    for grade, used in _answers(ranking, suit, kind, length, cards, further=len(owed) > 1):
        best = max(best, (grade, *_best(ranking, suit, owed[1:], _rest(cards - used))))
    return best


def _rest(cards: int) -> int:
    """Without what is neither pair nor triple."""
    twice = pairs(cards)
    return 2 * twice | cards & twice


def _simple(owed: Shape, three: int, two: int) -> Grades:
    """Triples and pairs only. three: cards held three times; two: twice or more."""
    out: list[int] = []
    for kind, _ in owed:
        if kind == TRIPLE and three:
            three -= 1
            two -= 1
            out.append(2)
        else:
            out.append(1 if two else 0)
            two -= two > 0
    return tuple(out)


def _answers(
    ranking: Ranking, suit: int, kind: int, length: int, cards: int, *, further: bool
) -> Iterator[tuple[Any, int]]:
    """(grade, cards used) of every way to reach the best grade of one tractor or titanic.

    further: more is owed, so that it matters which of several equal pairs are taken.
    """
    if kind == TITANIC:
        yield from _titanic_answers(ranking, suit, cards)
        return
    two = pairs(cards).bit_count()
    run = length
    while run > 1 and next(placements(ranking, suit, cards, TRACTOR, run), None) is None:
        run -= 1
    if run < 2:
        wanted = min(length, two)
        for used in _some_pairs(cards, wanted, further=further):
            yield (0, wanted), used
        return
    wanted = min(length - run, two - run)
    for _, used in placements(ranking, suit, cards, TRACTOR, run):
        for more in _some_pairs(_rest(cards - used), wanted, further=further):
            yield (run, wanted), used + more


def _some_pairs(cards: int, count: int, *, further: bool) -> Iterator[int]:
    """Every choice of so many pairs; one is enough when nothing else is owed."""
    types = list(types_of(pairs(cards)))
    if not further:
        types = types[:count]
    for chosen in combinations(types, count):
        yield 2 * sum(UNITS[card] for card in chosen)


def _titanic_answers(ranking: Ranking, suit: int, cards: int) -> Iterator[tuple[int, int]]:
    threes, twos = list(types_of(triples(cards))), list(types_of(pairs(cards)))
    for grade, kind in ((7, TITANIC), (6, TRACTOR)):
        found = [used for _, used in placements(ranking, suit, cards, kind, 2)]
        if found:
            yield from ((grade, used) for used in found)
            return
    if len(threes) > 1:
        for one, other in combinations(threes, 2):
            yield 5, 3 * (UNITS[one] + UNITS[other])
    elif threes:
        (three,) = threes
        others = [two for two in twos if two != three]
        if not others:
            yield 3, 3 * UNITS[three]
        for two in others:
            yield 4, 3 * UNITS[three] + 2 * UNITS[two]
    elif len(twos) > 1:
        for one, other in combinations(twos, 2):
            yield 2, 2 * (UNITS[one] + UNITS[other])
    elif twos:
        yield 1, 2 * UNITS[twos[0]]
    else:
        yield 0, 0


def is_legal(
    ranking: Ranking, suit: int, owed: Shape, hand: int, follow: int, *, held: int | None = None
) -> bool:
    """Whether `follow`, of the lead's size and from the hand, does its duty."""
    own = hand & ranking.suit_masks[suit] if held is None else held
    played = follow & ranking.suit_masks[suit]
    if size_of(own) <= size_of(follow):
        return played == own
    if played != follow:
        return False
    if not owed:
        return True
    return grades(ranking, suit, owed, follow) == grades(ranking, suit, owed, own)


# ---- choosing cards ----------------------------------------------------------------------------


def cores(
    ranking: Ranking, suit: int, owed: Shape, cards: int, order: Sequence[int], *, every: bool
) -> Iterator[int]:
    """Sets of cards that reach the grade list of `cards`.

    order: place of each card; of equally good pairs and triples the first in it are taken.
    every: all choices of pairs beside a run, not one.
    """
    best = grades(ranking, suit, owed, cards)
    kept = _rest(cards & ranking.suit_masks[suit])
    seen: set[int] = set()
    for core in _cores(ranking, suit, owed, kept, best, order, every):
        if core not in seen:
            seen.add(core)
            yield core


def _cores(
    ranking: Ranking,
    suit: int,
    owed: Shape,
    cards: int,
    best: Grades,
    order: Sequence[int],
    every: bool,
) -> Iterator[int]:
    if not owed:
        yield 0
        return
    kind, length = owed[0]
    if kind in (PAIR, TRIPLE):
        yield _first_of_each(owed, cards, order)
        return
    for grade, used in _answers(ranking, suit, kind, length, cards, further=every):
        rest = _rest(cards - used)
        if grade == best[0] and grades(ranking, suit, owed[1:], rest) == best[1:]:
            for more in _cores(ranking, suit, owed[1:], rest, best[1:], order, every):
                yield used + more


def _first_of_each(owed: Shape, cards: int, order: Sequence[int]) -> int:
    threes = sorted(types_of(triples(cards)), key=order.__getitem__)
    twos = sorted(types_of(pairs(cards)), key=order.__getitem__)
    core = 0
    for kind, _ in owed:
        if kind == TRIPLE and threes:
            core += 3 * UNITS[threes[0]]
            twos.remove(threes.pop(0))
        elif twos:
            core += 2 * UNITS[twos[0]]
            two = twos.pop(0)
            if two in threes:
                threes.remove(two)
    return core


def filled(core: int, cards: int, size: int, order: Sequence[int]) -> int:
    """`core` and the first other cards in the order, up to `size` cards in all."""
    rest, missing = cards - core, size - size_of(core)
    for card in sorted(types_of(rest), key=order.__getitem__):
        if missing <= 0:
            break
        taken = min(missing, rest >> 2 * card & 3)
        core += taken * UNITS[card]
        missing -= taken
    return core


def places(cards: int, hand: int, order: Sequence[int]) -> tuple[int, ...]:
    """Where the cards of a set lie in a hand that is sorted by `order`, first copies first."""
    out: list[int] = []
    start = 0
    for card in sorted(types_of(hand), key=order.__getitem__):
        out += range(start, start + (cards >> 2 * card & 3))
        start += hand >> 2 * card & 3
    return tuple(out)


def automatic(ranking: Ranking, suit: int, owed: Shape, hand: int, size: int) -> int:
    """What an absent player follows with: all of the suit and the cheapest others, or the
    first legal choice from the suit in the order of cheapness."""
    order = ranking.place
    own = hand & ranking.suit_masks[suit]
    if size_of(own) <= size:
        return filled(own, hand, size, order)
    if not owed:
        return filled(0, own, size, order)
    candidates = (
        filled(core, own, size, order)
        for core in cores(ranking, suit, owed, own, order, every=True)
    )
    return min(candidates, key=lambda follow: places(follow, own, order))
