"""Declaring trumps (亮主), while the cards are dealt and after it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from games.shengji.actions import (
    CLAIMS,
    COUNTER,
    DECLARE,
    PASS,
    SEATS,
    VERBS,
    with_cards,
)
from games.shengji.claims import Claims, verb_for
from games.shengji.hand import UNKNOWN
from games.shengji.phase import Phase, Sight, need_cards
from paiju.rules.api import Event, IllegalAction
from paiju.rules.cards import SUITS
from paiju.rules.tricks import NO_TRUMP
from paiju.rules.tricks.packs import join, names_of, text_of

if TYPE_CHECKING:
    from games.shengji.state import State


def trump_name(trump: int) -> str | None:
    """d c h s, n for no trump; None while it is not known."""
    return None if trump == UNKNOWN else "n" if trump == NO_TRUMP else SUITS[trump]


class Declare(Phase):
    """All seats at once; each claim must be stronger; over when all four have passed since."""

    name = "declare"
    verbs: ClassVar[tuple[int, ...]] = (PASS, *CLAIMS)
    together: ClassVar[bool] = True
    during_deal: ClassVar[bool] = True

    def enter(self, state: State) -> list[Event]:
        state.queue = list(range(SEATS))
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        if verb == PASS:
            return
        need_cards(state, seat, cards)
        self._check_claim(state, seat, verb, cards, suit)

    def _check_claim(
        self, state: State, seat: int, verb: int, cards: int, suit: int | None
    ) -> None:
        claims = state.game.claims_of(state.level, state.dealer)
        strength = claims.strength(cards, suit)
        if not strength:
            raise IllegalAction("no_claim", level=state.level)
        if state.claim and strength <= _standing(claims, state.claim, state.named):
            raise IllegalAction("too_weak", claim=text_of(state.claim))
        fits = verb_for(state.claim, state.claimer, seat, cards)
        if verb != fits:
            raise IllegalAction("other_verb", verb=VERBS[fits])

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        if verb == PASS:
            state.queue.remove(seat)
            return [Event("pass", {"seat": seat}), *self._if_over(state)]
        events = [claim_event(VERBS[verb], seat, cards, suit)]
        state.claim, state.claimer = cards, seat
        state.named = UNKNOWN if suit is None else suit
        state.known[seat] = join(state.known[seat], cards)
        if state.first_claimer == UNKNOWN:
            state.first_claimer = seat
        state.counters += verb == COUNTER
        state.queue = self._asked_again(state)
        return events + self._if_over(state)

    def _asked_again(self, state: State) -> list[int]:
        return list(range(SEATS))

    def dealt(self, state: State) -> list[Event]:
        return self._if_over(state)

    def _if_over(self, state: State) -> list[Event]:
        return [] if state.queue or state.undealt() else self.over(state)

    def over(self, state: State) -> list[Event]:
        """All have passed: the last claim makes the trumps; in a first hand somebody deals."""
        if state.claim:
            claims = state.game.claims_of(state.level, state.dealer)
            named = None if state.named == UNKNOWN else state.named
            state.fix_trump(claims.trump(state.claim, named))
        else:
            state.fix_trump(NO_TRUMP)
        if state.dealer == UNKNOWN:
            state.dealer = state.game.dealer_by_claims(state)
        return [declared(state), *self.on(state)]

    def default(self, state: State, seat: int) -> int:
        return PASS

    def actions(self, sight: Sight) -> Sequence[int]:
        claims, standing = sight.claims, sight.claim
        floor = _standing(claims, standing, sight.named) if standing else 0
        out = [PASS]
        for cards, suit in claims.offers(sight.hand):
            if claims.strength(cards, suit) > floor:
                verb = verb_for(standing, sight.claimer, sight.seat, cards)
                out.append(with_cards(verb, cards, suit))
        return out


def _standing(claims: Claims, claim: int, named: int) -> int:
    return claims.strength(claim, None if named == UNKNOWN else named)


def claim_event(kind: str, seat: int, cards: int, suit: int | None) -> Event:
    """kind: the verb."""
    named = None if suit is None else SUITS[suit]
    return Event("claim", {"seat": seat, "verb": kind, "cards": names_of(cards), "suit": named})


def declared(state: State) -> Event:
    return Event("trump", {"trump": trump_name(state.trump), "dealer": state.dealer})


class TurnUp(Declare):
    """Aiqipai (翻主): after the deal, once round from `first`; the last card turned counts."""

    verbs: ClassVar[tuple[int, ...]] = (PASS, DECLARE)
    together: ClassVar[bool] = False
    during_deal: ClassVar[bool] = False

    def enter(self, state: State) -> list[Event]:
        state.queue = [(state.first + step) % SEATS for step in range(SEATS)]
        return []

    def _check_claim(
        self, state: State, seat: int, verb: int, cards: int, suit: int | None
    ) -> None:
        if not state.game.claims_of(state.level, state.dealer).strength(cards, suit):
            raise IllegalAction("one_level_card", level=state.level)

    def _asked_again(self, state: State) -> list[int]:
        return state.queue[1:]

    def dealt(self, state: State) -> list[Event]:
        return []

    def actions(self, sight: Sight) -> Sequence[int]:
        offers = sight.claims.offers(sight.hand)
        return [PASS, *(with_cards(DECLARE, cards) for cards, _ in offers)]
