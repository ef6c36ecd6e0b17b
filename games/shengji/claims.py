"""Claims (亮主): which cards may be shown for trumps, how strong they are, what they name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from games.shengji.actions import COUNTER, DECLARE, REINFORCE, SEATS, SELF_COUNTER
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks import NO_TRUMP
from paiju.rules.tricks.packs import UNITS, copies_of, types_of

BOTH_JOKERS = UNITS[BJ] + UNITS[RJ]
SUITS = range(4)


class Claims(Protocol):
    """What may be claimed in one hand, with its level and decks."""

    def strength(self, cards: int, suit: int | None) -> int:
        """1 and more; 0 for what is no claim. suit: the one named beside the cards."""

    def trump(self, cards: int, suit: int | None) -> int:
        """The trump suit that a claim makes."""

    def offers(self, hand: int) -> Iterator[tuple[int, int | None]]:
        """All claims that a hand holds: cards and named suit."""


def verb_for(standing: int, claimer: int, seat: int, cards: int) -> int:
    """The one verb that fits a claim of `cards`. standing: the claim that it outbids, or 0."""
    if not standing:
        return DECLARE
    if claimer != seat:
        return COUNTER
    same = list(types_of(standing)) == list(types_of(cards))
    return REINFORCE if same else SELF_COUNTER


def _identical(cards: int) -> tuple[int, int]:
    """(card, copies) of identical cards; copies 0 for any other set."""
    types = list(types_of(cards))
    if len(types) != 1:
        return 0, 0
    return types[0], copies_of(cards, types[0])


class LevelClaims:
    """Shengji: level cards name their suit, jokers no trump; the suit cannot be named.

    Strengths: one level card 1, two 2, two jokers 3; three level cards 4, three jokers 5.
    """

    _LEVEL_CARDS = (0, 1, 2, 4)
    _JOKERS = (0, 0, 3, 5)

    def __init__(self, level: int, decks: int) -> None:
        self._level = level
        self._decks = decks

    def strength(self, cards: int, suit: int | None) -> int:
        if suit is not None:
            return 0
        if cards == BOTH_JOKERS:
            return self._JOKERS[2] if self._decks == 1 else 0
        card, copies = _identical(cards)
        if card >= BJ:
            return self._JOKERS[copies]
        return self._LEVEL_CARDS[copies] if card // 4 == self._level else 0

    def trump(self, cards: int, suit: int | None) -> int:
        card = next(types_of(cards))
        return NO_TRUMP if card >= BJ else card % 4

    def offers(self, hand: int) -> Iterator[tuple[int, int | None]]:
        for card in (*(self._level * 4 + suit for suit in SUITS), BJ, RJ):
            for copies in range(1, copies_of(hand, card) + 1):
                if self.strength(copies * UNITS[card], None):
                    yield copies * UNITS[card], None
        if self._decks == 1 and hand & BOTH_JOKERS == BOTH_JOKERS:
            yield BOTH_JOKERS, None


class OneLevelCard:
    """Aiqipai: exactly one level card, whatever lies there already."""

    def __init__(self, level: int) -> None:
        self._level = level

    def strength(self, cards: int, suit: int | None) -> int:
        card, copies = _identical(cards)
        return int(suit is None and copies == 1 and card < BJ and card // 4 == self._level)

    def trump(self, cards: int, suit: int | None) -> int:
        return next(types_of(cards)) % 4

    def offers(self, hand: int) -> Iterator[tuple[int, int | None]]:
        for suit in SUITS:
            if copies_of(hand, self._level * 4 + suit):
                yield UNITS[self._level * 4 + suit], None


_THREE_JOKERS = {BJ: 4, RJ: 5}


class NamedClaims:
    """Dagunzi, dealer known: level cards by number; three jokers name any suit."""

    def __init__(self, level: int) -> None:
        self._level = level

    def strength(self, cards: int, suit: int | None) -> int:
        card, copies = _identical(cards)
        if card >= BJ:
            return _THREE_JOKERS[card] if copies == 3 and suit is not None else 0
        return copies if suit is None and card // 4 == self._level else 0

    def trump(self, cards: int, suit: int | None) -> int:
        return next(types_of(cards)) % 4 if suit is None else suit

    def offers(self, hand: int) -> Iterator[tuple[int, int | None]]:
        for suit in SUITS:
            card = self._level * 4 + suit
            for copies in range(1, copies_of(hand, card) + 1):
                yield copies * UNITS[card], None
        for joker in (BJ, RJ):
            if copies_of(hand, joker) == 3:
                for suit in SUITS:
                    yield 3 * UNITS[joker], suit


class FirstRedJoker:
    """Dagunzi, first hand: one big joker; the suit follows from the deal."""

    def strength(self, cards: int, suit: int | None) -> int:
        return int(suit is None and cards == UNITS[RJ])

    def trump(self, cards: int, suit: int | None) -> int:
        raise NotImplementedError("the suit follows from the deal")

    def offers(self, hand: int) -> Iterator[tuple[int, int | None]]:
        if copies_of(hand, RJ):
            yield UNITS[RJ], None


def standing_rank(cards: int) -> tuple[int, int]:
    """How a set ranks in 反底: number of cards, then suit d c h s, small, big jokers.

    Both jokers of one deck count as one card; no set at all is below everything.
    """
    if not cards:
        return 0, 0
    card, copies = _identical(cards)
    if not copies:
        return 1, SEATS
    return copies, card % 4 if card < BJ else 4 + card - BJ
