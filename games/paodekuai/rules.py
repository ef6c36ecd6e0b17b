"""Paodekuai (跑得快): 48 cards, three seats, each for itself; who is out of cards first wins.

Each loser pays the winner for the cards that are left; bombs that were played double the hand,
and so does a loser who never played. Source: docs/games/paodekuai.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.paodekuai import bot as bots
from games.paodekuai.kinds import COMBOS, DECK, FINDER, OPENING
from games.paodekuai.messages import message
from paiju.rules.api import Bot, Event, IllegalAction, Info, Outcome, Parameter, Rng
from paiju.rules.climbing import (
    ClimbingGame,
    ClimbingState,
    Known,
    Move,
    Settlement,
    escaped,
    settled,
    shown_reading,
)
from paiju.rules.climbing.hand import Deal

SEATS = 3
CARDS = 16
ESCAPE_CARDS = 2 * CARDS
"""An escape costs as if so many cards were left."""


def owed_for(left: int, *, played: bool) -> int:
    """What a loser owes for the cards left, in units; one card is free, none played is double."""
    if not played:
        return 2 * left
    return 0 if left == 1 else left


def booked(
    lefts: Sequence[int],
    plays: Sequence[int],
    *,
    winner: int,
    unit: int,
    fee: int,
    wealth: Sequence[int] | None,
) -> Settlement:
    """Of a hand that was played to the end. lefts: cards left per seat; plays: plays made."""
    owed = [
        0 if seat == winner else unit * owed_for(left, played=plays[seat] > 0)
        for seat, left in enumerate(lefts)
    ]
    claim = [sum(owed) if seat == winner else 0 for seat in range(len(lefts))]
    return settled(owed=owed, claim=claim, fee=fee, wealth=wealth, first=winner)


class PaodekuaiState(ClimbingState):
    """One hand. Phases: deal, play, end. carry: {"first": who won the hand before}."""

    __slots__ = ()

    deal_sizes = (CARDS,) * SEATS

    # ---- the deal --------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        hands, bottom = self._shuffled(rng)
        return self._opener(hands), hands, bottom, 0

    def _opener(self, hands: Sequence[int]) -> int:
        """Who leads: the winner of the hand before, or who was dealt 3s."""
        first = self.carry.get("first")
        if first is not None:
            return int(first)
        return next(seat for seat, hand in enumerate(hands) if hand & OPENING)

    def _check_deal(self, deal: Deal) -> None:
        super()._check_deal(deal)
        if deal[0] != self._opener(deal[1]):
            raise IllegalAction("bad_deal")

    def _dealt(self) -> None:
        self.stage, self.turn = "play", self.first

    def known_to(self, viewer: int) -> Known:
        """Whoever leads the first hand was dealt 3s: all know it until it is played."""
        known = super().known_to(viewer)
        hands = (own | open_ for own, open_ in zip(known.hands, self._open(), strict=True))
        return known._replace(hands=tuple(hands))

    def _open(self) -> list[int]:
        """Per seat, the cards of its hand that all know."""
        if self.carry.get("first") is not None:
            return [0] * SEATS
        return [hand & OPENING for hand in self.hands]

    def bottom_is_open(self) -> bool:
        return True  # there is none

    # ---- no phase before the play ----------------------------------------------------------

    def _check_stage(self, seat: int, action: int) -> None:
        raise IllegalAction("wrong_phase")

    def _stage_actions(self, seat: int) -> Sequence[int]:
        return ()

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        raise IllegalAction("wrong_phase")

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = self._public_view()
        view = dict(self._public)
        if 0 <= seat < len(self.hands) and self._log:
            view["hand"] = self.deck.names(self.hands[seat])
            view["legal"] = self._verbs(seat)
        return view

    def _public_view(self) -> dict[str, Any]:
        if not self._log:
            return {"phase": self.stage, "to_act": []}
        names, table = self.deck.names, self.table
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": list(self.to_act()),
            "counts": [self.deck.length(hand) for hand in self.hands],
            "first": self.first,
            "open": [names(cards) for cards in self._open()],
            "table": None if table is None else {"seat": self.last, **table.shown()},
            "last": self.last,
            "shown": [None if cards is None else names(cards) for cards in self.shown],
            "played": "".join(str(self.played >> 4 * rank & 15) for rank in range(13)),
            "multiplier": self.factor,
        }
        if self.result is not None:
            outcome = self.outcome()
            view["result"] = {
                "result": outcome.result,
                "winner": self.winner if self.result == "finished" else None,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
            view["hands"] = [names(hand) for hand in self.hands]
        return view

    def _verbs(self, seat: int) -> list[str]:
        if self.result is not None or seat != self.turn:
            return []
        if self.table is None:
            return ["play"]
        return ["pass", "play"] if len(self.legal_actions(seat)) > 1 else ["pass"]

    # ---- result ----------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        if self.result is None or self.winner is None:
            raise ValueError("the hand is not over")
        values = self.game.values
        unit = values["N"] * self.factor
        if self.result == "escaped":
            following = self.first
            money = escaped(
                seat=self.winner, penalty=ESCAPE_CARDS * unit, wealth=self.wealth, seats=SEATS
            )
        else:
            following = self.winner
            money = booked(
                [self.deck.length(hand) for hand in self.hands],
                self.plays,
                winner=self.winner,
                unit=unit,
                fee=values["A"],
                wealth=self.wealth,
            )
        carry = {"first": following}
        return Outcome(self.result, money.deltas, money.fees, 0, carry, following)


class Paodekuai(ClimbingGame[PaodekuaiState]):
    """The game with its parameters; immutable."""

    name = "paodekuai"
    version = 1
    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=False,
        perfect_information=False,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=1 + SEATS * SEATS * CARDS,
        who_begins=frozenset({"first"}),
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "跑得快", "en": "Paodekuai"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "N": Parameter(1, 1, 1_000_000, "what one card left is worth"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
    }
    combos = COMBOS
    finder = FINDER
    deck = DECK
    verbs: ClassVar[Mapping[str, int]] = {}
    state_class = PaodekuaiState

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Move]:
        """The legal actions of the seat whose view this is, worked out without a state."""
        if not view.get("legal"):
            return ()
        hand = self.deck.parse(" ".join(view["hand"]))
        counts = self.deck.counts(hand)
        if view["table"] is None:
            return self.finder.leads(hand, counts)
        return self.finder.follows(hand, counts, shown_reading(view["table"]))

    def bot(self) -> Bot:
        return bots.Bot()
