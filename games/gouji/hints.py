"""The hint set from a view: what a client, which has no state, may offer.

It must find what `State.legal_actions` lists; the conformance kit compares them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.gouji import deck, tributes
from games.gouji.actions import (
    ANNOUNCE,
    ASK_THREE,
    AUTO_REVOLUTION,
    BURN,
    NO_HEAD,
    PASS,
    PLAY,
    RETURN,
    REVOLUTION,
    TRIBUTE,
    WANT_HEAD,
    YIELD,
    with_cards,
)
from games.gouji.finder import Finder
from games.gouji.opening import shows
from games.gouji.plays import PlayRules, Reading
from games.gouji.trading import payments

_WITHOUT_CARDS = {
    "pass": PASS,
    "yield": YIELD,
    "revolution": REVOLUTION,
    "no_head": NO_HEAD,
    "want_head": WANT_HEAD,
    "announce_point": ANNOUNCE,
    "ask_three": ASK_THREE,
    "auto_revolution": AUTO_REVOLUTION,
}


def cards_in(names: Sequence[str]) -> int:
    """The set of a view's list of names."""
    return deck.parse_set(" ".join(names))


def top_in(view: Mapping[str, Any], rules: PlayRules) -> Reading | None:
    """The top play of a view."""
    return rules.reading(cards_in(view["table"]["cards"])) if view["table"] else None


def legal_in_view(
    view: Mapping[str, Any], finder: Finder, rules: PlayRules, *, bie_san: bool
) -> list[int]:
    found: list[int] = []
    for verb in view.get("legal") or ():
        if verb in _WITHOUT_CARDS:
            found.append(_WITHOUT_CARDS[verb])
        elif verb in ("play", "burn"):
            found += _plays(view, finder, rules, bie_san=bie_san)
        else:
            found += _cards(view, verb, bie_san=bie_san)
    return found


def _plays(
    view: Mapping[str, Any], finder: Finder, rules: PlayRules, *, bie_san: bool
) -> list[int]:
    hand, top = cards_in(view["hand"]), top_in(view, rules)
    if top is None:
        return [with_cards(PLAY, cards) for cards in finder.leads(hand, bie_san=bie_san)]
    burn = view["burn"]
    verb = BURN if burn and burn["window"] else PLAY
    return [with_cards(verb, cards) for cards in finder.follows(hand, top, bie_san=bie_san)]


def _cards(view: Mapping[str, Any], verb: str, *, bie_san: bool) -> list[int]:
    hand = cards_in(view["hand"])
    if verb == "buy_three":
        return payments(hand)
    if verb == "show_lead":
        return shows(hand, bie_san=bie_san)
    count = view["trading"]["paying"]["count"]
    if verb == "tribute":
        own = cards_in(view["payable"])
        return [with_cards(TRIBUTE, tributes.usual_payment(own, count))]
    return [with_cards(RETURN, tributes.usual_return(hand, count, bie_san=bie_san))]
