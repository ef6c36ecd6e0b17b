"""Dagunzi: tribute (进贡) and what comes back, jokers swapped into the bottom, the dry pot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.shengji.actions import PASS, RETURN_TRIBUTE, SEATS, SWAP_JOKER, TRIBUTE, with_cards
from games.shengji.hand import UNKNOWN
from games.shengji.phase import Phase, Sight, need_cards
from paiju.rules.api import Event, IllegalAction
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks import TRUMP, Ranking
from paiju.rules.tricks.packs import (
    UNITS,
    cards_of,
    copies_of,
    join,
    meet,
    names_of,
    set_of,
    size_of,
)
from paiju.rules.tricks.ranking import POINT_CARDS, TWO

if TYPE_CHECKING:
    from games.shengji.state import State

JOKERS = 3 * (UNITS[BJ] + UNITS[RJ])
EXEMPT = 3 * UNITS[RJ]
"""Who holds these pays no tribute."""


# ---- the arithmetic ----------------------------------------------------------------------------


def is_dry(ranking: Ranking, bottom: int) -> bool:
    """干锅: a shown bottom without a real trump, or without a side card. Jokers and 2s are
    neither; an empty bottom is not dry."""
    if not bottom:
        return False
    trumps = [card for card in cards_of(bottom) if ranking.suit_of[card] == TRUMP]
    real = any(card < BJ and card // 4 != TWO for card in trumps)
    return not real or len(trumps) == size_of(bottom)


def height(ranking: Ranking, card: int) -> tuple[bool, int]:
    """Trumps above all side cards, then by rung."""
    return ranking.suit_of[card] == TRUMP, ranking.rung_of[card]


def is_highest(ranking: Ranking, hand: int, given: int) -> bool:
    """Whether nothing that is kept is higher than anything given."""
    kept = cards_of(hand - given)
    if not kept or not given:
        return True
    least = min(height(ranking, card) for card in cards_of(given))
    return max(height(ranking, card) for card in kept) <= least


def highest_cards(ranking: Ranking, hand: int, count: int) -> int:
    """The cards of a tribute; of equal ones s h c d first."""
    order = sorted(cards_of(hand), key=lambda card: (height(ranking, card), card % 4))
    return set_of(order[len(order) - count :])


def _return_order(ranking: Ranking, card: int) -> tuple[bool, bool, int]:
    """What is returned first: no points, side suits, lower rungs. So what may be returned
    freely, side cards without points, comes before everything else."""
    trump, rung = height(ranking, card)
    return bool(UNITS[card] & POINT_CARDS), trump, rung


def lowest_cards(ranking: Ranking, hand: int, count: int) -> int:
    """What is returned for an absent seat; of equal cards d c h s first."""
    order = sorted(cards_of(hand), key=lambda card: (_return_order(ranking, card), card % 4))
    return set_of(order[:count])


def is_return(ranking: Ranking, hand: int, given: int) -> bool:
    """Side cards without points; when they do not reach all of them and the next in order."""
    free = [c for c in cards_of(hand) if _return_order(ranking, c)[:2] == (False, False)]
    if len(free) >= size_of(given):
        return all(_return_order(ranking, c)[:2] == (False, False) for c in cards_of(given))
    wanted = cards_of(lowest_cards(ranking, hand, size_of(given)))
    return sorted(_return_order(ranking, c) for c in wanted) == sorted(
        _return_order(ranking, c) for c in cards_of(given)
    )


def exchangeable(ranking: Ranking, bottom: int) -> list[int]:
    """Cards that jokers may take out of the bottom, the first to go first."""
    cards = [c for c in cards_of(bottom) if c < BJ and not UNITS[c] & POINT_CARDS]
    return sorted(cards, key=ranking.place.__getitem__)


def red_first(hand: int, away: int) -> bool:
    """Whether `away` keeps the rule that no black joker goes under while a red one stays."""
    return not copies_of(away, BJ) or not copies_of(hand - away, RJ)


# ---- the phases --------------------------------------------------------------------------------


class Tribute(Phase):
    """The payer gives its highest cards. Three red jokers turn it round or call it off."""

    name = "tribute"
    verbs = (TRIBUTE,)

    def enter(self, state: State) -> list[Event]:
        state.owed = min(state.owed, *state.hand_sizes())
        if not state.owed:
            return self.on(state)
        payer = (state.dealer + 3) % SEATS
        partner = (payer + 2) % SEATS
        if state.hands[payer] & EXEMPT == EXEMPT:
            state.payer, state.paid = state.dealer, state.owed
            events = [_exempt(state, payer)]
        elif state.hands[partner] & EXEMPT == EXEMPT:
            state.owed = 0
            return [_exempt(state, partner), *self.on(state)]
        else:
            state.payer, state.paid = payer, state.owed
            events = []
        state.queue = [state.payer]
        return events

    def on(self, state: State) -> list[Event]:
        if state.payer != UNKNOWN:
            return state.enter("return_tribute")
        return state.enter(after_tribute(state))

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        need_cards(state, seat, cards)
        assert state.ranking is not None
        if size_of(cards) != state.owed:
            raise IllegalAction("tribute_count", count=state.owed)
        if not is_highest(state.ranking, state.hands[seat], cards):
            raise IllegalAction("tribute_highest", count=state.owed)

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        return [_moved(state, "tribute", seat, receiver(state), cards), *self.on(state)]

    def default(self, state: State, seat: int) -> int:
        assert state.ranking is not None
        return with_cards(TRIBUTE, highest_cards(state.ranking, state.hands[seat], state.owed))

    def actions(self, sight: Sight) -> Sequence[int]:
        assert sight.rules is not None
        cards = highest_cards(sight.rules.ranking, sight.hand, sight.owed)
        return [with_cards(TRIBUTE, cards)]


class ReturnTribute(Phase):
    """As many low cards come back."""

    name = "return_tribute"
    verbs = (RETURN_TRIBUTE,)

    def enter(self, state: State) -> list[Event]:
        state.queue = [receiver(state)]
        return []

    def on(self, state: State) -> list[Event]:
        return state.enter(after_tribute(state))

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        need_cards(state, seat, cards)
        assert state.ranking is not None
        if size_of(cards) != state.owed:
            raise IllegalAction("return_count", count=state.owed)
        if not is_return(state.ranking, state.hands[seat], cards):
            raise IllegalAction("return_low")

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        return [_moved(state, "return_tribute", seat, state.payer, cards), *self.on(state)]

    def default(self, state: State, seat: int) -> int:
        assert state.ranking is not None
        cards = lowest_cards(state.ranking, state.hands[seat], state.owed)
        return with_cards(RETURN_TRIBUTE, cards)

    def actions(self, sight: Sight) -> Sequence[int]:
        """The lowest; and where there is a choice, the lowest of each side suit."""
        assert sight.rules is not None
        ranking, hand, owed = sight.rules.ranking, sight.hand, sight.owed
        found = [lowest_cards(ranking, hand, owed)]
        for mask in ranking.suit_masks[:TRUMP]:
            own = hand & mask & ~POINT_CARDS
            if size_of(own) >= owed:
                found.append(lowest_cards(ranking, own, owed))
        return [with_cards(RETURN_TRIBUTE, cards) for cards in dict.fromkeys(found)]


class SwapJoker(Phase):
    """The seats after the dealer may put jokers under and take the smallest cards for them."""

    name = "swap_joker"
    verbs = (PASS, SWAP_JOKER)

    def enter(self, state: State) -> list[Event]:
        if not state.bottom & ~POINT_CARDS:
            return self.on(state)
        state.queue = [(state.dealer + step) % SEATS for step in range(1, SEATS)]
        return []

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        if verb == PASS:
            return
        need_cards(state, seat, cards)
        if cards & ~JOKERS:
            raise IllegalAction("only_jokers")
        if not red_first(state.hands[seat], cards):
            raise IllegalAction("red_first")
        if size_of(cards) > state.game.swappable(state):
            raise IllegalAction("swappable", count=state.game.swappable(state))

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        state.queue.pop(0)
        if verb == PASS:
            events = [Event("pass", {"seat": seat})]
        else:
            events = [self._swap(state, seat, cards)]
        return events if state.queue else events + self.on(state)

    def _swap(self, state: State, seat: int, jokers: int) -> Event:
        assert state.ranking is not None
        picked = set_of(exchangeable(state.ranking, state.bottom)[: size_of(jokers)])
        state.hands[seat] += picked - jokers
        state.known[seat] -= meet(state.known[seat], jokers)
        if state.bottom_open:
            state.known[seat] += picked
        state.bottom += jokers - picked
        was_open, state.bottom_open = state.bottom_open, True
        data = {"seat": seat, "jokers": names_of(jokers), "bottom": names_of(state.bottom)}
        whole = {**data, "picked": names_of(picked)}
        return Event("swap_joker", whole) if was_open else Event("swap_joker", whole, (seat,), data)

    def default(self, state: State, seat: int) -> int:
        return PASS

    def actions(self, sight: Sight) -> Sequence[int]:
        out = [PASS]
        red, black = copies_of(sight.hand, RJ), copies_of(sight.hand, BJ)
        for count in range(1, min(red + black, sight.swappable) + 1):
            cards = min(count, red) * UNITS[RJ] + max(0, count - red) * UNITS[BJ]
            out.append(with_cards(SWAP_JOKER, cards))
        return out


def after_tribute(state: State) -> str:
    """A dry pot is left as it lies."""
    return "play" if state.dry else "take_bottom"


def receiver(state: State) -> int:
    """Who gets the tribute that is paid."""
    return (state.dealer + 3) % SEATS if state.payer == state.dealer else state.dealer


def _exempt(state: State, seat: int) -> Event:
    state.known[seat] = join(state.known[seat], EXEMPT)
    return Event("exempt", {"seat": seat, "cards": names_of(EXEMPT)})


def _moved(state: State, kind: str, giver: int, taker: int, cards: int) -> Event:
    """Cards change hands openly."""
    state.hands[giver] -= cards
    state.hands[taker] += cards
    state.known[giver] -= meet(state.known[giver], cards)
    state.known[taker] += cards
    return Event(kind, {"from": giver, "to": taker, "cards": names_of(cards)})
