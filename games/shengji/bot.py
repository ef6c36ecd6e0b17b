"""The bot: plays from a view, never from a state; the hint button is its move.

It claims suits in which it is long, buries towards short suits, leads what nobody can beat,
and follows by what a play is expected to win in card points against what its cards are worth
later. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.shengji import views
from games.shengji.actions import (
    BURY,
    CLAIMS,
    COUNTER_BOTTOM,
    PASS,
    SEATS,
    cards_in,
    suit_named,
    verb_of,
)
from games.shengji.phase import Sight
from paiju.rules.cards import BJ, RJ
from paiju.rules.tricks import NO_TRUMP, TRUMP, Ranking, points_of
from paiju.rules.tricks.contest import is_beaten
from paiju.rules.tricks.packs import copies_of, meet, pairs, parse_set, size_of, types_of
from paiju.rules.tricks.shapes import Component

if TYPE_CHECKING:
    from games.shengji.game import TrickGame

_LONG = 0.34
"""Share of trumps in the hand from which on a suit is claimed; the cards of a whole hand."""
_LONG_WITHOUT_DEAL = 0.42
"""The same where the claim does not bring the deal."""
_LONG_TO_COUNTER_BOTTOM = 0.5
_JOKERS_FOR_NO_TRUMP = 4


class ShengjiBot:
    """Bot of the family."""

    def __init__(self, game: TrickGame) -> None:
        self._game = game

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """One of `legal`, chosen from the view of the seat that is to act."""
        if len(legal) == 1:
            return legal[0]
        sight = views.sight_of(self._game, view)
        if view["phase"] == "play":
            return _Trick(view, sight).choose(legal)
        if verb_of(legal[-1]) == BURY:
            assert sight.rules is not None
            ranking = sight.rules.ranking
            return max(legal, key=lambda a: bury_value(ranking, sight.hand, cards_in(a)))
        if verb_of(legal[-1]) in (*CLAIMS, COUNTER_BOTTOM):
            return self._claim(view, sight, legal)
        return legal[0]

    def _claim(self, view: Mapping[str, Any], sight: Sight, legal: Sequence[int]) -> int:
        """The claim that makes most cards of the hand trump, if it makes enough."""
        wanted = _LONG if view["dealer"] is None else _LONG_WITHOUT_DEAL
        if verb_of(legal[-1]) == COUNTER_BOTTOM:
            wanted = _LONG_TO_COUNTER_BOTTOM
        best, best_share = PASS, wanted * sum_of_hand(view, sight.hand)
        for action in legal:
            if action == PASS:
                continue
            share = self._length(view, sight, action)
            if share > best_share:
                best, best_share = action, share
        return best

    def _length(self, view: Mapping[str, Any], sight: Sight, action: int) -> float:
        """How many trumps a claim would make of the hand."""
        cards = cards_in(action)
        if view["dealer"] is None and cards == 1 << 2 * RJ:
            return float("inf")  # Dagunzi: the deal is always worth having
        trump = sight.claims.trump(cards, suit_named(action))
        if trump == NO_TRUMP and _jokers(sight.hand) < _JOKERS_FOR_NO_TRUMP:
            return 0.0
        ranking = self._game.ranking_of(view["level"], trump)
        return float(size_of(sight.hand & ranking.suit_masks[TRUMP]))


def sum_of_hand(view: Mapping[str, Any], hand: int) -> float:
    """Cards that the seat will have: those that are still to come count, too."""
    return size_of(hand) + float(view["undealt"]) / SEATS


def _jokers(hand: int) -> int:
    return copies_of(hand, BJ) + copies_of(hand, RJ)


def bury_value(ranking: Ranking, hand: int, cards: int) -> float:
    """How good it is to bury these: no points, no high cards, no broken pairs, short suits."""
    value = -1.5 * points_of(cards)
    for card in types_of(cards):
        value -= copies_of(cards, card) * worth(ranking, card)
    value -= 2.0 * pairs(meet(cards, hand)).bit_count()
    left = hand - cards
    for mask in ranking.suit_masks[:TRUMP]:
        if hand & mask and not left & mask:
            value += 6.0
    return value


def worth(ranking: Ranking, card: int) -> float:
    """What a card is worth later, in card points."""
    rung = ranking.rung_of[card]
    top = len(ranking.rungs[ranking.suit_of[card]]) - 1
    if ranking.suit_of[card] == TRUMP:
        return 2.0 + 5.0 * rung / max(1, top)
    return 4.0 * (rung / max(1, top)) ** 3


class _Trick:
    """One decision in the play."""

    def __init__(self, view: Mapping[str, Any], sight: Sight) -> None:
        assert sight.rules is not None
        self.rules = sight.rules
        self.ranking = sight.rules.ranking
        self.sight = sight
        self.me = sight.seat
        self.partner = (self.me + 2) % SEATS
        self.voids: list[int] = view["voids"]
        self.winning: int | None = view["winning"]
        self.laid = [parse_set(" ".join(names)) for names in view["laid"]]
        self.on_table = sum(points_of(cards) for cards in self.laid)
        leader: int = view["leader"]
        self.place = (self.me - leader) % SEATS
        """0: leads; 3: plays last."""
        self.counts: list[int] = view["counts"]

    def choose(self, legal: Sequence[int]) -> int:
        lead = self.sight.lead
        value = self._lead_value if lead is None else self._follow_value
        return max(legal, key=lambda action: value(cards_in(action)))

    def _cost(self, cards: int) -> float:
        """What playing the cards takes from the hand."""
        cost = 0.0
        for card in types_of(cards):
            played = copies_of(cards, card)
            cost += played * worth(self.ranking, card)
            if played < copies_of(self.sight.hand, card):
                cost += 1.5
        return cost

    # ---- leading ---------------------------------------------------------------------------

    def _lead_value(self, cards: int) -> float:
        components = self.rules.components(cards)
        suit = self.ranking.suit(cards)
        assert suit is not None
        points, size = points_of(cards), size_of(cards)
        opponents = [s for s in range(SEATS) if s % 2 != self.me % 2]
        if not self._beaten(suit, components):
            chance = 0.95
            if suit != TRUMP and any(self.voids[s] >> suit & 1 for s in opponents):
                chance = 0.5
            return chance * (points + 2.0 * size + 4.0) - 0.4 * self._cost(cards)
        if len(components) > 1:
            return -50.0
        value = -0.8 * points - 0.5 * self._cost(cards)
        if suit != TRUMP and self.voids[self.partner] >> suit & 1:
            value += 3.0
        return value - 0.3 * size_of(self.sight.hand & self.ranking.suit_masks[suit])

    def _beaten(self, suit: int, components: Sequence[Component]) -> bool:
        """Whether cards that are out could beat one of them, all in one hand."""
        out = [self.sight.unseen & self.ranking.suit_masks[suit]]
        return any(is_beaten(self.ranking, suit, c, out) for c in components)

    # ---- following -------------------------------------------------------------------------

    def _follow_value(self, cards: int) -> float:
        """Expected card points of the trick for the own side, less what the cards are worth."""
        chance = self._chance(cards)
        points = self.on_table + points_of(cards)
        tempo = 2.0 + points
        return (2.0 * chance - 1.0) * tempo - 0.45 * self._cost(cards)

    def _chance(self, cards: int) -> float:
        """That the trick goes to the own side when these are played."""
        lead = self.sight.lead
        assert lead is not None and self.winning is not None
        last = self.place == SEATS - 1
        key = self.rules.key(lead, cards)
        best = self.rules.key(lead, self.laid[self.winning])
        if key is not None and (best is None or key > best):
            if last:
                return 1.0
            return 0.9 if self._holds(key) else 0.55
        if self.winning == self.partner:
            if last:
                return 1.0
            return 0.9 if best is not None and self._holds(best) else 0.6
        return 0.0 if self.place >= 2 else 0.3

    def _holds(self, key: tuple[bool, int]) -> bool:
        """Whether nothing that is out in the suit of the best play is higher."""
        lead = self.sight.lead
        assert lead is not None
        trump, top = key
        suit = TRUMP if trump else lead.suit
        kind, length = lead.shape[0]
        best = Component(kind, length, top, top, 0)
        return not self._beaten(suit, [best])
