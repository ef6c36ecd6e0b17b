"""The game's bot: a few rules of thumb over one's own hand and what lies on the table.

A hand is thought of as *groups*: the cards of one rank below 2 are played together, 2s and
jokers are spent where they help. A play is worth its cost in rank, in groups torn apart and
in 2s and jokers; how much a lead may cost depends on who lies on top and who is near the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.gouji import deck, hints
from games.gouji.actions import (
    ANNOUNCE,
    BURN,
    NO_HEAD,
    PASS,
    REVOLUTION,
    WANT_HEAD,
    with_cards,
)
from games.gouji.plays import THRESHOLDS
from games.gouji.seats import opposite

if TYPE_CHECKING:
    from games.gouji.rules import Gouji

_J, _K, _A = 8, 10, 11
_TWO_COST, _JOKER_COST, _TEAR_COST = 7.0, 9.0, 4.0
_FULL_LIMIT = 40.0  # no price is too high
_NEAR = 10  # cards; such a seat has reported


class GoujiBot:
    """Stateless: all it knows is in the view."""

    def __init__(self, game: Gouji) -> None:
        self._bie_san = bool(game.values["bie_san"])
        self._finder = game.state_class.finder
        self._plays = game.state_class.plays

    def act(self, view: Mapping[str, Any], legal: Sequence[int], budget_ms: int) -> int:
        """One of `legal`; takes well under a millisecond."""
        hand = hints.cards_in(view["hand"])
        if view["phase"] != "play":
            return _before_the_play(view["phase"], hand, legal)
        for action in legal:
            if action >> 8 == hand:
                return action
        burn = view["burn"]
        if burn and burn["window"]:
            return _cover(hand, legal) or PASS
        if view["table"] is None:
            obliged = burn is not None and burn["burner"] in view["to_act"]
            return _lead(hand, legal, obliged=obliged, bie_san=self._bie_san)
        return _follow(hand, legal, view)

    def claim(self, view: Mapping[str, Any], seat: int) -> int | None:
        """A burn to send out of turn, when the hand can keep the obligation; else None."""
        hand, burn = hints.cards_in(view["hand"]), view["burn"]
        top = hints.top_in(view, self._plays)
        if not burn or seat not in burn["may"] or top is None:
            return None
        follows = self._finder.follows(hand, top, bie_san=self._bie_san)
        return _cover(hand, [with_cards(BURN, cards) for cards in follows])


def _count(cards: int, rank: int) -> int:
    return deck.count_of(cards, rank)


def _jokers(cards: int) -> int:
    return _count(cards, deck.BJ_RANK) + _count(cards, deck.RJ_RANK)


def _groups(hand: int) -> int:
    """Ranks below 2 that are held: so many leads, should nobody ever answer."""
    return sum(1 for rank in range(deck.TWO) if _count(hand, rank))


def _threshold_groups(hand: int) -> int:
    """Groups that are threshold plays by themselves."""
    return sum(1 for rank, least in THRESHOLDS.items() if _count(hand, rank) >= least)


def _before_the_play(phase: str, hand: int, legal: Sequence[int]) -> int:
    strong = _threshold_groups(hand)
    if phase == "revolution":
        return REVOLUTION if strong < 2 else PASS
    if phase == "head":
        return WANT_HEAD if strong >= 3 else NO_HEAD
    if phase == "announce":
        firm = strong >= 5 and _jokers(hand) >= 2
        return ANNOUNCE if firm else PASS
    return legal[-1] if phase == "show_lead" else legal[0]


def _cover(hand: int, burns: Sequence[int]) -> int | None:
    """The burn after which every lead can have a joker, but the last, which empties the hand."""
    for action in burns:
        if action == PASS:
            continue
        left = hand - (action >> 8)
        if not left or 1 <= _groups(left) <= _jokers(left) + 1:
            return action
    return None


def _lead(hand: int, legal: Sequence[int], *, obliged: bool, bie_san: bool) -> int:
    """The whole of the lowest rank; under obligation with a joker."""
    best, best_score = legal[0], -1e9
    for action in legal:
        cards = action >> 8
        jokers, twos = _jokers(cards), _count(cards, deck.TWO)
        rank = next((r for r in range(deck.TWO) if _count(cards, r)), deck.TWO)
        torn = rank < deck.TWO and _count(hand, rank) != _count(cards, rank)
        score = -float(rank) - _TEAR_COST * torn + 0.2 * deck.size_of(cards)
        score -= 0 if obliged and jokers == 1 else _JOKER_COST * jokers
        score -= _TWO_COST * (twos if rank < deck.TWO else twos - 1)
        if obliged and jokers:
            score += 100
        if score > best_score:
            best, best_score = action, score
    return best


def _follow(hand: int, legal: Sequence[int], view: Mapping[str, Any]) -> int:
    """The cheapest answer if it is not too dear; else pass."""
    limit = _limit(hand, view)
    best, best_cost = PASS, limit
    for action in legal:
        cards = action >> 8
        if not cards:
            continue
        cost = _cost(hand, cards)
        if cost < best_cost:
            best, best_cost = action, cost
    return best


def _cost(hand: int, cards: int) -> float:
    rank = next((r for r in range(deck.TWO) if _count(cards, r)), deck.TWO)
    cost = float(max(rank - 4, 0)) if rank < deck.TWO else 0.0
    if rank < deck.TWO and _count(hand, rank) != _count(cards, rank):
        cost += _TEAR_COST
    return cost + _TWO_COST * _count(cards, deck.TWO) + _JOKER_COST * _jokers(cards)


def _limit(hand: int, view: Mapping[str, Any]) -> float:
    """What taking the lead may cost."""
    me, top = view["to_act"][0], view["table"]
    over = top["seat"]
    left = view["counts"][over]
    if _groups(hand) <= 2:
        return _FULL_LIMIT
    if over % 2 == me % 2:
        return 5.0 if top["rank"] in "3456789T" and not top["gouji"] else 0.0
    if left is not None and left <= _NEAR:
        return 30.0
    if over == opposite(me) and top["gouji"]:
        return 22.0
    return 14.0
