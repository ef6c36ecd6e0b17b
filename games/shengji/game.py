"""What the games of the family have in common: parameters, levels, carry, text, loading."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from games.shengji import actions, messages, views
from games.shengji.actions import SEATS, Move
from games.shengji.bot import ShengjiBot
from games.shengji.claims import Claims, LevelClaims
from games.shengji.hand import UNKNOWN
from games.shengji.phase import Phase
from games.shengji.scores import Score, Scoring, Settlement, booked
from games.shengji.state import State
from paiju.rules.api import Bot, GameId, Info, Parameter
from paiju.rules.cards import DECK, RANKS
from paiju.rules.tricks import Ranking, TrickRules, ranking, tractors
from paiju.rules.tricks.packs import set_of

LOWEST = "lowest"
"""As a level: the first of the order."""
BOTTOMS = {1: 6, 2: 8, 3: 6}
"""Decks -> cards of the bottom."""
_RANK = "[2-9TJQKA]"

LEVEL = Parameter(LOWEST, None, None, "level of the first hand: lowest, or a rank 2..9 T J Q K A")
LEVELS = Parameter("", None, None, "levels of team 0 and 1 at the beginning, `T 5`; empty: lowest")
DEALER = Parameter(-1, -1, 3, "dealer of the first hand; -1: whoever declares")
TEXTS: Mapping[str, str] = {
    "level": f"{LOWEST}|{_RANK}",
    "levels": f"|{_RANK} {_RANK}",
    "scores": r"|-?\d{1,9}( -?\d{1,9}){3}",
    "first_dealer": "first_declarer|final_declarer",
}
"""What texts the parameters may have, as regular expressions."""


class TrickGame:
    """Base of the games; immutable. A rule set names its phases, claims and scoring.

    Hands of one match hang together by `carry`: dealer, levels, totals (where they count),
    tribute (Dagunzi).
    """

    name: ClassVar[str]
    version: ClassVar[int] = 1
    title: ClassVar[Mapping[str, str]]
    parameters: ClassVar[Mapping[str, Parameter]]
    phases: ClassVar[Mapping[str, Phase]]
    first_phase: ClassVar[str] = "declare"
    actions_beside: ClassVar[int] = 200
    """More than all actions but rounds of the deal and plays: each of at most 17 claims and
    counters of the bottom asks up to four seats again."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        self.values = _checked(self.name, self.parameters, parameters or {})
        encoded = msgspec.json.encode(self.values, order="deterministic").decode()
        self.id = GameId(self.name, self.version, encoded)
        self.decks = self._decks()
        self.order = self._level_order()
        self._check_levels()
        self._claims: dict[tuple[str, int], Claims] = {}
        self.scoring: Scoring = self._scoring()
        self.use_pack(tuple(range(DECK)) * self.decks, BOTTOMS[self.decks])

    def use_pack(self, pack: Sequence[int], bottom_cards: int) -> None:
        """The cards that are dealt; tests and studies use fewer than whole decks."""
        self.pack = tuple(pack)
        self.bottom_cards = bottom_cards
        self.whole_pack = set_of(pack)
        self.info = Info(
            min_seats=SEATS,
            max_seats=SEATS,
            deterministic=False,
            perfect_information=False,
            simultaneous=self.phases[self.first_phase].together,
            zero_sum=True,
            enumerable=False,
            max_actions=self.actions_beside + 2 * len(self.pack),
        )

    # ---- what a rule set says --------------------------------------------------------------

    def _decks(self) -> int:
        return int(self.values["decks"])

    def _level_order(self) -> str:
        return "23456789TJQKA"

    def _scoring(self) -> Scoring:
        raise NotImplementedError

    def claims_of(self, level: str, dealer: int) -> Claims:
        """What may be claimed in a hand of this level; dealer: UNKNOWN in a first hand."""
        claims = self._claims.get((level, dealer))
        if claims is None:
            claims = self._claims[level, dealer] = self.make_claims(level, dealer)
        return claims

    def make_claims(self, level: str, dealer: int) -> Claims:
        return LevelClaims(RANKS.index(level), self.decks)

    def rules_of(self, ranking: Ranking) -> TrickRules:
        return tractors(ranking)

    def two_is_trump(self) -> bool:
        return False

    def penalty(self) -> int:
        """What leaving a running hand costs."""
        return int(self.values["escape_penalty"])

    def fee(self) -> int:
        """What the house takes from every seat and played hand."""
        return 0

    def dealer_by_claims(self, state: State) -> int:
        """Dealer of a first hand (争庄)."""
        if not state.claim:
            return state.first
        if self.values["first_dealer"] == "first_declarer":
            return state.first_claimer
        return state.claimer

    def swappable(self, state: State) -> int:
        """Jokers that may still be swapped into the bottom."""
        return 0

    def shown_more(self, state: State) -> dict[str, Any]:
        """Keys of the public view that only this rule set has."""
        return {}

    # ---- matches ---------------------------------------------------------------------------

    def first_dealer_of(self, carry: Mapping[str, Any]) -> int:
        """Dealer of a hand as far as it is known before the deal, else UNKNOWN."""
        dealer: int = carry.get("dealer", self.values["dealer"])
        return dealer

    def levels_of(self, carry: Mapping[str, Any]) -> list[str]:
        if "levels" in carry:
            return list(carry["levels"])
        given: str = self.values.get("levels", "")
        return given.split() if given else [self._start_level()] * 2

    def level_of(self, levels: Sequence[str], dealer: int) -> str:
        """Level of a hand: of the dealer's team; a first hand has that of team 0."""
        return levels[dealer % 2 if dealer != UNKNOWN else 0]

    def _start_level(self) -> str:
        level: str = self.values["level"]
        return self.order[0] if level == LOWEST else level

    def tribute_of(self, carry: Mapping[str, Any]) -> int:
        return 0

    def scores_of(self, carry: Mapping[str, Any]) -> list[int] | None:
        """Totals before the hand; None where they do not count."""
        given: str = self.values.get("scores", "")
        if not given:
            return None
        return list(carry.get("scores") or map(int, given.split()))

    def carried(
        self, carry: Mapping[str, Any], score: Score | None, deltas: Sequence[int]
    ) -> dict[str, Any]:
        """What the next hand needs: a void hand is dealt again as it was; after a match a new
        one begins, in which only the totals live on."""
        totals = self.scores_of(carry)
        out: dict[str, Any] = {}
        if score is None:
            out = {key: value for key, value in carry.items() if key != "scores"}
        elif not score.match_over:
            assert score.team_levels is not None
            out = {"dealer": score.next_dealer, "levels": list(score.team_levels)}
            if score.next_tribute:
                out["tribute"] = score.next_tribute
        if totals is not None:
            out["scores"] = [total + delta for total, delta in zip(totals, deltas, strict=True)]
        return out

    def booked(self, amounts: Sequence[int], wealth: Sequence[int] | None) -> Settlement:
        return booked(amounts, fee=self.fee(), wealth=wealth)

    # ---- the interface ---------------------------------------------------------------------

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> State:
        """carry: from the outcome of the hand before."""
        if seats != SEATS:
            raise ValueError(f"{self.name} has {SEATS} seats, not {seats}")
        if wealth is not None and (len(wealth) != seats or min(wealth) < 0):
            raise ValueError("wealth is one amount >= 0 per seat")
        return State(self, None if wealth is None else tuple(wealth), carry or {})

    def ranking_of(self, level: str, trump: int) -> Ranking:
        return ranking(RANKS.index(level), trump, self.two_is_trump())

    def load(self, blob: bytes) -> State:
        """ValueError for what is no snapshot of this game."""
        return State.restored(self, blob)

    def parse(self, state: State, seat: int, text: str) -> Move:
        return actions.parse(seat, text)

    def format(self, action: Move) -> str:
        return actions.format_(action)

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return messages.message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[int]:
        """The hint set of the seat whose view this is, worked out without a state."""
        if not view.get("legal"):
            return ()
        return self.phases[view["phase"]].actions(views.sight_of(self, view))

    def bot(self) -> Bot:
        return ShengjiBot(self)

    def _check_levels(self) -> None:
        for level in (self._start_level(), *self.levels_of({})):
            if level not in self.order:
                raise ValueError(f"{self.name}: level {level} is not one of {self.order}")


def _checked(
    name: str, allowed: Mapping[str, Parameter], given: Mapping[str, Any]
) -> dict[str, Any]:
    """Values of all parameters, defaults included. ValueError says what is not allowed."""
    unknown = sorted(set(given) - set(allowed))
    if unknown:
        raise ValueError(f"{name}: unknown parameters {', '.join(unknown)}")
    values: dict[str, Any] = {}
    for key, parameter in allowed.items():
        value = given.get(key, parameter.default)
        if isinstance(parameter.default, bool):
            if not isinstance(value, bool):
                raise ValueError(f"{name}: {key} is {value!r}, true or false is needed")
        elif isinstance(parameter.default, str):
            if not isinstance(value, str) or not re.fullmatch(TEXTS[key], value):
                raise ValueError(f"{name}: {key} is {value!r}; {parameter.meaning}")
        else:
            low, high = parameter.minimum or 0, parameter.maximum or 0
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"{name}: {key} is {value!r}, allowed are {low} to {high}")
        values[key] = value
    return values
