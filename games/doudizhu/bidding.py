"""Calling for points (叫分): each seat once, 1 to 3, higher than before; 3 ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.doudizhu.landlord import LandlordState
from paiju.rules.api import Event, IllegalAction
from paiju.rules.climbing import PASS, ClimbingGame
from paiju.rules.compiled import mypyc_attr

_CALLS = (1, 2, 3)


@mypyc_attr(allow_interpreted_subclasses=True)
class Bidding(LandlordState):
    """The phase `bid`. The call is the base score; `landlord` is the highest caller so far."""

    VERBS: ClassVar[Mapping[str, int]] = {f"call {n}": n for n in _CALLS}
    _SAVED: ClassVar[tuple[str, ...]] = (*LandlordState._SAVED, "bids")
    __slots__ = ("bids",)

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.bids: list[int | None] = [None] * len(self.hands)

    def _all_passed(self) -> Event:
        """Nobody has called: what becomes of the hand."""
        raise NotImplementedError

    def _dealt(self) -> None:
        self.stage, self.turn = "bid", self.first

    def _check_stage(self, seat: int, action: int) -> None:
        self._check_turn(seat)
        if action not in _CALLS and action != PASS:
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
            self.turn = (seat + 1) % len(self.bids)
        elif self.landlord is None:
            events.append(self._all_passed())
        else:
            self._take_bottom(self.landlord)
            self._begin_play()
            shown = self.deck.names(self.bottom)
            data = {"seat": self.landlord, "base": self.base, "bottom": shown}
            events.append(Event("landlord", data))
        return events

    def public_landlord(self) -> int | None:
        return None if self.stage == "bid" else self.landlord

    def _public_more(self) -> dict[str, Any]:
        return {"first": self.first, "bids": list(self.bids)}
