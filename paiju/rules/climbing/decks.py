"""Sets of cards of one or two decks as integers, and what a rule set asks of them.

Card numbers and names are those of `paiju.rules.cards`. With one deck a set has one bit per
card; with two decks it has two, which count the copies (0, 1, 2). Either way cards are added
with `+` and taken away with `-`, and the hands of a deal sum up to `Deck.full`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Protocol

from paiju.rules import cards as one
from paiju.rules.climbing import packed

_CACHED = 1 << 13


class Deck(Protocol):
    """All the cards of a game. Sets are integers; `counts` are packed counts of ranks."""

    size: int
    full: int
    of_rank: tuple[int, ...]
    """Cards of each rank."""

    def parse(self, text: str) -> int:
        """ValueError: no card, or a card more often than the deck has it."""

    def names(self, cards: int) -> list[str]:
        """Ascending; equal cards repeat."""

    def of(self, numbers: Iterable[int]) -> int:
        """The set of these places 0..size-1 of the deck."""

    def places(self, cards: int) -> list[int]:
        """Places of these cards; `of` is the inverse."""

    def length(self, cards: int) -> int:
        """Number of cards."""

    def counts(self, cards: int) -> int: ...

    def pick(self, hand: int, counts: int) -> int:
        """The cards of `hand` with these counts, lowest suits first; the hand covers them."""

    def lacking(self, hand: int, cards: int) -> int:
        """What of `cards` is not in `hand`."""

    def lowest(self, hand: int) -> int:
        """The lowest card of a hand, as a set."""

    def __hash__(self) -> int: ...


class OneDeck:
    """54 cards."""

    size = one.DECK
    full = (1 << one.DECK) - 1
    of_rank: tuple[int, ...] = (*(4,) * 13, 1, 1)
    names = staticmethod(one.names_of)
    of = staticmethod(one.set_of)
    counts = staticmethod(packed.counts_of)
    pick = staticmethod(packed.pick)
    length = staticmethod(int.bit_count)

    @staticmethod
    def parse(text: str) -> int:
        return one.mask_of(one.parse_cards(text))

    @staticmethod
    def places(cards: int) -> list[int]:
        return list(one.cards_of(cards))

    @staticmethod
    def lacking(hand: int, cards: int) -> int:
        return cards & ~hand

    @staticmethod
    def lowest(hand: int) -> int:
        return hand & -hand


class NoJokers(OneDeck):
    """52 cards."""

    size = 52
    full = (1 << 52) - 1
    of_rank: tuple[int, ...] = (*(4,) * 13, 0, 0)


_ONES = sum(1 << 2 * card for card in range(one.DECK))
_CARDS = tuple(1 << 2 * card for card in range(one.DECK))
_IN_BYTE = tuple(sum(byte >> 2 * suit & 3 for suit in range(4)) for byte in range(256))


def _bytes(cards: int) -> bytes:
    return cards.to_bytes(14, "little")


def _taken(held: int, number: int) -> int:
    """The lowest `number` cards of one rank's field."""
    taken = 0
    for shift in (0, 2, 4, 6):
        some = min(number, held >> shift & 3)
        taken |= some << shift
        number -= some
    return taken


_LOWEST = tuple(tuple(_taken(held, number) for held in range(256)) for number in range(9))
_NAMES = tuple(
    tuple([one.NAMES[4 * rank + suit] for suit in range(4) for _ in range(byte >> 2 * suit & 3)])
    if rank < 13
    else tuple([one.NAMES[52 + joker] for joker in range(2) for _ in range(byte >> 2 * joker & 3)])
    for rank in range(14)
    for byte in range(256)
)


class TwoDecks:
    """108 cards, each twice."""

    size = 2 * one.DECK
    full = 2 * _ONES
    of_rank: tuple[int, ...] = (*(8,) * 13, 2, 2)

    @staticmethod
    def parse(text: str) -> int:
        numbers = one.parse_cards(text)
        for number in numbers:
            if numbers.count(number) > 2:
                raise ValueError(f"{one.NAMES[number]} is named more than twice")
        return sum([_CARDS[number] for number in numbers])

    @staticmethod
    def names(cards: int) -> list[str]:
        out: list[str] = []
        for rank, byte in enumerate(cards.to_bytes(14, "little")):
            if byte:
                out += _NAMES[rank << 8 | byte]
        return out

    @staticmethod
    def of(numbers: Iterable[int]) -> int:
        return sum([_CARDS[number >> 1] for number in numbers])

    @staticmethod
    def places(cards: int) -> list[int]:
        """Of a card that is held once, the first copy."""
        return [
            2 * card + copy for card in range(one.DECK) for copy in range(cards >> 2 * card & 3)
        ]

    @staticmethod
    def length(cards: int) -> int:
        return (cards & _ONES).bit_count() + 2 * (cards >> 1 & _ONES).bit_count()

    @staticmethod
    @lru_cache(_CACHED)
    def counts(cards: int) -> int:
        rank_bytes = _bytes(cards)
        counts = 0
        for rank in range(13):
            counts |= _IN_BYTE[rank_bytes[rank]] << 4 * rank
        jokers = rank_bytes[13]
        return counts | (jokers & 3) << 52 | (jokers >> 2 & 3) << 56

    @staticmethod
    def pick(hand: int, counts: int) -> int:
        cards = 0
        if counts >> 52:
            cards = (counts >> 52 & 3) << 104 | (counts >> 56 & 3) << 106
            counts &= (1 << 52) - 1
        while counts:
            shift = (counts & -counts).bit_length() - 1 & 60
            number = counts >> shift & 15
            cards |= _LOWEST[number][hand >> 2 * shift & 255] << 2 * shift
            counts ^= number << shift
        return cards

    @staticmethod
    def lacking(hand: int, cards: int) -> int:
        a0, a1 = cards & _ONES, cards >> 1 & _ONES
        b0, b1 = hand & _ONES, hand >> 1 & _ONES
        return (a1 & ~b1 & ~b0) << 1 | a0 & ~b0 & ~b1 | a1 & b0

    @staticmethod
    def lowest(hand: int) -> int:
        """A field's lowest bit is its first copy or, of two, the higher bit."""
        low = hand & -hand
        return low if low & _ONES else low >> 1


ONE_DECK: Deck = OneDeck()
NO_JOKERS: Deck = NoJokers()
TWO_DECKS: Deck = TwoDecks()


def dealt(deck: Deck, order: Sequence[int], sizes: Sequence[int]) -> Iterator[int]:
    """The hands cut from an order of the deck, then what is left."""
    start = 0
    for size in sizes:
        yield deck.of(order[start : start + size])
        start += size
    yield deck.of(order[start:])
