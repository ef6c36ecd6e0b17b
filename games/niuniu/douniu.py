"""Douniu (斗牛): five cards each, everybody against the banker; a bull_9 takes the bank.

The seats arrange at the same time, unseen; then all hands are compared with the banker's.
Source: docs/games/niuniu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.niuniu.bot import BullBot
from games.niuniu.bulls import FIVE_FLOWER, FOUR_BOMB, Bulls, best_split, kind_of, splits
from games.niuniu.game import ARRANGE, DEAL, BullGame, BullState, arrange
from games.niuniu.points import STEPS, Rates, settled
from paiju.rules.api import CHANCE, Bot, Event, IllegalAction, Info, Outcome, Parameter, Rng
from paiju.rules.cards import names_of
from paiju.rules.showdown import Action, Settlement, numbers

NONE = 0
"""`arrange none`: no bull."""

BULLS = Bulls(FOUR_BOMB, FIVE_FLOWER)


class DouniuState(BullState):
    """One hand. Phases: first, deal, arrange, end.

    first: the banker. choices: the first group that a seat has laid, 0: none.
    """

    game: Douniu
    carried = "banker"

    # ---- the course of a hand --------------------------------------------------------------

    def _turns(self) -> tuple[int, ...]:
        return self.choosing() if self.stage == "arrange" else (CHANCE,)

    def _named(self, seat: int) -> list[Event]:
        self.stage = "deal"
        return [Event("banker", {"seat": seat})]

    def _dealt(self) -> list[Event]:
        """Who left just before has its cards, too: they decide what its leaving costs."""
        self.stage = "arrange"
        return self._showdown()

    def _check_act(self, seat: int, action: int) -> None:
        if self.stage != "arrange" or action & 0xFF not in (NONE, ARRANGE):
            raise IllegalAction("wrong_phase")
        if self.choices[seat] is not None:
            raise IllegalAction("already_chosen")
        if action != NONE:
            self._check_three(seat, action >> 8)
        elif not self.game.may_give_up and splits(self.hands[seat]):
            raise IllegalAction("has_bull")

    def _actions(self, seat: int) -> Sequence[int]:
        found = [arrange(three) for three in splits(self.hands[seat])]
        return [*found, NONE] if self.game.may_give_up or not found else found

    def _act(self, seat: int, action: int) -> list[Event]:
        cards = action >> 8
        self.choices[seat] = cards
        shown = {"seat": seat, "group": names_of(cards)}
        return [Event("arrange", shown, (seat,), {"seat": seat}), *self._showdown()]

    def _left(self, seat: int) -> list[Event]:
        return self._showdown() if self.stage == "arrange" else []

    def _showdown(self) -> list[Event]:
        """When the last choice is in: the end."""
        if self.choosing():
            return []
        self.stage = "end"
        self.result = "escaped" if any(self.gone) else "finished"
        return [
            Event("showdown", {"hands": [names_of(h) for h in self.hands], "kinds": self.kinds()})
        ]

    def default_action(self, seat: int) -> int:
        cards = 0 if self.game.may_give_up else best_split(self.hands[seat])
        return arrange(cards) if cards else NONE

    # ---- what may be seen ------------------------------------------------------------------

    def _public_view(self) -> dict[str, Any]:
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": [seat for seat in self.to_act() if seat != CHANCE],
            "banker": None if self.first < 0 else self.first,
            "chosen": self.chosen(),
            "gone": list(self.gone),
        }
        if self.result is not None:
            outcome = self.outcome()
            view["hands"] = [names_of(hand) for hand in self.hands]
            view["groups"] = [names_of(self._group(seat)) for seat in range(self.seats)]
            view["kinds"] = self.kinds()
            view["next_banker"] = outcome.next_first
            view["result"] = {
                "result": outcome.result,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
        return view

    def _private_view(self, seat: int) -> dict[str, Any]:
        if self.stage in ("first", "deal"):
            return {}
        chosen = self.choices[seat]
        return {
            "hand": names_of(self.hands[seat]),
            "group": None if chosen is None else names_of(chosen),
            "legal": [self.game.format(action) for action in self.legal_actions(seat)],
        }

    def _redrawn(self, seat: int, rng: Rng) -> Sequence[tuple[int, Action]]:
        """Other hands are dealt anew, and arranged where they were arranged."""
        if self.stage != "arrange":
            return self._log
        hands = self.redealt([other == seat for other in range(self.seats)], rng)
        log: list[tuple[int, Action]] = []
        for who, action in self._log:
            if isinstance(action, tuple):
                action = (DEAL, hands) if action[0] == DEAL else action
            elif who != seat and action & 0xFF in (NONE, ARRANGE):
                cards = best_split(hands[who])
                action = arrange(cards) if cards else NONE
            log.append((who, action))
        return log

    # ---- result ----------------------------------------------------------------------------

    def _group(self, seat: int) -> int:
        """The first group as it lies there; who has left is arranged as well as possible."""
        chosen = self.choices[seat]
        return best_split(self.hands[seat]) if chosen is None else chosen

    def _strength(self, seat: int) -> int:
        hand = self.hands[seat]
        if self.choices[seat] == 0 and self.game.may_give_up and splits(hand):
            return BULLS.given_up(hand)
        return BULLS.strength(hand)

    def _strengths(self) -> list[int]:
        return [self._strength(seat) for seat in range(self.seats)]

    def kinds(self) -> list[str]:
        return [BULLS.names[kind_of(strength)] for strength in self._strengths()]

    def next_banker(self, strengths: Sequence[int]) -> int | None:
        """The best bull_9 of those present, else the banker, None: nature draws."""
        takes = self.game.bank_kind
        claims = [
            (strength, seat)
            for seat, strength in enumerate(strengths)
            if kind_of(strength) == takes and not self.gone[seat]
        ]
        if claims:
            return max(claims)[1]
        return None if self.gone[self.first] else self.first

    def _settlement(self, strengths: Sequence[int]) -> Settlement:
        return settled(
            self.first,
            strengths,
            gone=self.gone,
            rates=self.game.rates,
            wealth=self.wealth,
        )

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        strengths = self._strengths()
        booked, following = self._settlement(strengths), self.next_banker(strengths)
        return Outcome(
            result=self.result,
            deltas=booked.deltas,
            fees=booked.fees,
            pot_change=0,
            carry={} if following is None else {"banker": following},
            next_first=following,
        )


POINTS_AND_ESCAPE: dict[str, Parameter] = {
    "seats_min": Parameter(2, 2, 6, "fewest seats"),
    "seats_max": Parameter(6, 2, 6, "most seats"),
    "N": Parameter(1, 1, 1_000_000, "room coefficient: what one point is worth"),
    "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
    "points": Parameter(
        "5/10/15/20/25",
        0,
        1_000,
        "points by the winner's kind: up to bull_7 / bull_8, bull_9 / bull_bull / four_bomb"
        " / five_flower",
    ),
    "equal_bull_tie": Parameter(
        "high_card", None, None, "equal bulls: high_card, or the banker wins"
    ),
    "arrange_timeout": Parameter(
        "auto_best", None, None, "time over: auto_best arranges, no_bull gives the hand up"
    ),
    "escape_player": Parameter(25, 0, 10_000, "points that leaving costs a player"),
    "escape_banker": Parameter(100, 0, 10_000, "points that leaving costs the banker"),
}
CHOICES = {
    "equal_bull_tie": ("high_card", "banker"),
    "arrange_timeout": ("auto_best", "no_bull"),
}


class Douniu(BullGame[DouniuState]):
    """The game with its parameters; immutable.

    may_give_up: `arrange none` is legal with a bull, too, and makes the hand no bull.
    bank_kind: number of the kind that takes the bank.
    """

    name = "douniu"
    version = 1
    title: ClassVar[Mapping[str, str]] = {"zh": "斗牛", "en": "Douniu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        **POINTS_AND_ESCAPE,
        "bank_kind": Parameter("bull_9", None, None, "kind that takes the bank"),
    }
    choices: ClassVar[Mapping[str, tuple[str, ...]]] = {**CHOICES, "bank_kind": BULLS.names}
    bulls = BULLS
    first_word = "banker"
    verbs: ClassVar[Mapping[str, int]] = {"arrange none": NONE}
    state_class = DouniuState

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)
        values = self.values
        table = numbers(values["points"])
        self.rates = Rates(
            points=tuple([table[step] for step in STEPS]),
            unit=values["N"],
            fee=values["A"],
            ties_to_banker=values["equal_bull_tie"] == "banker",
            escape_player=values["escape_player"],
            escape_banker=values["escape_banker"],
        )
        self.may_give_up = values["arrange_timeout"] == "no_bull"
        self.bank_kind = BULLS.names.index(values.get("bank_kind", "bull_9"))

    def _info(self) -> Info:
        low, high = self.values["seats_min"], self.values["seats_max"]
        if low > high:
            raise ValueError(f"{self.name}: seats_min is above seats_max")
        return Info(
            min_seats=low,
            max_seats=high,
            deterministic=False,
            perfect_information=False,
            simultaneous=True,
            zero_sum=True,
            enumerable=True,
            max_actions=2 + 2 * high,  # the banker, the deal; each seat arranges and may leave
            who_begins=frozenset({"banker"}),
        )

    def bot(self) -> Bot:
        return BullBot()
