"""What the rule sets of the package do alike: one landlord's side against farmers.

A rule set adds its phases before the play (see `ClimbingState`), `multiplier`, `penalty` and
what it shows of its own phases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.messages import message
from paiju.rules.api import Event, Info, Outcome, Parameter
from paiju.rules.climbing import (
    PASS,
    ClimbingGame,
    ClimbingState,
    Settlement,
    escaped,
    landlord_game,
    shown_reading,
)
from paiju.rules.compiled import mypyc_attr

COIN_PARAMETERS: Mapping[str, Parameter] = {
    "N": Parameter(1, 1, 1_000_000, "room coefficient: what one point is worth"),
    "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
}
BASE = Parameter(1, 1, 10_000, "base score of the room")


def info(seats: int, *, before: int, cards: int = 54, simultaneous: bool = False) -> Info:
    """before: most actions ahead of the play, chance included.

    In the play, of as many actions in a row as there are seats one is a play.
    """
    return Info(
        min_seats=seats,
        max_seats=seats,
        deterministic=False,
        perfect_information=False,
        simultaneous=simultaneous,
        zero_sum=True,
        enumerable=True,
        max_actions=before + seats * cards,
        who_begins=frozenset({"first"}),
    )


@mypyc_attr(allow_interpreted_subclasses=True)
class LandlordState(ClimbingState):
    """One hand of a rule set with a landlord."""

    __slots__ = ()

    by_wealth: ClassVar[bool] = False
    """Whether winners share a shortfall by what they have."""

    # ---- what a rule set adds --------------------------------------------------------------

    def multiplier(self) -> int:
        """Base score not included."""
        raise NotImplementedError

    def shown_multiplier(self) -> int:
        """As far as everybody may know it."""
        return self.multiplier()

    def penalty(self, seat: int) -> int:
        """What escaping now costs the seat."""
        raise NotImplementedError

    def _stage_lines(self, seat: int) -> list[str]:
        """Lines of the buttons that the seat, which is to act, has before the play."""
        lines = self.game.lines
        return [lines[action] for action in self._stage_actions(seat)]

    def _public_more(self) -> dict[str, Any]:
        """What everybody sees besides the cards: keys of the rule set's own phases."""
        return {}

    def _private_more(self, seat: int) -> dict[str, Any]:
        """What only this seat sees besides its hand. Spectators have no such keys.

        Cards that lie elsewhere (in the bottom, in another hand) stand under `peek`.
        """
        return {}

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = self._public_view()
        view = dict(self._public)
        if 0 <= seat < len(self.hands) and self._log:
            view["hand"] = self._own_hand(seat)
            view["legal"] = self._verbs(seat)
            more = self._private_more(seat)
            if more:
                view.update(more)
        return view

    def _own_hand(self, seat: int) -> list[str] | None:
        return self.deck.names(self.hands[seat])

    def _public_view(self) -> dict[str, Any]:
        if not self._log:
            return {"phase": self.stage, "to_act": []}
        table = self.table
        names, length = self.deck.names, self.deck.length
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": list(self.to_act()),
            "counts": [length(hand) for hand in self.hands],
            "base": self.base,
            "landlord": self.public_landlord(),
            "bottom": names(self.bottom) if self.bottom_is_open() else None,
            "table": None if table is None else {"seat": self.last, **table.shown()},
            "last": self.last,
            "shown": [None if cards is None else names(cards) for cards in self.shown],
            "played": "".join([str(self.played >> 4 * rank & 15) for rank in range(15)]),
            "multiplier": self.shown_multiplier(),
            **self._public_more(),
        }
        if self.result is not None:
            outcome = self.outcome()
            view["result"] = {
                "result": outcome.result,
                "winner": self.winning_side(),
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
            view["hands"] = [names(hand) for hand in self.hands]
        return view

    def public_landlord(self) -> int | None:
        """The landlord, once it is certain."""
        return self.landlord

    def _verbs(self, seat: int) -> list[str]:
        """What the seat's buttons may do now; which cards may be played the hint tells."""
        if self.result is not None:
            return []
        if self.stage != "play":
            return self._stage_lines(seat) if seat in self.to_act() else []
        if seat != self.turn:
            return []
        if self.table is None:
            return ["play"]
        return ["pass", "play"] if len(self.legal_actions(seat)) > 1 else ["pass"]

    # ---- result ----------------------------------------------------------------------------

    def landlords(self) -> Sequence[int]:
        """The seats of the landlord's side."""
        return () if self.landlord is None else (self.landlord,)

    def winning_side(self) -> str | None:
        if self.result != "finished":
            return None
        return "landlord" if self.winner in self.landlords() else "farmers"

    def spring(self) -> bool:
        """Spring or anti-spring: the losing side never got to play (the landlord once)."""
        if self.result != "finished" or self.landlord is None:
            return False
        if self.winner == self.landlord:
            return sum(self.plays) == self.plays[self.landlord]
        return self.plays[self.landlord] == 1

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        booked = self._settled()
        following = self._next_first()
        return Outcome(
            result=self.result,
            deltas=booked.deltas,
            fees=booked.fees,
            pot_change=0,
            carry=self._carry_on(),
            next_first=following,
        )

    def _next_first(self) -> int | None:
        """Who begins the next hand, None: that is drawn."""
        return None

    def _carry_on(self) -> dict[str, Any]:
        return {}

    def _settled(self) -> Settlement:
        seats = len(self.hands)
        if self.winner is None:
            return Settlement((0,) * seats, (0,) * seats)
        if self.result == "escaped":
            penalty = self.penalty(self.winner)
            return escaped(seat=self.winner, penalty=penalty, wealth=self.wealth, seats=seats)
        return self._booked()

    def _booked(self) -> Settlement:
        """Of a hand that was played to the end."""
        assert self.landlord is not None
        values = self.game.values
        return landlord_game(
            landlord=self.landlord,
            landlord_won=self.winner == self.landlord,
            unit=self.base * self.multiplier() * values["N"],
            fee=values["A"],
            wealth=self.wealth,
            seats=len(self.hands),
            by_wealth=self.by_wealth,
        )

    def _nobody_calls(self, result: str) -> Event:
        """The end of a hand without a landlord."""
        self.stage, self.result = "end", result
        return Event(result, {})


@mypyc_attr(allow_interpreted_subclasses=True)
class LandlordGame(ClimbingGame[Any]):
    """Base of the package's games."""

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """The legal actions of the seat whose view this is, worked out without a state."""
        lines = view.get("legal")
        if not lines:
            return ()
        if view["phase"] != "play":
            return [self.actions[line] for line in lines]
        hand = self.deck.parse(" ".join(view["hand"]))
        if view["table"] is None:
            return self.finder.leads(hand, self.deck.counts(hand))
        return self.finder.follows(hand, self.deck.counts(hand), shown_reading(view["table"]))


__all__ = ["BASE", "COIN_PARAMETERS", "PASS", "LandlordGame", "LandlordState", "info"]
