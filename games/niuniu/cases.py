"""Golden cases of the bull games: operation -> function(case) -> answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from games.niuniu.aiqipai import AiqipaiNiuniu
from games.niuniu.aiqipai_hand import AiqipaiState
from games.niuniu.bulls import group_rank, highest_card, kind_of, player_wins, splits
from games.niuniu.douniu import Douniu, DouniuState
from games.niuniu.game import DEAL, FIRST, BullGame, BullState
from games.niuniu.huanle import HuanleDouniu
from games.niuniu.points import settled
from games.niuniu.stakes import booked, chips, transfers
from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cards import NAMES, RANK_NAMES, mask_of, parse_cards
from paiju.rules.cases import told

Case = Mapping[str, Any]
Make = Callable[[Mapping[str, Any]], BullGame[Any]]


def _game(make: Make, given: Mapping[str, Any]) -> BullGame[Any]:
    """The game with the parameters among some named values."""
    known = make({}).parameters
    return make({key: value for key, value in given.items() if key in known})


def _hand(text: str) -> int:
    return mask_of(parse_cards(text))


def _marks(seats: int, named: Any) -> list[bool]:
    return [seat in (named or ()) for seat in range(seats)]


def classify(make: Make, case: Case) -> list[dict[str, str]]:
    bulls, hand = make({}).bulls, _hand(case["cards"])
    strength = bulls.strength(hand)
    found = {"kind": bulls.names[kind_of(strength)], "high": NAMES[highest_card(hand)]}
    group = group_rank(strength)
    return [found if group is None else {**found, "rank": RANK_NAMES[group]}]


def splits_(make: Make, case: Case) -> int:
    return len(splits(_hand(case["cards"])))


def beats(make: Make, case: Case) -> bool:
    game = _game(make, case.get("config", {}))
    return player_wins(
        game.bulls.strength(_hand(case["follow"])),
        game.bulls.strength(_hand(case["lead"])),
        ties_to_banker=game.values.get("equal_bull_tie") == "banker",
    )


def settle_points(make: Make, case: Case) -> dict[str, list[int]]:
    given = case["input"]
    game = _game(make, {**case.get("config", {}), **given})
    assert isinstance(game, Douniu)
    hands = [_hand(text) for text in given["hands"]]
    paid = settled(
        given["banker"],
        [game.bulls.strength(hand) for hand in hands],
        gone=_marks(len(hands), given.get("escaped")),
        rates=game.rates,
        wealth=given.get("wealth"),
    )
    return {"deltas": list(paid.deltas), "fee": list(paid.fees)}


def settle_stakes(make: Make, case: Case) -> dict[str, list[int]]:
    given = case["input"]
    bets = given["bets"]
    game = _game(make, {**case.get("config", {}), **given, "seats": len(bets)})
    assert isinstance(game, AiqipaiNiuniu)
    bulls, texts = game.bulls, given["hands"]
    counted = best = None
    if texts is not None:
        hands = [_hand(text) for text in texts]
        arranged = given.get("arranged") or [True] * len(bets)
        best = [bulls.strength(hand) for hand in hands]
        counted = [
            bulls.strength(hand) if done else bulls.given_up(hand)
            for hand, done in zip(hands, arranged, strict=True)
        ]
    moved = transfers(
        given["banker"],
        bets,
        counted=counted,
        best=best,
        gone=_marks(len(bets), given.get("escaped")),
        gone_before=_marks(len(bets), given.get("escaped_before_deal")),
        multipliers=game.multipliers,
        wealth=given["wealth"],
    )
    paid = booked(moved, dealt=texts is not None, fee=game.values["A"], wealth=given["wealth"])
    return {"deltas": list(paid.deltas), "fee": list(paid.fees)}


def limits(make: Make, case: Case) -> dict[str, list[list[int] | None]]:
    given = case["input"]
    wealth = given["wealth"]
    game = _game(make, {**case.get("config", {}), "seats": len(wealth)})
    assert isinstance(game, AiqipaiNiuniu)
    offered = chips(
        given["banker"], wealth, most=game.values["max_multiplier"], divisors=game.divisors
    )
    return {"chips": [None if values is None else list(values) for values in offered]}


def play(make: Make, case: Case) -> dict[str, Any]:
    """How the hand stands after the actions, or `illegal_at`."""
    config = case.get("config", {})
    hands = [_hand(text) for text in case["deal"]["hands"]]
    game = _game(make, {"seats": len(hands), **config})
    state = game.new_state(len(hands), wealth=config.get("wealth"))
    state.apply(CHANCE, (FIRST, case["first_seat"]))
    _deal(state, hands)
    for index, (seat, text) in enumerate(case["actions"]):
        try:
            if text != "timeout":
                state.apply(seat, game.parse(state, seat, text))
            elif seat in [deadline.seat for deadline in state.deadlines()]:
                state.apply(seat, state.default_action(seat))
            else:
                return {"illegal_at": index}
        except IllegalAction as refused:
            return {"illegal_at": index, "code": refused.code}
        _deal(state, hands)
    return told(case, game, state) | _standing(state)


def _deal(state: BullState, hands: list[int]) -> None:
    """Nature's turn: those who are present get the cards of the case."""
    if state.to_act() == (CHANCE,):
        here = [hand if state.gets_cards(seat) else 0 for seat, hand in enumerate(hands)]
        state.apply(CHANCE, (DEAL, tuple(here)))


def _standing(state: BullState) -> dict[str, Any]:
    if not state.is_terminal():
        return {"result": "running", "phase": state.phase(), "to_act": list(state.to_act())}
    outcome = state.outcome()
    standing: dict[str, Any] = {
        "result": outcome.result,
        "deltas": list(outcome.deltas),
        "fee": list(outcome.fees),
    }
    if isinstance(state, DouniuState):
        standing |= {"kinds": state.kinds(), "next_banker": outcome.next_first}
    if isinstance(state, AiqipaiState):
        standing |= {
            "banker": state.banker,
            "kinds": state.kinds(),
            "next_priority": outcome.next_first,
        }
    return standing


def _operations(make: Make, **own: Callable[[Make, Case], Any]) -> dict[str, Callable[[Case], Any]]:
    shared = {"classify": classify, "splits": splits_, "beats": beats, "play": play}
    return {name: partial(function, make) for name, function in {**shared, **own}.items()}


DOUNIU = _operations(Douniu, settle=settle_points)
HUANLE = _operations(HuanleDouniu, settle=settle_points)
AIQIPAI = _operations(AiqipaiNiuniu, settle=settle_stakes, limits=limits)
