"""Tricks: sets of three decks, and the rules of leads and follows against a second, slow and
obvious implementation that works on names of cards and tries everything."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, pairwise
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiju.rules.cards import NAMES, RANKS, SUITS
from paiju.rules.tricks import (
    KIND_NAMES,
    NO_TRUMP,
    Sticks,
    TrickRules,
    best_of,
    lead_of,
    packs,
    points_of,
    ranking,
    sticks,
    tractors,
)

# ---- sets --------------------------------------------------------------------------------------

SETS = st.dictionaries(st.integers(0, 53), st.integers(1, 3), max_size=30).map(Counter)


def packed(counter: Counter[int]) -> int:
    return packs.set_of(counter.elements())


@given(SETS, SETS)
def test_sets_of_cards_are_counters(left: Counter[int], right: Counter[int]) -> None:
    ours, theirs = packed(left), packed(right)
    assert packs.cards_of(ours) == sorted(left.elements())
    assert packs.names_of(ours) == [NAMES[card] for card in sorted(left.elements())]
    assert packs.parse_set(packs.text_of(ours)) == ours
    assert packs.size_of(ours) == left.total()
    assert packs.covers(ours, theirs) == (right <= left)
    assert packs.meet(ours, theirs) == packed(left & right)
    assert packs.join(ours, theirs) == packed(left | right)
    assert list(packs.types_of(packs.pairs(ours))) == sorted(c for c in left if left[c] > 1)
    assert list(packs.types_of(packs.triples(ours))) == sorted(c for c in left if left[c] > 2)
    points = {"5": 5, "T": 10, "K": 10}
    assert points_of(ours) == sum(points.get(NAMES[c][0], 0) for c in left.elements() if c < 52)


def test_a_fourth_copy_is_no_card() -> None:
    assert packs.parse_set("As As As") == 3 * packs.parse_set("As")
    with pytest.raises(ValueError, match="As is named too often"):
        packs.parse_set("As As As As")
    with pytest.raises(ValueError, match="is no card"):
        packs.parse_set("1s")


# ---- the oracle --------------------------------------------------------------------------------


class Context(NamedTuple):
    level: str
    trump: str
    two_is_trump: bool

    def rungs(self, suit: str) -> list[list[str]]:
        """Low to high; suit "t" are the trumps."""
        ranks = [r for r in "23456789TJQKA" if r != self.level]
        if self.two_is_trump:
            ranks = [r for r in ranks if r != "2"]
        if suit != "t":
            return [[r + suit] for r in ranks]
        permanent = [self.level]
        if self.two_is_trump and self.level != "2":
            permanent = ["2", self.level]
        out = [] if self.trump == "n" else [[r + self.trump] for r in ranks]
        for rank in permanent:
            if self.trump == "n":
                out.append([rank + s for s in "shcd"])
            else:
                out += [[rank + s for s in "shcd" if s != self.trump], [rank + self.trump]]
        return [*out, ["BJ"], ["RJ"]]

    def where(self, card: str) -> tuple[str, int]:
        for suit in "tshcd":
            if suit != self.trump:
                for rung, cards in enumerate(self.rungs(suit)):
                    if card in cards:
                        return suit, rung
        raise AssertionError(card)

    def suit(self, card: str) -> str:
        return self.where(card)[0]

    def rung(self, card: str) -> int:
        return self.where(card)[1]


Cards = tuple[str, ...]


def plain(cards: Counter[str]) -> Cards:
    return tuple(sorted(cards.elements()))


def kinds_of(context: Context, cards: Cards) -> set[tuple[str, int]]:
    """All that exactly these cards can be as one component."""
    held = Counter(cards)
    if len({context.suit(c) for c in held}) != 1:
        return set()
    rungs = sorted(context.rung(c) for c in held)
    adjacent = all(b - a == 1 for a, b in pairwise(rungs))
    copies = set(held.values())
    out = set()
    if len(held) == 1:
        out.add((("single", "pair", "triple")[len(cards) - 1], 1))
    elif adjacent and copies == {2}:
        out.add(("tractor", len(held)))
    elif adjacent and copies == {3} and len(held) == 2:
        out.add(("titanic", 2))
    return out


def size_of(kind: str, length: int) -> int:
    return {"single": 1, "pair": 2, "triple": 3, "tractor": 2 * length, "titanic": 6}[kind]


def sub_sets(cards: Counter[str], size: int) -> set[Cards]:
    return set(combinations(plain(cards), size))


def parts(context: Context, cards: Counter[str], kind: str, length: int) -> list[Cards]:
    """All ways to take such a component out of the cards."""
    useful = Counter({c: n for c, n in cards.items() if kind == "single" or n > 1})
    size = size_of(kind, length)
    return [s for s in sub_sets(useful, size) if (kind, length) in kinds_of(context, s)]


def pair_sets(cards: Counter[str], count: int) -> Iterator[Cards]:
    for chosen in combinations(sorted(c for c in cards if cards[c] > 1), count):
        yield tuple(c for card in chosen for c in (card, card))


def entries(
    context: Context, kind: str, length: int, cards: Counter[str]
) -> Iterator[tuple[object, Cards]]:
    """Every entry of a component's ladder that the cards have, good or bad."""
    if kind == "pair":
        yield 0, ()
        yield from ((1, used) for used in pair_sets(cards, 1))
    elif kind == "triple":
        yield from entries(context, "pair", 1, cards)
        yield from ((2, used) for used in parts(context, cards, "triple", 1))
    elif kind == "tractor":
        for run in range(length + 1):
            if run == 1:
                continue
            runs = parts(context, cards, "tractor", run) if run else [()]
            for used in runs:
                for more in range(length - run + 1):
                    for others in pair_sets(cards - Counter(used), more):
                        yield (run, more), used + others
    else:
        triples = parts(context, cards, "triple", 1)
        yield 0, ()
        yield from ((1, used) for used in pair_sets(cards, 1))
        yield from ((2, used) for used in pair_sets(cards, 2))
        for triple in triples:
            yield 3, triple
            yield from ((4, triple + pair) for pair in pair_sets(cards - Counter(triple), 1))
        yield from ((5, one + other) for one, other in combinations(triples, 2))
        yield from ((6, used) for used in parts(context, cards, "tractor", 2))
        yield from ((7, used) for used in parts(context, cards, "titanic", 2))


Shape = tuple[tuple[str, int], ...]


def grade_list(context: Context, shape: Shape, cards: Counter[str]) -> tuple[object, ...]:
    """The lexicographically best over all ways of choosing."""
    if not shape:
        return ()
    (kind, length), *rest = shape
    if kind == "single":
        return grade_list(context, tuple(rest), cards)
    useful = Counter({c: n for c, n in cards.items() if n > 1})
    return max(
        (grade, *grade_list(context, tuple(rest), useful - Counter(used)))
        for grade, used in entries(context, kind, length, useful)
    )


def may_follow(context: Context, lead: Cards, shape: Shape, hand: Cards, follow: Cards) -> bool:
    suit = context.suit(lead[0])
    held = Counter(c for c in hand if context.suit(c) == suit)
    played = Counter(c for c in follow if context.suit(c) == suit)
    if held.total() <= len(lead):
        return held <= Counter(follow)
    if played.total() < len(lead):
        return False
    return grade_list(context, shape, played) == grade_list(context, shape, held)


def first_legal(context: Context, lead: Cards, shape: Shape, hand: Cards) -> Cards:
    """The lexicographically first legal follow in the order of cheapness, by trying all."""

    def cheap(card: str) -> tuple[bool, bool, int, int]:
        suit, rung = context.where(card)
        return suit == "t", card[0] in "5TK", rung, "dchs".find(card[-1])

    suit = context.suit(lead[0])
    own = [c for c in sorted(hand, key=cheap) if context.suit(c) == suit]
    others = [c for c in sorted(hand, key=cheap) if context.suit(c) != suit]
    if len(own) <= len(lead):
        return (*own, *others[: len(lead) - len(own)])
    return next(
        follow
        for follow in combinations(own, len(lead))
        if may_follow(context, lead, shape, hand, follow)
    )


def best_top(context: Context, shape: Shape, cards: Counter[str]) -> int | None:
    """Highest top of the first component over all partitions; None when there is none."""
    kind, length = shape[0]
    tops = []
    for used in parts(context, cards, kind, length):
        if partitions(context, shape[1:], cards - Counter(used)):
            tops.append(max(context.rung(c) for c in used))
    return max(tops, default=None)


def partitions(context: Context, shape: Shape, cards: Counter[str]) -> bool:
    if not shape or shape[0][0] == "single":
        return cards.total() == len(shape)
    kind, length = shape[0]
    return any(
        partitions(context, shape[1:], cards - Counter(used))
        for used in parts(context, cards, kind, length)
    )


def takes(context: Context, shape: Shape, plays: list[Cards]) -> int:
    """Index of the play that has the trick."""
    suit = context.suit(plays[0][0])
    best, best_key = -1, (False, -1)
    for index, play in enumerate(plays):
        suits = {context.suit(c) for c in play}
        if len(suits) > 1 or not suits <= {suit, "t"}:
            continue
        top = best_top(context, shape, Counter(play))
        if top is not None and (suits == {"t"}, top) > best_key:
            best, best_key = index, (suits == {"t"}, top)
    return best


def is_stopped(context: Context, component: Cards, hands: list[Cards]) -> bool:
    """Whether one hand holds the same kind with a higher top."""
    ((kind, length),) = kinds_of(context, component)
    suit = context.suit(component[0])
    top = max(context.rung(c) for c in component)
    return any(
        max(context.rung(c) for c in found) > top
        for hand in hands
        for found in parts(
            context, Counter(c for c in hand if context.suit(c) == suit), kind, length
        )
    )


# ---- random positions --------------------------------------------------------------------------


class Position:
    """A context and a pack of few ranks, so that pairs and runs are common."""

    def __init__(self, seed: int, *, decks: int | None = None) -> None:
        self.luck = random.Random(seed)
        self.decks = decks or self.luck.choice((2, 2, 3))
        self.context = Context(
            self.luck.choice("23459TA"), self.luck.choice("shcdn"), self.luck.random() < 0.3
        )
        self.rules = self.rules_for(tractors)
        suits = self.luck.sample("shcd", 2)
        ranks = self.luck.sample("23456789TJQKA", 7)
        names = {r + s for r in ranks for s in suits} | {self.context.level + s for s in "shcd"}
        self.pack = [*names, "RJ", "BJ"] * self.decks

    def rules_for(self, make: Callable[..., TrickRules]) -> TrickRules:
        trump = NO_TRUMP if self.context.trump == "n" else SUITS.index(self.context.trump)
        level = RANKS.index(self.context.level)
        return make(ranking(level, trump, self.context.two_is_trump))

    def of_one_suit(self, size_max: int) -> Cards:
        """What may be led: now and then pairs only, so that runs come up."""
        suit = self.context.suit(self.luck.choice(self.pack))
        own = [c for c in self.pack if self.context.suit(c) == suit]
        if self.luck.random() < 0.7:
            own = sorted(own, key=lambda c: (self.context.rung(c) + self.luck.randint(0, 2), c))
            start = self.luck.randrange(len(own))
            own = (own + own)[start:]
            return tuple(own[: self.luck.randint(1, min(size_max, len(own) // 2 + 1))])
        return tuple(self.luck.sample(own, min(len(own), self.luck.randint(1, size_max))))

    def hand(self, size: int, without: Cards = ()) -> Cards:
        left = list((Counter(self.pack) - Counter(without)).elements())
        return tuple(self.luck.sample(left, min(size, len(left))))

    def shape(self, cards: Cards) -> Shape:
        parts = self.rules.components(pack_of(cards))
        return tuple((KIND_NAMES[p.kind], p.length) for p in parts)


def pack_of(cards: Cards) -> int:
    return packs.parse_set(" ".join(cards))


def unpacked(cards: int) -> Cards:
    return tuple(sorted(packs.names_of(cards)))


def test_rungs_are_those_of_the_specification() -> None:
    for level in RANKS:
        for trump in "shcdn":
            for two in (False, True):
                context = Context(level, trump, two)
                number = NO_TRUMP if trump == "n" else SUITS.index(trump)
                ours = ranking(RANKS.index(level), number, two)
                for card, name in enumerate(NAMES):
                    suit, rung = context.where(name)
                    assert ours.suit_of[card] == "dchst".index(suit)
                    assert ours.rung_of[card] == rung


def check_components(seed: int) -> None:
    """What a set falls apart into: whole, each part what it is called, nothing left to join."""
    position = Position(seed)
    context, cards = position.context, position.of_one_suit(12)
    found = position.rules.components(pack_of(cards))
    assert sum(part.cards for part in found) == pack_of(cards)
    order = ["titanic", "tractor", "triple", "pair", "single"]
    keys = []
    for part in found:
        names = unpacked(part.cards)
        assert kinds_of(context, names) == {(KIND_NAMES[part.kind], part.length)}
        rungs = [context.rung(c) for c in names]
        assert (part.top, part.bottom) == (max(rungs), min(rungs))
        high = max("dchs".find(c[-1]) for c in names)
        keys.append((order.index(KIND_NAMES[part.kind]), -part.length, -part.top, -high))
    assert keys == sorted(keys)
    # Step by step: what is left after a kind is taken holds no more of that kind.
    for step, kind in enumerate(order):
        rest: Counter[str] = Counter()
        for part in found:
            if order.index(KIND_NAMES[part.kind]) > step:
                rest += Counter(unpacked(part.cards))
        if kind != "single":
            assert not parts(context, rest, kind, 2 if kind in ("tractor", "titanic") else 1)
    mixed = position.hand(2)
    if len({context.suit(c) for c in mixed}) > 1:
        assert position.rules.components(pack_of(mixed)) == ()


def check_follow(seed: int) -> None:
    """Legality of follows, the automatic one, and every listed one."""
    position = Position(seed)
    context, rules, luck = position.context, position.rules, position.luck
    lead = position.of_one_suit(luck.choice((1, 2, 3, 4, 4, 6, 7)))
    shape = position.shape(lead)
    hand = position.hand(luck.choice((8, 11, 14)), lead)
    whole = lead_of(rules, pack_of(lead))
    suit = context.suit(lead[0])
    own = tuple(c for c in hand if context.suit(c) == suit)
    if len(own) > 11 or len(hand) < len(lead):
        return
    automatic = unpacked(rules.automatic(whole, pack_of(hand)))
    assert automatic == tuple(sorted(first_legal(context, lead, shape, hand))), (lead, hand)
    for listed in rules.follows(whole, pack_of(hand)):
        follow = unpacked(listed)
        assert len(follow) == len(lead) and Counter(follow) <= Counter(hand)
        assert may_follow(context, lead, shape, hand, follow), (lead, hand, follow)
        assert rules.may_follow(whole, pack_of(hand), listed)
    tries = [tuple(luck.sample(hand, len(lead))) for _ in range(3)]
    if len(own) > len(lead):
        tries += [tuple(luck.sample(own, len(lead))) for _ in range(6)]
    for follow in tries:
        assert rules.may_follow(whole, pack_of(hand), pack_of(follow)) == may_follow(
            context, lead, shape, hand, follow
        ), (context, lead, hand, follow)


def check_trick(seed: int) -> None:
    """Who takes a trick; whether a throw stands, and to what it is cut down."""
    position = Position(seed)
    context, rules, luck = position.context, position.rules, position.luck
    lead = position.of_one_suit(luck.choice((1, 2, 3, 4, 5)))
    shape = position.shape(lead)
    plays = [lead]
    for _ in range(3):
        suit = "t" if luck.random() < 0.5 else context.suit(lead[0])
        own = [c for c in position.pack if context.suit(c) == suit]
        if luck.random() < 0.8 and len(own) >= len(lead):
            own.sort(key=lambda c: (context.rung(c) + luck.randint(0, 1), c))
            start = luck.randrange(len(own) - len(lead) + 1)
            plays.append(tuple(own[start : start + len(lead)]))
        else:
            plays.append(tuple(luck.sample(position.pack, len(lead))))
    whole = lead_of(rules, pack_of(lead))
    assert best_of(rules, whole, [pack_of(p) for p in plays]) == takes(context, shape, plays), (
        context,
        plays,
    )
    others = [position.hand(7, lead) for _ in range(3)]
    components = [unpacked(part.cards) for part in rules.components(pack_of(lead))]
    beaten = [c for c in components if is_stopped(context, c, others)]
    expected = None
    if beaten:
        expected = min(
            beaten,
            key=lambda c: (
                min(context.rung(x) for x in c),
                len(c),
                min("dchs".find(x[-1]) for x in c),
            ),
        )
    forced = rules.forced(pack_of(lead), [pack_of(hand) for hand in others])
    assert (None if forced is None else unpacked(forced)) == expected, (context, lead, others)


def check_sticks(seed: int) -> None:
    """Dagunzi's duty, with living and dead sticks."""
    position = Position(seed, decks=3)
    luck, dead = position.luck, position.luck.random() < 0.7
    position.context = position.context._replace(two_is_trump=True, trump=luck.choice("shcd"))
    context = position.context
    rules = position.rules_for(lambda ranked: sticks(ranked, dead))
    assert isinstance(rules, Sticks)
    card = luck.choice(position.pack)
    lead = (card,) * luck.choice((1, 2, 3))
    hand = position.hand(luck.choice((6, 9, 12)), lead)
    whole = lead_of(rules, pack_of(lead))
    own = Counter(c for c in hand if context.suit(c) == context.suit(card))

    def legal(follow: Cards) -> bool:
        played = Counter(c for c in follow if context.suit(c) == context.suit(card))
        if own.total() <= len(lead):
            return own <= Counter(follow)
        if played.total() < len(lead):
            return False
        most = max(played.values())
        if not dead or len(lead) == 1:
            return True
        if len(lead) == 2:
            return most == 2 or 2 not in own.values()
        if 3 in own.values():
            return most == 3
        return most >= 2 or 2 not in own.values()

    follows = [unpacked(f) for f in rules.follows(whole, pack_of(hand))]
    assert follows and all(legal(f) and len(f) == len(lead) for f in follows)
    assert all(rules.may_follow(whole, pack_of(hand), pack_of(f)) for f in follows)
    every = sorted(set(combinations(sorted(hand), len(lead))))
    for follow in luck.sample(every, min(len(every), 40)):
        assert rules.may_follow(whole, pack_of(hand), pack_of(follow)) == legal(follow)
    suit = context.suit(card)
    order = sorted(hand, key=lambda c: rules.ranking.place[NAMES.index(c)])
    mine = [c for c in order if context.suit(c) == suit]
    automatic = unpacked(rules.automatic(whole, pack_of(hand)))
    if len(mine) > len(lead):
        first = next(f for f in combinations(mine, len(lead)) if legal(f))
    else:
        first = (*mine, *[c for c in order if c not in own][: len(lead) - len(mine)])
    assert automatic == tuple(sorted(first))


CHECKS = [check_components, check_follow, check_trick, check_sticks]


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_oracle_agrees(check: Callable[[int], None]) -> None:
    """1,000 random positions each."""
    for seed in range(1000):
        check(seed)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_the_oracle_agrees_long(check: Callable[[int], None]) -> None:
    for seed in range(1000, 51_000):
        check(seed)
