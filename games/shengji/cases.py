"""Golden cases of the family: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from games.shengji import tribute
from games.shengji.actions import SEATS
from games.shengji.aiqipai import AiqipaiShengji
from games.shengji.dagunzi import Dagunzi
from games.shengji.declaring import trump_name
from games.shengji.game import TrickGame
from games.shengji.hand import UNKNOWN
from games.shengji.huanle import HuanleShengji
from games.shengji.rules import Shengji
from games.shengji.scores import BeansScoring, Facts, Score
from games.shengji.state import State
from paiju.rules.api import IllegalAction
from paiju.rules.cards import SUITS, parse_cards
from paiju.rules.cases import told
from paiju.rules.tricks import NO_TRUMP, TrickRules, best_of, lead_of, points_of
from paiju.rules.tricks.packs import names_of, parse_set, size_of, text_of

Case = Mapping[str, Any]
_CONTEXT = ("decks", "two_is_trump", "dead_stick")
_CONFIG_TEXTS = ("levels", "scores")


_REFUSED = ("illegal_at", "illegal")


def as_asked(expected: Any, got: Any) -> Any:
    """`got` in the form in which it is compared: of an object the fields that are asked for,
    and texts of the same cards as in `expected` written as they are there."""
    if isinstance(expected, str) and isinstance(got, str):
        return expected if sorted(expected.split()) == sorted(got.split()) else got
    if isinstance(expected, dict) and isinstance(got, dict):
        asked = {name for name in got if name in expected or name in _REFUSED}
        return {name: as_asked(expected.get(name), got[name]) for name in asked}
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [as_asked(e, g) for e, g in zip(expected, got, strict=True)]
    return got


class Cases:
    """The operations of one rule set."""

    def __init__(self, make: Callable[[dict[str, Any]], TrickGame]) -> None:
        self._make = make

    def operations(self) -> dict[str, Callable[[Case], Any]]:
        names = (
            *("classify", "beats", "legal_follow", "throw", "trick", "settle", "auto_play"),
            *("auto_bury", "dry_pot", "tribute_ok", "return_ok", "swap_joker", "play"),
        )
        return {name: self._answering(getattr(self, name)) for name in names}

    @staticmethod
    def _answering(operation: Callable[[Case], Any]) -> Callable[[Case], Any]:
        return lambda case: as_asked(case["expect"], operation(case))

    def _game(self, given: Mapping[str, Any]) -> TrickGame:
        return self._make(
            {
                name: given[name]
                for name in _CONTEXT
                if name in given and (name in self._make({}).values)
            }
        )

    def _rules(self, case: Case) -> TrickRules:
        context = case["context"]
        trump = NO_TRUMP if context["trump"] == "n" else SUITS.index(context["trump"])
        game = self._game(context)
        return game.rules_of(game.ranking_of(context["level"], trump))

    # ---- questions about cards -------------------------------------------------------------

    def classify(self, case: Case) -> list[dict[str, str]]:
        rules = self._rules(case)
        return [
            {"kind": rules.kind_names[part.kind], "cards": text_of(part.cards)}
            for part in rules.components(parse_set(case["cards"]))
        ]

    def beats(self, case: Case) -> bool:
        rules = self._rules(case)
        lead = lead_of(rules, parse_set(case["lead"]))
        plays = [lead.cards]
        if "current" in case:
            plays.append(parse_set(case["current"]))
        plays.append(parse_set(case["follow"]))
        if size_of(plays[-1]) != lead.size:
            return False
        return best_of(rules, lead, plays) == len(plays) - 1

    def legal_follow(self, case: Case) -> bool:
        rules = self._rules(case)
        lead = lead_of(rules, parse_set(case["lead"]))
        follow = parse_set(case["follow"])
        return size_of(follow) == lead.size and rules.may_follow(
            lead, parse_set(case["hand"]), follow
        )

    def throw(self, case: Case) -> dict[str, Any]:
        others = [parse_set(hand) for hand in case["others"]]
        forced = self._rules(case).forced(parse_set(case["throw"]), others)
        return {"ok": True} if forced is None else {"forced": text_of(forced)}

    def trick(self, case: Case) -> dict[str, int]:
        rules = self._rules(case)
        plays = [parse_set(cards) for cards in case["plays"]]
        best = best_of(rules, lead_of(rules, plays[0]), plays)
        return {"winner": (case["leader"] + best) % SEATS, "points": sum(map(points_of, plays))}

    def auto_play(self, case: Case) -> str:
        rules = self._rules(case)
        lead = None if case["lead"] is None else lead_of(rules, parse_set(case["lead"]))
        return text_of(rules.automatic(lead, parse_set(case["hand"])))

    def auto_bury(self, case: Case) -> str:
        bury: Any = self._make({}).phases["bury"]
        ranking = self._rules(case).ranking
        return text_of(bury.cheapest(ranking, parse_set(case["hand"]), case["count"]))

    def dry_pot(self, case: Case) -> bool:
        ranking = self._rules(case).ranking
        return bool(case["declared"]) and tribute.is_dry(ranking, parse_set(case["bottom"]))

    def tribute_ok(self, case: Case) -> bool:
        hand, give = parse_set(case["hand"]), parse_set(case["give"])
        ranking = self._rules(case).ranking
        return size_of(give) == case["count"] and tribute.is_highest(ranking, hand, give)

    def return_ok(self, case: Case) -> bool:
        hand, give = parse_set(case["hand"]), parse_set(case["give"])
        return size_of(give) == case["count"] and tribute.is_return(
            self._rules(case).ranking, hand, give
        )

    def swap_joker(self, case: Case) -> dict[str, Any]:
        jokers, ranking = parse_set(case["jokers"]), self._rules(case).ranking
        free = tribute.exchangeable(ranking, parse_set(case["bottom"]))
        if len(free) < size_of(jokers) or not tribute.red_first(parse_set(case["hand"]), jokers):
            return {"illegal": True}
        picked = free[: size_of(jokers)]
        return {"picked": " ".join(text_of(1 << 2 * card) for card in picked)}

    # ---- settlement ------------------------------------------------------------------------

    def settle(self, case: Case) -> dict[str, Any]:
        given = case["input"]
        game = self._make(
            {
                k: v
                for k, v in given.items()
                if k in self._make({}).values and k not in ("levels", "scores", "dealer", "tribute")
            }
        )
        if "escape" in given:
            penalty = game.penalty()
            left = [-penalty if seat == given["escape"] else 0 for seat in range(SEATS)]
            return {"deltas": left, "fee": [-delta for delta in left]}
        score = game.scoring.score(self._facts(game, given))
        booked = game.booked(score.gains, None)
        return {
            **_scored(score),
            "deltas": list(booked.deltas),
            "fee": list(booked.fees),
            "base": score.unit,
        }

    def _facts(self, game: TrickGame, given: Mapping[str, Any]) -> Facts:
        largest = 1
        if "last_lead" in given:
            context = given.get("context", {"level": "3", "trump": "n"})
            rules = self._rules({"context": context})
            largest = max(c.size() for c in rules.components(parse_set(given["last_lead"])))
        levels = given.get("levels") or [game.order[0]] * 2
        paid = given.get("tribute") or {"payer": None, "cards": 0}
        dry = given.get("dry_pot", False)
        return Facts(
            dealer=given["dealer"],
            trick_points=given["trick_points"],
            bottom_points=given["bottom_points"],
            last_winner=given["last_winner"],
            largest=largest,
            levels=(levels[0], levels[1]),
            scores=given.get("scores"),
            counters=given.get("counters", 0),
            bottom_counters=given.get("bottom_counters", 0),
            big_jokers=0 if dry else given.get("bottom_rj", 0),
            small_jokers=0 if dry else given.get("bottom_bj", 0),
            payer=paid["payer"],
            paid=paid["cards"],
        )

    # ---- whole hands -----------------------------------------------------------------------

    def play(self, case: Case) -> dict[str, Any]:
        """How the hand stands after the actions, or `illegal_at`."""
        config = dict(case.get("config", {}))
        game = self._make(_parameters(config, self._make({}).values))
        state = game.new_state(SEATS, carry=None)
        hands = [parse_cards(text) for text in case["deal"]["hands"]]
        first = case["first_seat"]
        bottom = parse_cards(case["deal"].get("bottom", ""))
        pack = [hands[(first + i) % SEATS][i // SEATS] for i in range(SEATS * len(hands[0]))]
        state.deal_unchecked(first, bytes(pack + bottom), len(bottom))
        if "trump" in config:
            state.declare_unchecked(
                NO_TRUMP if config["trump"] == "n" else SUITS.index(config["trump"])
            )
        for index, (seat, text) in enumerate(case["actions"]):
            try:
                _act(game, state, seat, text)
            except IllegalAction as refused:
                return {"illegal_at": index, "code": refused.code}
        return told(case, game, state) | _standing(game, state)


def _parameters(config: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Lists become texts; null is the default."""
    out: dict[str, Any] = {}
    for name, value in config.items():
        if name in known and value is not None:
            out[name] = " ".join(map(str, value)) if name in _CONFIG_TEXTS else value
    return out


def _act(game: TrickGame, state: State, seat: int, text: str) -> None:
    if text == "timeout":
        if seat not in state.to_act():
            raise IllegalAction("not_your_turn")
        state.apply(seat, state.default_action(seat))
    else:
        state.apply(seat, game.parse(state, seat, text))


def _scored(score: Score) -> dict[str, Any]:
    return {
        "opp_points": score.opp_points,
        "bottom_mult": score.bottom_mult,
        "side": score.side,
        "levels": score.levels,
        "next_dealer": score.next_dealer,
        "team_levels": None if score.team_levels is None else list(score.team_levels),
        "match_winner": score.match_winner,
        "special": score.special,
        "match_over": score.match_over,
        "next_tribute": score.next_tribute,
        "next_tribute_from": None
        if not score.next_tribute or score.next_dealer is None
        else (score.next_dealer + 3) % SEATS,
    }


def _standing(game: TrickGame, state: State) -> dict[str, Any]:
    out: dict[str, Any] = {
        "phase": state.phase(),
        "to_act": list(state.to_act()),
        "result": state.result or "running",
        "dealer": None if state.dealer == UNKNOWN else state.dealer,
        "trump": trump_name(state.trump),
        "points": state.points,
        "winners": list(state.winners),
        "counters": state.counters,
        "bottom_counters": state.bottom_counters,
        "dry_pot": state.dry,
        "bottom_shown": state.bottom_open,
        "tribute": None if state.payer == UNKNOWN else {"payer": state.payer, "cards": state.paid},
        "bottom": text_of(state.bottom),
        "hands": [text_of(hand) for hand in state.hands],
        "table": _table(state),
    }
    score = state.score()
    if score is not None:
        out |= _scored(score)
        if isinstance(game.scoring, BeansScoring):
            out["base"] = score.unit
    if state.result is not None:
        outcome = state.outcome()
        out |= {"deltas": list(outcome.deltas), "fee": list(outcome.fees)}
    return out


def _table(state: State) -> list[str]:
    if state.lead is None:
        return []
    laid = [state.laid[(state.leader + step) % SEATS] for step in range(SEATS)]
    return [" ".join(names_of(cards)) for cards in laid if cards]


SHENGJI = Cases(Shengji).operations()
HUANLE = Cases(HuanleShengji).operations()
AIQIPAI = Cases(AiqipaiShengji).operations()
DAGUNZI = Cases(Dagunzi).operations()
