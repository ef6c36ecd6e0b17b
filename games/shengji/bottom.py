"""The bottom: taking it, burying as many cards, and countering it (反底)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.shengji.actions import BURY, COUNTER_BOTTOM, PASS, SEATS, TAKE_BOTTOM, with_cards
from games.shengji.claims import standing_rank
from games.shengji.declaring import claim_event, declared
from games.shengji.phase import Phase, Sight, need_cards
from paiju.rules.api import Event, IllegalAction
from paiju.rules.tricks import Ranking
from paiju.rules.tricks.follow import filled
from paiju.rules.tricks.packs import join, names_of, size_of, text_of

if TYPE_CHECKING:
    from games.shengji.state import State


class TakeBottom(Phase):
    """The dealer, or whoever countered the bottom, takes all of it into its hand."""

    name = "take_bottom"
    verbs = (TAKE_BOTTOM,)

    def enter(self, state: State) -> list[Event]:
        if not state.bottom:
            return state.enter("play")
        state.queue = [state.taker()]
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        """There is nothing to choose."""

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        taken, state.bottom = state.bottom, 0
        state.hands[seat] += taken
        if state.bottom_open:
            state.known[seat] += taken
        state.burier, state.bottom_open = seat, False
        size = {"seat": seat, "size": size_of(taken)}
        shown = {**size, "cards": names_of(taken)}
        return [Event("take_bottom", shown, (seat,), size), *self.on(state)]

    def default(self, state: State, seat: int) -> int:
        return TAKE_BOTTOM

    def actions(self, sight: Sight) -> Sequence[int]:
        return [TAKE_BOTTOM]


class Bury(Phase):
    """As many cards as were taken go back under, points and trumps too."""

    name = "bury"
    verbs = (BURY,)

    def enter(self, state: State) -> list[Event]:
        state.queue = [state.burier]
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        need_cards(state, seat, cards)
        if size_of(cards) != state.under:
            raise IllegalAction("bury_count", count=state.under)

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        state.hands[seat] -= cards
        state.bottom = cards
        state.known[seat] = 0  # anything it has shown may lie under by now
        size = {"seat": seat, "size": state.under}
        event = Event("bury", {**size, "cards": names_of(cards)}, (seat,), size)
        return [event, *self.on(state)]

    def default(self, state: State, seat: int) -> int:
        assert state.ranking is not None
        return with_cards(BURY, self.cheapest(state.ranking, state.hands[seat], state.under))

    def cheapest(self, ranking: Ranking, hand: int, size: int) -> int:
        return filled(0, hand, size, ranking.place)

    def actions(self, sight: Sight) -> Sequence[int]:
        """The cheapest; the same without points of course; emptying the shortest suits."""
        assert sight.rules is not None
        ranking, hand, size = sight.rules.ranking, sight.hand, sight.under
        found = [self.cheapest(ranking, hand, size)]
        found += _from_short_suits(ranking, hand, size)
        return [
            with_cards(BURY, cards) for cards in dict.fromkeys(found) if self.allowed(hand, cards)
        ]

    def allowed(self, hand: int, cards: int) -> bool:
        """Further conditions of a rule set."""
        return True


def _from_short_suits(ranking: Ranking, hand: int, size: int) -> list[int]:
    """Per order of filling, the side suits from the shortest on, then what is missing."""
    sides = [hand & mask for mask in ranking.suit_masks[:-1]]
    sides.sort(key=size_of)
    out = []
    for order in (ranking.place, ranking.rich):
        cards = 0
        for own in sides:
            missing = size - size_of(cards)
            cards += own if size_of(own) <= missing else filled(0, own, missing, order)
        out.append(filled(cards, hand, size, ranking.place))
    return out


class CounterBottom(Phase):
    """Huanle: the seats after the last burier may counter with a stronger pair or triple."""

    name = "counter_bottom"
    verbs = (PASS, COUNTER_BOTTOM)

    def enter(self, state: State) -> list[Event]:
        if state.game.values["decks"] == 1:
            return self.on(state)
        state.queue = [(state.burier + step) % SEATS for step in range(1, SEATS)]
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        if verb == PASS:
            return
        need_cards(state, seat, cards)
        claims = state.game.claims_of(state.level, state.dealer)
        if not claims.strength(cards, suit) or size_of(cards) < 2:
            raise IllegalAction("no_counter", level=state.level)
        if standing_rank(cards) <= standing_rank(state.claim):
            raise IllegalAction("too_weak", claim=text_of(state.claim))

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        if verb == PASS:
            state.queue.pop(0)
            return [Event("pass", {"seat": seat}), *([] if state.queue else self.on(state))]
        claims = state.game.claims_of(state.level, state.dealer)
        state.claim, state.claimer = cards, seat
        state.known[seat] = join(state.known[seat], cards)
        state.bottom_counters += 1
        state.fix_trump(claims.trump(cards, suit))
        events = [claim_event("counter_bottom", seat, cards, None), declared(state)]
        return events + state.enter("take_bottom")

    def default(self, state: State, seat: int) -> int:
        return PASS

    def actions(self, sight: Sight) -> Sequence[int]:
        rank = standing_rank(sight.claim)
        sets = [cards for cards, _ in sight.claims.offers(sight.hand)]
        stronger = [c for c in sets if size_of(c) > 1 and standing_rank(c) > rank]
        return [PASS, *(with_cards(COUNTER_BOTTOM, cards) for cards in stronger)]
