"""Mala Dou Dizhu (麻辣斗地主): grabbing blind, and a stake with each farmer that is raised in turn.

Hands lie face down until the first seat looks or, after a blind grab, until the raising is
over. Source: docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.bot import sense
from games.doudizhu.bots import MalaBot
from games.doudizhu.landlord import BASE, COIN_PARAMETERS, LandlordGame, LandlordState, info
from paiju.rules.api import Bot, Event, IllegalAction, Parameter, Rng
from paiju.rules.climbing import (
    ONE_DECK,
    PASS,
    ROCKET,
    ClimbingGame,
    Combos,
    Deal,
    Finder,
    Kind,
    Known,
    Move,
    Settlement,
    two_sides,
)

SEATS = 3
ESCAPE_FACTOR = 3
BLIND_FACTOR = 2

COMBOS = Combos(
    (
        ROCKET,
        Kind("bomb", 4, bomb=True),
        Kind("trio_straight", 3, 2, 6),
        Kind("plane_single", 3, 2, 5, cards=1, distinct=True),
        Kind("four_two_single", 4, cards=2, distinct=True),
        Kind("pair_straight", 2, 3, 10),
        Kind("straight", 1, 5, 12),
        Kind("trio_single", 3, cards=1),
        Kind("trio", 3),
        Kind("pair", 2),
        Kind("single", 1),
    ),
    hand_max=20,
)
"""9,597 legal sets, each with one reading."""
FINDER = Finder(COMBOS)

BLIND_GRAB, LOOK, CALL, DAO, LEI = 1, 2, 3, 4, 5
LA, WO, PASS_ON = 6, 9, 18
"""Plus the farmer's seat."""
_RAISES = (DAO, LA, LEI, WO)
"""Stage 0 and 2 are the farmers', 1 and 3 the landlord's."""

_SENSE = sense(COMBOS, FINDER)


class MalaState(LandlordState):
    """One hand. Phases: deal, look, mcall, chain, play, end.

    chain: per farmer the raises so far; link: the stage of the raising, 0..3; raised: the
    farmer whose stake it is about.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *LandlordState._SAVED,
        *("blind", "seen", "passed", "chain", "link", "raised"),
    )
    __slots__ = ("blind", "chain", "link", "passed", "raised", "seen")

    deal_sizes = (17, 17, 17)

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.base = game.values["base"]
        self.blind = False
        self.seen = False  # whether the seats see their own cards
        self.passed = 0  # seats that did not call
        self.chain = [0] * SEATS
        self.link = 0
        self.raised = -1

    # ---- the deal --------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """One card of those dealt to hands lies face up; who has it is first."""
        hands, bottom = self._shuffled(rng)
        in_hands = self.deck.places(sum(hands))
        mark = self.deck.of([in_hands[rng.below(len(in_hands))]])
        first = next(seat for seat, hand in enumerate(hands) if hand & mark)
        return first, hands, bottom, mark

    def _check_deal(self, deal: Deal) -> None:
        super()._check_deal(deal)
        first, hands, _, mark = deal
        if mark.bit_count() != 1 or not hands[first] & mark:
            raise IllegalAction("bad_deal")

    def _dealt(self) -> None:
        self.stage, self.turn = "look", self.first

    def _deal_events(self) -> list[Event]:
        return [Event("deal", {"first": self.first, "turned_up": self.deck.names(self.mark)})]

    # ---- looking, calling, raising ---------------------------------------------------------

    def _check_stage(self, seat: int, action: int) -> None:
        self._check_turn(seat)
        if action not in self._stage_actions(seat):
            raise IllegalAction("wrong_phase")

    def _stage_actions(self, seat: int) -> Sequence[int]:
        if self.stage == "look":
            return (LOOK, BLIND_GRAB)
        if self.stage == "mcall":
            return (PASS, CALL)
        raise_, farmer = _RAISES[self.link], self.raised
        if self.link % 2:
            return (PASS_ON + farmer, raise_ + farmer)
        return (PASS, raise_)

    def default_action(self, seat: int) -> Move:
        if self.stage in ("look", "chain"):
            return self._stage_actions(seat)[0]
        return super().default_action(seat)

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        if self.stage == "look":
            return self._look(seat, action)
        if self.stage == "mcall":
            return self._call(seat, action)
        return self._raise(seat, action)

    def _look(self, seat: int, action: int) -> list[Event]:
        if action == LOOK:
            self.stage = "mcall"
            return [Event("look", {"seat": seat}), *self._see()]
        self.blind = True
        self._take_bottom(seat)
        self._begin_chain()
        return [Event("blind_grab", {"seat": seat})]

    def _see(self) -> list[Event]:
        """Everybody takes up its cards."""
        self.seen = True
        names = self.deck.names
        return [Event("hand", {"hand": names(h)}, (s,), None) for s, h in enumerate(self.hands)]

    def _call(self, seat: int, action: int) -> list[Event]:
        events = [Event("call", {"seat": seat, "call": action == CALL})]
        if action == CALL:
            self._take_bottom(seat)
            self._begin_chain()
            shown = self.deck.names(self.bottom)
            events.append(Event("landlord", {"seat": seat, "bottom": shown}))
            return events
        self.passed += 1
        self.turn = (seat + 1) % SEATS
        if self.passed == SEATS:
            events.append(self._nobody_calls("redeal"))
        return events

    def _begin_chain(self) -> None:
        self.stage, self.link = "chain", 0
        self._next_raise(after=None)

    def _next_raise(self, after: int | None) -> bool:
        """Go to the next farmer of this stage, or the first of the next; False: it is over."""
        assert self.landlord is not None
        farmers = [(self.landlord + step) % SEATS for step in range(1, SEATS)]
        later = farmers if after is None else farmers[farmers.index(after) + 1 :]
        candidates = [farmer for farmer in later if self.chain[farmer] == self.link]
        if not candidates:
            self.link += 1
            candidates = [farmer for farmer in farmers if self.chain[farmer] == self.link]
        if not candidates or self.link == len(_RAISES):
            return False
        self.raised = candidates[0]
        self.turn = self.landlord if self.link % 2 else self.raised
        return True

    def _raise(self, seat: int, action: int) -> list[Event]:
        farmer, stage = self.raised, self.link
        up = action == self._stage_actions(seat)[1]
        if up:
            self.chain[farmer] += 1
        data = {"seat": seat, "farmer": farmer, "stage": stage, "raise": up}
        events = [Event("chain", data)]
        if not self._next_raise(after=farmer):
            self._begin_play()
            if not self.seen:
                events += self._see()
        return events

    # ---- what may be seen ------------------------------------------------------------------

    def bottom_is_open(self) -> bool:
        return self.landlord is not None and (not self.blind or self.stage == "end")

    def _bottom_holder(self) -> int | None:
        return self.landlord

    def known_to(self, viewer: int) -> Known:
        """The turned-up card lies in the first seat's hand until it is played."""
        hands, bottom = super().known_to(viewer)
        known = list(hands)
        if not self.seen and 0 <= viewer < SEATS:
            known[viewer] = 0
        known[self.first] |= self._left_of(self.mark, self.first)
        if self.seen and viewer == self.landlord:
            bottom = self.bottom
        return Known(tuple(known), bottom)

    def _own_hand(self, seat: int) -> list[str] | None:
        return super()._own_hand(seat) if self.seen or self.stage == "end" else None

    def _public_more(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "turned_up": self.deck.names(self.mark),
            "blind": self.blind,
            "chain": list(self.chain),
            "raised": self.raised if self.stage == "chain" else None,
        }

    def _private_more(self, seat: int) -> dict[str, Any]:
        """After a blind grab the landlord alone learns what lay at the bottom."""
        if self.blind and self.seen and seat == self.landlord:
            return {"peek": {"bottom": self.deck.names(self.bottom)}}
        return {}

    # ---- result ----------------------------------------------------------------------------

    def multiplier(self) -> int:
        """Of the game: what holds for both farmers; the raises come on top."""
        return self.factor * (2 if self.spring() else 1)

    def penalty(self, seat: int) -> int:
        values = self.game.values
        penalty = ESCAPE_FACTOR * self.base * int(values["N"])
        if self.landlord is None:
            return penalty
        raises = max(self.chain) if seat == self.landlord else self.chain[seat]
        return penalty * (BLIND_FACTOR if self.blind else 1) * self.factor << raises

    def _booked(self) -> Settlement:
        assert self.landlord is not None
        values = self.game.values
        unit = self.base * (BLIND_FACTOR if self.blind else 1) * self.multiplier() * values["N"]
        return stakes_settled(
            landlord=self.landlord,
            landlord_won=self.winner == self.landlord,
            unit=unit,
            chain=self.chain,
            fee=values["A"],
            wealth=self.wealth,
        )


def stakes_settled(
    *,
    landlord: int,
    landlord_won: bool,
    unit: int,
    chain: Sequence[int],
    fee: int,
    wealth: Sequence[int] | None,
) -> Settlement:
    """Each farmer's stake is the unit, doubled by each raise; the landlord has both."""
    stakes = [0 if seat == landlord else unit << chain[seat] for seat in range(SEATS)]
    stakes[landlord] = sum(stakes)
    winners = [seat for seat in range(SEATS) if (seat == landlord) == landlord_won]
    return two_sides(stakes, winners, fee=fee, wealth=wealth, first=landlord)


class Mala(LandlordGame):
    """The game with its parameters; immutable."""

    name = "mala_doudizhu"
    version = 1
    info = info(SEATS, before=1 + 1 + SEATS + 4 * (SEATS - 1))
    title: ClassVar[Mapping[str, str]] = {"zh": "麻辣斗地主", "en": "Mala Dou Dizhu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {**COIN_PARAMETERS, "base": BASE}
    combos = COMBOS
    finder = FINDER
    deck = ONE_DECK
    verbs: ClassVar[Mapping[str, int]] = {
        "blind_grab": BLIND_GRAB,
        "look": LOOK,
        "call": CALL,
        "dao": DAO,
        "lei": LEI,
        **{f"la {seat}": LA + seat for seat in range(SEATS)},
        **{f"wo {seat}": WO + seat for seat in range(SEATS)},
        **{f"pass {seat}": PASS_ON + seat for seat in range(SEATS)},
    }
    state_class = MalaState

    def bot(self) -> Bot:
        return MalaBot(self, _SENSE)
