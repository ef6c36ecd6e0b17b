"""Dagunzi (打滚子): three decks, sticks and rollers, tribute, the dry pot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from games.shengji.actions import BURY, SEATS, with_cards
from games.shengji.bottom import Bury, TakeBottom
from games.shengji.claims import Claims, FirstRedJoker, NamedClaims
from games.shengji.declaring import Declare, declared
from games.shengji.game import DEALER, LEVEL, LEVELS, TrickGame
from games.shengji.hand import UNKNOWN
from games.shengji.phase import Phase
from games.shengji.scores import DagunziScoring, Scoring
from games.shengji.tribute import (
    JOKERS,
    ReturnTribute,
    SwapJoker,
    Tribute,
    exchangeable,
    is_dry,
    red_first,
)
from games.shengji.trick import Play
from paiju.rules.api import Event, IllegalAction, Parameter
from paiju.rules.cards import BJ, NAMES, RANKS, RJ
from paiju.rules.tricks import Ranking, TrickRules, sticks
from paiju.rules.tricks.follow import filled
from paiju.rules.tricks.packs import UNITS, copies_of, join, names_of, size_of
from paiju.rules.tricks.ranking import TWO

if TYPE_CHECKING:
    from games.shengji.state import State


def turned_order(level: int) -> list[int]:
    """Place of each card when bottom cards are turned for the deal: 3 4 ... K A without the
    level rank, then 2, the level rank, BJ, RJ; suits do not matter."""
    ranks = [rank for rank in range(TWO + 1) if rank != level]
    if level != TWO:
        ranks.append(level)
    return [*(ranks.index(card // 4) for card in range(BJ)), len(ranks), len(ranks) + 1]


class DagunziDeclare(Declare):
    """First hand: the first red joker deals. Later: level cards and three jokers claim."""

    def _asked_again(self, state: State) -> list[int]:
        return [] if state.dealer == UNKNOWN else super()._asked_again(state)

    def over(self, state: State) -> list[Event]:
        if state.dealer == UNKNOWN:
            trump = _first_red(state) if state.claim else _turn_for_deal(state)
        elif state.claim:
            claims = state.game.claims_of(state.level, state.dealer)
            trump = claims.trump(state.claim, None if state.named == UNKNOWN else state.named)
        else:
            trump = _turn_for_trump(state)
        events = []
        if state.turned:
            events.append(Event("turned", {"cards": [NAMES[card] for card in state.turned]}))
        if trump == UNKNOWN:
            return events + state.finish("redeal")
        state.fix_trump(trump)
        assert state.ranking is not None
        events.append(declared(state))
        if state.claim:
            state.bottom_open = True
            state.dry = is_dry(state.ranking, state.bottom)
            shown = {"cards": names_of(state.bottom), "dry_pot": state.dry}
            events.append(Event("bottom", shown))
        return events + self.on(state)


def _first_red(state: State) -> int:
    """The suit of the first suited card that the claimer got after its first red joker, else
    of the first suited card of the bottom; UNKNOWN if all of it are jokers."""
    state.dealer = state.claimer
    start = (state.claimer - state.first) % SEATS
    own = list(state.pack[start : state.dealt : SEATS])
    for card in own[own.index(RJ) + 1 :]:
        if card < BJ:
            state.turned.append(card)
            state.known[state.claimer] = join(state.known[state.claimer], UNITS[card])
            return card % 4
    return _turn_for_trump(state)


def _turn_for_trump(state: State) -> int:
    """Cards of the bottom are turned until one has a suit."""
    for card in state.pack[state.dealt :]:
        state.turned.append(card)
        if card < BJ:
            return card % 4
    return UNKNOWN


def _turn_for_deal(state: State) -> int:
    """Each seat turns a card of the bottom; the smallest deals and makes the trumps."""
    turned = list(state.pack[state.dealt : state.dealt + SEATS])
    state.turned += turned
    order = turned_order(RANKS.index(state.level))
    if all(card >= BJ for card in turned):
        return UNKNOWN
    state.dealer = min(range(len(turned)), key=lambda seat: order[turned[seat]])
    return turned[state.dealer] % 4


class DagunziBury(Bury):
    """Jokers may be buried, red ones first, and are shown then."""

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        super().check(state, seat, verb, cards, suit)
        if not red_first(state.hands[seat], cards):
            raise IllegalAction("red_first")

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        shown = bool(cards & JOKERS)
        state.bottom_open = shown
        event, *more = super().act(state, seat, verb, cards, suit)
        return [Event(event.kind, event.data) if shown else event, *more]

    def cheapest(self, ranking: Ranking, hand: int, size: int) -> int:
        """No jokers as long as there is anything else."""
        plain = hand & ~JOKERS
        if size_of(plain) >= size:
            return filled(0, plain, size, ranking.place)
        red = min(copies_of(hand, RJ), size - size_of(plain))
        black = size - size_of(plain) - red
        return plain + red * UNITS[RJ] + black * UNITS[BJ]

    def default(self, state: State, seat: int) -> int:
        assert state.ranking is not None
        return with_cards(BURY, self.cheapest(state.ranking, state.hands[seat], state.under))

    def allowed(self, hand: int, cards: int) -> bool:
        return red_first(hand, cards)


class Dagunzi(TrickGame):
    """The game with its parameters."""

    name = "dagunzi"
    title: ClassVar[Mapping[str, str]] = {"zh": "打滚子", "en": "Dagunzi"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "dead_stick": Parameter(False, None, None, "sticks and rollers must be answered (死棒)"),
        "level": LEVEL._replace(default="3"),
        "levels": LEVELS,
        "dealer": DEALER,
        "tribute": Parameter(0, 0, 20, "cards owed in the first hand, if its dealer is set"),
        "escape_penalty": Parameter(50, 0, 1_000_000, "what leaving a running hand costs"),
    }
    phases: ClassVar[Mapping[str, Phase]] = {
        phase.name: phase
        for phase in (
            DagunziDeclare(then="tribute"),
            Tribute(then="return_tribute"),
            ReturnTribute(then="take_bottom"),
            TakeBottom(then="bury"),
            DagunziBury(then="swap_joker"),
            SwapJoker(then="play"),
            Play(then="over"),
        )
    }

    def _decks(self) -> int:
        return 3

    def _level_order(self) -> str:
        return "3456789TJQKA"

    def two_is_trump(self) -> bool:
        return True

    def _scoring(self) -> Scoring:
        return DagunziScoring(order=self.order)

    def make_claims(self, level: str, dealer: int) -> Claims:
        return FirstRedJoker() if dealer == UNKNOWN else NamedClaims(RANKS.index(level))

    def rules_of(self, ranking: Ranking) -> TrickRules:
        return sticks(ranking, self.values["dead_stick"])

    def tribute_of(self, carry: Mapping[str, Any]) -> int:
        if self.first_dealer_of(carry) == UNKNOWN:
            return 0
        owed: int = carry.get("tribute", 0 if carry else self.values["tribute"])
        return owed

    def swappable(self, state: State) -> int:
        if state.stage != SwapJoker.name or state.ranking is None:
            return 0
        return len(exchangeable(state.ranking, state.bottom))

    def shown_more(self, state: State) -> dict[str, Any]:
        tribute = None if state.payer == UNKNOWN else {"payer": state.payer, "cards": state.paid}
        return {
            "turned": [NAMES[card] for card in state.turned],
            "dry_pot": state.dry,
            "owed": state.owed,
            "tribute": tribute,
            "swappable": self.swappable(state),
        }
