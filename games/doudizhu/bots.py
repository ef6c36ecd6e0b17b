"""The bots of the rule sets: what each does before the play; in the play they are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from games.doudizhu.bot import Sense, Table, Turn
from paiju.rules.climbing import PASS, PLAY, ClimbingGame

Limits = Sequence[tuple[float, int]]
"""(burden, call): call so much with a burden up to that."""


class LandlordBot:
    """Base: the play phase."""

    def __init__(self, game: ClimbingGame[Any], sense: Sense) -> None:
        self._game = game
        self._sense = sense

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """One of `legal`, chosen from the view of the seat that may act."""
        if len(legal) == 1:
            return legal[0]
        if view["phase"] != "play":
            return self._before_play(view, legal)
        deck = self._game.deck
        hand = deck.parse(" ".join(view["hand"]))
        me = view["to_act"][0]
        table = Table.of(view, me, self._friends(view, me))
        counts = Turn(self._sense, table, deck.counts(hand)).choose()
        return deck.pick(hand, counts) << 8 | PLAY if counts else PASS

    def _before_play(self, view: Mapping[str, Any], legal: Sequence[int]) -> int:
        raise NotImplementedError

    def _friends(self, view: Mapping[str, Any], me: int) -> Sequence[int]:
        landlord = view["landlord"]
        if me == landlord:
            return ()
        return [seat for seat in range(len(view["counts"])) if seat not in (me, landlord)]

    def _burden(self, view: Mapping[str, Any]) -> float:
        """Of the own hand."""
        deck = self._game.deck
        return self._sense.partition.burden(deck.counts(deck.parse(" ".join(view["hand"]))))


class BiddingBot(LandlordBot):
    """Calls for points by the burden of the hand; the unknown bottom cards are no help."""

    def __init__(self, game: ClimbingGame[Any], sense: Sense, limits: Limits) -> None:
        super().__init__(game, sense)
        self._limits = limits

    def _before_play(self, view: Mapping[str, Any], legal: Sequence[int]) -> int:
        weight = self._burden(view)
        wanted = next((call for limit, call in self._limits if weight <= limit), 0)
        return max([call for call in legal if 0 < call <= wanted], default=PASS)


class MalaBot(LandlordBot):
    """Looks; calls and raises by the burden of its hand, and never blindly."""

    _CALLS_UP_TO = 4.0
    _RAISES_UP_TO = 2.6

    def _before_play(self, view: Mapping[str, Any], legal: Sequence[int]) -> int:
        """Of two actions the first does nothing, the second calls or raises."""
        keeps, raises = legal
        if view["phase"] == "look" or view["hand"] is None:
            return keeps
        limit = self._CALLS_UP_TO if view["phase"] == "mcall" else self._RAISES_UP_TO
        return raises if self._burden(view) <= limit else keeps


class HuanleBot(LandlordBot):
    """Calls and robs by the burden of its hand; never shows it, and uses no golden eye."""

    _CALLS_UP_TO = 4.4
    _ROBS_UP_TO = 3.6

    def _before_play(self, view: Mapping[str, Any], legal: Sequence[int]) -> int:
        """The first action passes, the second calls, robs or shows."""
        passes, takes = legal[:2]
        if view["phase"] == "show":
            return passes
        limit = self._CALLS_UP_TO if view["phase"] == "call" else self._ROBS_UP_TO
        return takes if self._burden(view) <= limit else passes


class FiveBot(LandlordBot):
    """Stays hidden; doubles with a light hand. The seat is told by the hand's length and role."""

    _DOUBLES_UP_TO = 2.2

    def _before_play(self, view: Mapping[str, Any], legal: Sequence[int]) -> int:
        passes, doubles = legal
        if view["phase"] == "reveal":
            return passes
        return doubles if self._burden(view) <= self._DOUBLES_UP_TO else passes

    def _friends(self, view: Mapping[str, Any], me: int) -> Sequence[int]:
        """As long as nobody knows better, everybody but the open landlord is a farmer."""
        landlord, hidden = view["landlord"], view["hidden"]
        if view["role"] == "open":
            return () if hidden is None else (hidden,)
        if view["role"] == "hidden":
            return (landlord,)
        others = range(len(view["counts"]))
        return [seat for seat in others if seat not in (me, landlord, hidden)]
