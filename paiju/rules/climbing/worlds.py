"""Other worlds: the cards that a viewer cannot see, dealt anew among the places it cannot see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from paiju.rules.api import Rng
from paiju.rules.climbing.decks import Deck


class Known(NamedTuple):
    """What one viewer knows for certain."""

    hands: tuple[int, ...]
    """Per seat, what it knows of the cards held now."""
    bottom: int | None
    """The bottom cards, None: they are hidden from it."""


class Cards(NamedTuple):
    """Where the cards are."""

    dealt: tuple[int, ...]
    """Hands as dealt, without the bottom."""
    bottom: int
    taken_by: int | None
    """The seat whose hand the bottom cards joined."""
    hands: tuple[int, ...]
    """Held now."""
    never_bottom: int = 0
    """Cards of which everybody knows that they were dealt to a hand."""


def elsewhere(deck: Deck, cards: Cards, known: Known, rng: Rng) -> Cards:
    """The same cards played by everybody, the hidden ones mixed.

    What a seat has played and what the viewer knows stays where it is. Bottom cards that have
    joined a hand and are unknown are drawn anew from all that this hand ever held.
    """
    seats = range(len(cards.hands))
    lying = cards.bottom if cards.taken_by is None else 0
    hidden = [hand - sure for hand, sure in zip(cards.hands, known.hands, strict=True)]
    pool = [place for cards_ in hidden for place in deck.places(cards_)]
    if lying and known.bottom is None:
        pool += deck.places(lying)
    mixed = [pool[i] for i in rng.permutation(len(pool))]
    hands = []
    for sure, cards_ in zip(known.hands, hidden, strict=True):
        size = deck.length(cards_)
        hands.append(sure + deck.of(mixed[:size]))
        mixed = mixed[size:]
    bottom = cards.bottom
    had = _ever_held(cards, hands)
    if known.bottom is None:
        if cards.taken_by is None:
            bottom = deck.of(mixed)
        else:
            bottom = _some(deck, had[cards.taken_by], cards, rng)
    dealt = [had[s] - bottom if s == cards.taken_by else had[s] for s in seats]
    return cards._replace(dealt=tuple(dealt), bottom=bottom, hands=tuple(hands))


def _ever_held(cards: Cards, hands: Sequence[int]) -> list[int]:
    """Per seat: what it has played, which does not change, and what it is given to hold."""
    out = []
    for seat, hand in enumerate(hands):
        began = cards.dealt[seat] + (cards.bottom if seat == cards.taken_by else 0)
        out.append(began - cards.hands[seat] + hand)
    return out


def _some(deck: Deck, had: int, cards: Cards, rng: Rng) -> int:
    """As many of these cards as the bottom has, without those that cannot be of it."""
    free = had - (cards.never_bottom - deck.lacking(had, cards.never_bottom))
    places = deck.places(free)
    order = rng.permutation(len(places))
    return deck.of(places[i] for i in order[: deck.length(cards.bottom)])
