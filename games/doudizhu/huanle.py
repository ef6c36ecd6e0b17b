"""Huanle and Huopin Dou Dizhu (欢乐斗地主, 火拼斗地主): showing hands, calling, robbing.

The cards are dealt in steps, because a hand that is shown early counts more. Source:
docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.bot import sense
from games.doudizhu.bots import HuanleBot
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.landlord import COIN_PARAMETERS, LandlordGame, info
from games.doudizhu.step_deal import STEPS, StepDeal
from paiju.rules.api import Bot, Event, IllegalAction, Parameter
from paiju.rules.climbing import ONE_DECK, PASS, ClimbingGame, Known
from paiju.rules.climbing.packed import BJ_RANK, JOKERS, SPACED

SEATS = 3
EYES = 2
"""Bottom cards that one seat may look at."""

CALL, ROB, SHOW = 1, 2, 3
EYE = 4
"""Plus the number of the bottom card, 0..2."""
SHOW_AT = 32
"""Plus the cards received, 0..17."""
SHOW_START = SHOW_AT

START_FACTOR, EARLY_FACTOR, LATE_FACTOR, LANDLORD_FACTOR = 5, 4, 3, 2
_SENSE = sense(COMBOS, FINDER)


class HuanleState(StepDeal):
    """One hand. Phases: deal, call, rob, show, play, end.

    shows: per seat the cards it had when it showed, -1 for the landlord's show before the
    lead; eyes: per seat, bits of the bottom cards it looked at.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *StepDeal._SAVED,
        *("shows", "first_shower", "show_factor", "eyes"),
        *("called", "caller", "queue", "robs", "robber"),
    )
    __slots__ = (
        *("called", "caller", "eyes", "first_shower", "queue", "robber", "robs"),
        *("show_factor", "shows"),
    )

    by_wealth = True

    shows: list[int | None]
    called: list[bool | None]
    queue: list[int]

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.base = 1
        self.shows = [None] * SEATS
        self.first_shower: int | None = None
        self.show_factor = 1
        self.eyes = [0] * SEATS
        self.called = [None] * SEATS  # what each seat answered in `call`
        self.caller: int | None = None
        self.queue = []  # who may still rob
        self.robs = 0
        self.robber: int | None = None

    def _dealt(self) -> None:
        self.stage = "call"
        self.turn = self.first if self.first_shower is None else self.first_shower

    # ---- showing, calling, robbing ---------------------------------------------------------

    def early(self, seat: int) -> tuple[int, ...]:
        """The show that the seat may make now, whosever turn it is."""
        before_first_call = self.stage == "call" and self.called == [None] * SEATS
        if self.shows[seat] is None and (self.stage == "deal" or before_first_call):
            return (SHOW_AT + min(self.step, STEPS),)
        return ()

    def _check_stage(self, seat: int, action: int) -> None:
        if not 0 <= seat < SEATS:
            raise IllegalAction("not_your_turn")
        if SHOW_AT <= action <= SHOW_AT + STEPS or action == SHOW:
            if self.shows[seat] is not None:
                raise IllegalAction("shown_already")
            if action in self.early(seat):
                return
        if seat not in self.to_act():
            raise IllegalAction("not_your_turn")
        if action not in self._stage_actions(seat):
            raise IllegalAction("wrong_phase")

    def _stage_actions(self, seat: int) -> Sequence[int]:
        if self.stage == "show":
            return (PASS, SHOW)
        acts = (PASS, CALL) if self.stage == "call" else (PASS, ROB)
        return (*acts, *self.early(seat), *self._eyes_left(seat))

    def _eyes_left(self, seat: int) -> list[int]:
        used = self.eyes[seat]
        if not self.game.values["golden_eye"] or used.bit_count() == EYES:
            return []
        return [EYE + number for number in range(SEATS) if not used >> number & 1]

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        if action == SHOW or action >= SHOW_AT:
            return self._show(seat, action)
        if EYE <= action < EYE + SEATS:
            return self._look(seat, action - EYE)
        if self.stage == "call":
            return self._call(seat, action)
        if self.stage == "rob":
            return self._rob(seat, action)
        self._begin_play()
        return [Event("show", {"seat": seat, "hand": None})]

    def _show(self, seat: int, action: int) -> list[Event]:
        cards = action - SHOW_AT
        if action == SHOW:
            cards, factor = -1, LANDLORD_FACTOR
        elif action == SHOW_START:
            factor = START_FACTOR
        else:
            factor = EARLY_FACTOR if cards <= self.game.values["show_deal_x4_max"] else LATE_FACTOR
        self.shows[seat] = cards
        self.show_factor = max(self.show_factor, factor)
        if self.first_shower is None and action != SHOW:
            self.first_shower = seat
            if self.stage == "call":
                self.turn = seat
        if self.stage == "show":
            self._begin_play()
        return [Event("show", {"seat": seat, "hand": self.deck.names(self.hands[seat])})]

    def _look(self, seat: int, number: int) -> list[Event]:
        """Golden eye: that it was used all see, the card its user alone."""
        self.eyes[seat] |= 1 << number
        data = {"seat": seat, "number": number}
        card = self.deck.names(self.bottoms[number])
        return [Event("eye", {**data, "cards": card}, (seat,), data)]

    def _call(self, seat: int, action: int) -> list[Event]:
        self.called[seat] = action == CALL
        events = [Event("call", {"seat": seat, "call": action == CALL})]
        if action == CALL:
            self.caller = seat
            after = [(seat + step) % SEATS for step in range(1, SEATS)]
            self.queue = [other for other in after if self.called[other] is None]
            self.stage = "rob"
            return events + self._next_robber()
        if None in self.called:
            self.turn = (seat + 1) % SEATS
            return events
        if self.first_shower is None:
            return [*events, self._nobody_calls("redeal")]
        return events + self._crown(self.first_shower)

    def _rob(self, seat: int, action: int) -> list[Event]:
        events = [Event("rob", {"seat": seat, "rob": action == ROB})]
        if action == ROB:
            self.robs += 1
            self.robber = seat
        if not self.queue and self.robs and seat != self.caller:
            assert self.caller is not None
            self.queue = [self.caller]
        return events + self._next_robber()

    def _next_robber(self) -> list[Event]:
        """The next of the queue, or the landlord is found."""
        if self.queue:
            self.turn = self.queue.pop(0)
            return []
        landlord = self.caller if self.robber is None else self.robber
        assert landlord is not None
        return self._crown(landlord)

    def _crown(self, seat: int) -> list[Event]:
        self._take_bottom(seat)
        self.stage, self.turn = "show", seat
        if self.shows[seat] is not None:
            self._begin_play()
        return [Event("landlord", {"seat": seat, "bottom": self.deck.names(self.bottom)})]

    # ---- what may be seen ------------------------------------------------------------------

    def _is_open(self, seat: int) -> bool:
        return self.shows[seat] is not None

    def _has_seen(self, seat: int, number: int) -> bool:
        return 0 <= seat < SEATS and bool(self.eyes[seat] >> number & 1)

    def bottom_is_open(self) -> bool:
        return self.landlord is not None

    def known_to(self, viewer: int) -> Known:
        hands = [0] * SEATS
        for seat, hand in enumerate(self.hands):
            if seat == viewer or self._is_open(seat):
                hands[seat] = hand
            elif seat == self.landlord:
                hands[seat] = hand & self.bottom
        return Known(tuple(hands), self.bottom if self.bottom_is_open() else None)

    def _public_more(self) -> dict[str, Any]:
        names = self.deck.names
        return {
            "first": self.turn if self.stage == "call" else None,
            "step": self.step,
            "shows": list(self.shows),
            "open_hands": [
                names(hand) if self._is_open(seat) else None for seat, hand in enumerate(self.hands)
            ],
            "called": list(self.called),
            "robs": self.robs,
            "eyes": list(self.eyes),
        }

    def _private_more(self, seat: int) -> dict[str, Any]:
        """early: what may be done out of turn; peek: bottom cards looked at, by number."""
        more: dict[str, Any] = {}
        if self.result is None and seat not in self.to_act():
            more["early"] = [self.game.lines[action] for action in self.early(seat)]
        if self.eyes[seat]:
            more["peek"] = {
                str(number): self.deck.names(card)
                for number, card in enumerate(self.bottoms)
                if self.eyes[seat] >> number & 1
            }
        return more

    # ---- result ----------------------------------------------------------------------------

    def multiplier(self) -> int:
        stakes = self.game.values["initial"] * self.show_factor * self.factor << self.robs
        return int(stakes) * (2 if self.spring() else 1)

    def bombs_dealt(self) -> int:
        """Ranks of which one hand was dealt all four cards, and the rocket; played or not."""
        played = [0] * SEATS
        for seat, action in self._log:
            if isinstance(action, int) and seat >= 0:
                played[seat] += action >> 8
        return bombs_in([hand + gone for hand, gone in zip(self.hands, played, strict=True)])

    def penalty(self, seat: int) -> int:
        values = self.game.values
        return flight_penalty(
            self.show_factor << self.robs + self.bombs_dealt(),
            landlord=seat == self.landlord,
            unit=values["initial"] * values["N"],
        )


def bombs_in(hands: Sequence[int]) -> int:
    """Bombs of four and rockets that lie in single hands."""
    bombs = 0
    for hand in hands:
        counts = ONE_DECK.counts(hand)
        bombs += (counts >> 2 & SPACED).bit_count()
        bombs += counts >> 4 * BJ_RANK << 4 * BJ_RANK == JOKERS
    return bombs


def flight_penalty(multiplier: int, *, landlord: bool, unit: int) -> int:
    """Twice as much for the landlord; flat below a multiplier of 10 (without `initial`)."""
    points = 10 if multiplier < 10 else 2 * multiplier
    return points * unit * (2 if landlord else 1)


class Huanle(LandlordGame):
    """The game with its parameters; immutable."""

    name = "huanle_doudizhu"
    version = 1
    info = info(SEATS, before=STEPS + 2 + 2 * SEATS + 2 * SEATS + EYES * SEATS)._replace(
        enumerable=False  # hands are shown out of turn
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "欢乐斗地主", "en": "Huanle Dou Dizhu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **COIN_PARAMETERS,
        "initial": Parameter(1, 1, 1_000, "initial multiplier of the room"),
        "show_deal_x4_max": Parameter(8, 0, STEPS, "cards up to which showing counts four times"),
        "golden_eye": Parameter(True, None, None, "whether bottom cards may be looked at"),
    }
    combos = COMBOS
    finder = FINDER
    deck = ONE_DECK
    verbs: ClassVar[Mapping[str, int]] = {
        "call": CALL,
        "rob": ROB,
        "show_hand": SHOW,
        "show_hand start": SHOW_START,
        **{f"show_hand {k}": SHOW_AT + k for k in range(1, STEPS + 1)},
        **{f"use_golden_eye {number}": EYE + number for number in range(SEATS)},
    }
    state_class = HuanleState

    def bot(self) -> Bot:
        return HuanleBot(self, _SENSE)


class Huopin(Huanle):
    """The same rules in other rooms, without titles."""

    name = "huopin_doudizhu"
    title: ClassVar[Mapping[str, str]] = {"zh": "火拼斗地主", "en": "Huopin Dou Dizhu"}
