"""Other cards for the hands that a seat cannot see, each possible world equally likely."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.wuhuaguo.legal import OPENING, OPENING_CARD, has_opening
from paiju.rules.api import Rng
from paiju.rules.cards import BITS, RANK_OF, cards_of

if TYPE_CHECKING:
    from games.wuhuaguo.hand import WuhuaguoState


def other_hands(state: WuhuaguoState, seat: int, rng: Rng) -> list[int]:
    """Hands that fit what the seat knows: sizes, who holds 3h, and the ceilings.

    The cards are placed from the highest down. Whoever may take a card may take every lower
    one, too, so the number of places that a card finds does not depend on those before it:
    choosing each place with equal chance makes all worlds equally likely.
    """
    hands = [hand if other == seat else 0 for other, hand in enumerate(state.hands)]
    places = [0 if other == seat else hand.bit_count() for other, hand in enumerate(state.hands)]
    pool = [card for s, hand in enumerate(state.hands) if s != seat for card in cards_of(hand)]
    opener = state.banker
    if opener != seat and has_opening(state.hands[opener]):
        hands[opener] |= OPENING
        places[opener] -= 1
        pool.remove(OPENING_CARD)
    for card in sorted(pool, reverse=True):
        rank = RANK_OF[card]
        able = [s for s, free in enumerate(places) if free and rank <= state.ceiling[s]]
        pick = rng.below(sum([places[s] for s in able]))
        for s in able:
            if pick < places[s]:
                break
            pick -= places[s]
        hands[s] |= BITS[card]
        places[s] -= 1
    return hands
