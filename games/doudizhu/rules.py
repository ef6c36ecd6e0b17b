"""Classic Dou Dizhu (斗地主, 叫分): one deck, three seats, one landlord against two farmers.

Each seat calls once, the highest caller takes the bottom cards and leads; the call is the
base score, bombs played and a spring double it. Source: docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.bot import DoudizhuBot
from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.messages import message
from paiju.rules.api import Bot, Event, IllegalAction, Info, Outcome, Parameter
from paiju.rules.cards import mask_of, names_of, parse_cards
from paiju.rules.climbing import (
    PASS,
    ClimbingGame,
    ClimbingState,
    Settlement,
    escaped,
    landlord_game,
    shown_reading,
)
from paiju.rules.climbing.packed import counts_of

SEATS = 3
CALLS = (1, 2, 3)
ESCAPE_FACTOR = 3


class DoudizhuState(ClimbingState):
    """One hand. Phases: deal, bid, play, end."""

    _SAVED: ClassVar[tuple[str, ...]] = (*ClimbingState._SAVED, "bids")
    __slots__ = ("bids",)

    combos = COMBOS
    finder = FINDER
    deal_sizes = (17, 17, 17)

    def __init__(
        self, game: Doudizhu, wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.bids: list[int | None] = [None] * SEATS

    # ---- bidding ---------------------------------------------------------------------------

    def _dealt(self) -> None:
        self.stage, self.turn = "bid", self.first

    def _check_stage(self, seat: int, action: int) -> None:
        if action not in CALLS and action != PASS:
            raise IllegalAction("wrong_phase")
        if action != PASS and action <= self.base:
            raise IllegalAction("bid_too_low", highest=self.base)

    def _stage_actions(self, seat: int) -> Sequence[int]:
        return (PASS, *range(self.base + 1, 4))

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        self.bids[seat] = action
        events = [Event("call", {"seat": seat, "call": action})]
        if action > self.base:
            self.base, self.landlord = action, seat
        if action != 3 and None in self.bids:
            self.turn = (seat + 1) % SEATS
        elif self.landlord is None:
            self.stage, self.result = "end", "redeal"
            events.append(Event("redeal", {}))
        else:
            events.append(self._take_bottom(self.landlord))
        return events

    def _take_bottom(self, landlord: int) -> Event:
        self.hands[landlord] |= self.bottom
        self.counts[landlord] = counts_of(self.hands[landlord])
        self.stage, self.turn = "play", landlord
        shown = {"seat": landlord, "base": self.base, "bottom": names_of(self.bottom)}
        return Event("landlord", shown)

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = self._public_view()
        view = dict(self._public)
        if 0 <= seat < SEATS and self.stage != "deal":
            view["hand"] = names_of(self.hands[seat])
            view["legal"] = self._verbs(seat)
        return view

    def _public_view(self) -> dict[str, Any]:
        if self.stage == "deal":
            return {"phase": "deal", "to_act": []}
        table = self.table
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": list(self.to_act()),
            "counts": [hand.bit_count() for hand in self.hands],
            "first": self.first,
            "bids": list(self.bids),
            "base": self.base,
            "landlord": None if self.stage == "bid" else self.landlord,
            "bottom": names_of(self.bottom) if self.bottom_is_open() else None,
            "table": None if table is None else {"seat": self.last, **table.shown()},
            "last": self.last,
            "shown": [None if cards is None else names_of(cards) for cards in self.shown],
            "played": "".join(str(self.played >> 4 * rank & 15) for rank in range(15)),
            "multiplier": self.multiplier(),
        }
        if self.result is not None:
            outcome = self.outcome()
            view["result"] = {
                "result": outcome.result,
                "winner": self._winning_side(),
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
            view["hands"] = [names_of(hand) for hand in self.hands]
        return view

    def _verbs(self, seat: int) -> list[str]:
        """What the seat's buttons may do now; which cards may be played the hint tells."""
        if seat != self.turn or self.result is not None:
            return []
        if self.stage == "bid":
            return ["pass", *(f"call {n}" for n in range(self.base + 1, 4))]
        if self.table is None:
            return ["play"]
        return ["pass", "play"] if len(self.legal_actions(seat)) > 1 else ["pass"]

    # ---- result ----------------------------------------------------------------------------

    def _winning_side(self) -> str | None:
        if self.result != "finished":
            return None
        return "landlord" if self.winner == self.landlord else "farmers"

    def spring(self) -> bool:
        """Spring or anti-spring: the losing side never got to play (the landlord once)."""
        if self.result != "finished" or self.landlord is None:
            return False
        if self.winner == self.landlord:
            return sum(self.plays) == self.plays[self.landlord]
        return self.plays[self.landlord] == 1

    def multiplier(self) -> int:
        """Base score not included."""
        return (1 << self.bombs) * (2 if self.spring() else 1)

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        following = (self.first + 1) % SEATS
        booked = self._settled()
        return Outcome(
            result=self.result,
            deltas=booked.deltas,
            fees=booked.fees,
            pot_change=0,
            carry={"first": following},
            next_first=following,
        )

    def _settled(self) -> Settlement:
        values = self.game.values
        if self.result == "redeal" or self.winner is None:
            return Settlement((0,) * SEATS, (0,) * SEATS)
        if self.result == "escaped":
            return escaped(
                seat=self.winner,
                penalty=ESCAPE_FACTOR * max(self.base, 1) * (1 << self.bombs) * values["N"],
                wealth=self.wealth,
                seats=SEATS,
            )
        assert self.landlord is not None
        return landlord_game(
            landlord=self.landlord,
            landlord_won=self.winner == self.landlord,
            unit=self.base * self.multiplier() * values["N"],
            fee=values["A"],
            wealth=self.wealth,
        )


class Doudizhu(ClimbingGame[DoudizhuState]):
    """The game with its parameters; immutable."""

    name = "doudizhu"
    version = 1
    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=False,
        perfect_information=False,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=1 + SEATS + SEATS * 54,  # of three actions in a row one is a play
    )
    title: ClassVar[Mapping[str, str]] = {"zh": "斗地主", "en": "Dou Dizhu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "N": Parameter(1, 1, 1_000_000, "room coefficient: what one point is worth"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
    }
    combos = COMBOS
    finder = FINDER
    verbs: ClassVar[Mapping[str, int]] = {f"call {n}": n for n in CALLS}
    state_class = DoudizhuState

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """The legal actions of the seat whose view this is, worked out without a state."""
        if not view.get("legal"):
            return ()
        if view["phase"] == "bid":
            return (PASS, *range(view["base"] + 1, 4))
        hand = mask_of(parse_cards(" ".join(view["hand"])))
        if view["table"] is None:
            return FINDER.leads(hand, counts_of(hand))
        return FINDER.follows(hand, counts_of(hand), shown_reading(view["table"]))

    def bot(self) -> Bot:
        return DoudizhuBot(self)
