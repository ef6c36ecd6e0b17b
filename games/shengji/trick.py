"""Playing the tricks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.shengji.actions import PLAY, SEATS, THROW, with_cards
from games.shengji.phase import Phase, Sight, need_cards
from paiju.rules.api import ALL, Event, IllegalAction
from paiju.rules.tricks import Lead, TrickRules, best_of, lead_of, points_of
from paiju.rules.tricks.packs import join, meet, names_of, size_of

if TYPE_CHECKING:
    from games.shengji.state import State


class Play(Phase):
    """The leader plays one component, or throws several; the others follow; to the last card.

    The dealer leads first, then whoever took the trick.
    """

    name = "play"
    verbs = (PLAY, THROW)

    def enter(self, state: State) -> list[Event]:
        state.leader = state.dealer
        state.queue = [state.dealer]
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        need_cards(state, seat, cards)
        rules = state.rules
        assert rules is not None
        lead = state.lead
        if lead is None:
            components = rules.components(cards)
            if not components:
                raise IllegalAction("no_lead")
            if (verb == THROW) != (len(components) > 1):
                raise IllegalAction("throw_it" if verb == PLAY else "no_throw")
            return
        if verb == THROW:
            raise IllegalAction("leader_throws")
        if size_of(cards) != lead.size:
            raise IllegalAction("wrong_count", count=lead.size)
        if not rules.may_follow(lead, state.hands[seat], cards):
            raise _refusal(rules, lead, state.hands[seat], cards)

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        rules = state.rules
        assert rules is not None
        thrown = cards
        if verb == THROW:
            others = [hand for s, hand in enumerate(state.hands) if s != seat]
            forced = rules.forced(cards, others)
            cards = thrown if forced is None else forced
        state.hands[seat] -= cards
        state.gone += cards
        known = state.known[seat]
        if thrown != cards:
            known = join(known, thrown)
        if known:
            state.known[seat] = known - meet(known, cards)
        if state.lead is None:
            state.lead = lead_of(rules, cards)
        elif cards & ~rules.ranking.suit_masks[state.lead.suit]:
            state.voids[seat] |= 1 << state.lead.suit
        state.laid[seat] = cards
        data = {"seat": seat, "cards": names_of(cards)}
        if thrown != cards:
            data["thrown"] = names_of(thrown)
        events = [tuple.__new__(Event, ("play", data, ALL, None))]
        state.queue = [(seat + 1) % SEATS]
        if state.queue[0] == state.leader:
            events += self._trick_over(state)
        return events

    def _trick_over(self, state: State) -> list[Event]:
        taker = winner_of(state)
        points = points_of(sum(state.laid))
        if state.scores(taker):
            state.points += points
        state.winners.append(taker)
        state.last = state.laid
        lead, state.lead = state.lead, None
        state.laid = [0] * SEATS
        events = [Event("trick", {"winner": taker, "points": points})]
        if state.hands[taker]:
            state.leader = taker
            state.queue = [taker]
            return events
        assert lead is not None and state.rules is not None
        state.largest = max(c.size() for c in state.rules.components(lead.cards))
        return events + state.finish("finished")

    def default(self, state: State, seat: int) -> int:
        assert state.rules is not None
        return with_cards(PLAY, state.rules.automatic(state.lead, state.hands[seat]))

    def actions(self, sight: Sight) -> Sequence[int]:
        rules, lead = sight.rules, sight.lead
        assert rules is not None
        if lead is not None:
            follows = dict.fromkeys(rules.follows(lead, sight.hand))
            return [with_cards(PLAY, cards) for cards in follows]
        leads = dict.fromkeys(rules.leads(sight.hand, sight.unseen))
        return [
            with_cards(PLAY if len(rules.components(cards)) == 1 else THROW, cards)
            for cards in leads
        ]


def winner_of(state: State) -> int:
    """Who has the running trick so far; there is a lead."""
    assert state.rules is not None and state.lead is not None
    plays = []
    for step in range(SEATS):
        cards = state.laid[(state.leader + step) % SEATS]
        if not cards:
            break
        plays.append(cards)
    return (state.leader + best_of(state.rules, state.lead, plays)) % SEATS


def _refusal(rules: TrickRules, lead: Lead, hand: int, cards: int) -> IllegalAction:
    """Why a follow of the right size is refused."""
    mask = rules.ranking.suit_masks[lead.suit]
    own = size_of(hand & mask)
    if own > lead.size:
        if cards & ~mask:
            return IllegalAction("follow_suit", suit=lead.suit, count=lead.size)
        kind, length = lead.owed[0] if lead.owed else (0, 1)
        return IllegalAction("follow_kind", kind=rules.kind_names[kind], length=length)
    return IllegalAction("follow_suit", suit=lead.suit, count=own)
