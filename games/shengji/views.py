"""What may be seen of a hand, and a seat's sight taken from its view."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from games.shengji.actions import PLAY, SEATS, THROW, VERBS
from games.shengji.declaring import trump_name
from games.shengji.hand import UNKNOWN
from games.shengji.phase import Sight
from games.shengji.trick import winner_of
from paiju.rules.cards import SUITS
from paiju.rules.tricks import NO_TRUMP, TrickRules, lead_of
from paiju.rules.tricks.packs import SIZE_BYTES, UNITS, names_of, parse_set

if TYPE_CHECKING:
    from games.shengji.game import TrickGame
    from games.shengji.state import State


def public(state: State) -> dict[str, Any]:
    """What everybody sees."""
    if state.stage == "deal":
        return {"phase": "deal", "to_act": [], "dealer": _known(state.dealer), "level": state.level}
    view: dict[str, Any] = {
        "phase": state.stage,
        "to_act": [seat for seat in state.to_act() if seat >= 0],
        "first": state.first,
        "dealer": _known(state.dealer),
        "level": state.level,
        "levels": list(state.levels),
        "trump": trump_name(state.trump),
        "claim": _claim(state),
        "undealt": state.undealt(),
        "under": state.under,
        "counts": state.hand_sizes(),
        "known": [shown(cards) for cards in state.known],
        "bottom": shown(state.bottom) if state.bottom_open else None,
        "burier": _known(state.burier),
        **state.game.shown_more(state),
    }
    if state.leader != UNKNOWN:
        view.update(_tricks(state))
    if state.result is not None:
        view.update(_result(state))
    return view


def _known(seat: int) -> int | None:
    return None if seat == UNKNOWN else seat


def _claim(state: State) -> dict[str, Any] | None:
    if not state.claim:
        return None
    suit = None if state.named == UNKNOWN else SUITS[state.named]
    return {"seat": state.claimer, "cards": names_of(state.claim), "suit": suit}


def _tricks(state: State) -> dict[str, Any]:
    """gone: how often each card was played, in the order of card numbers."""
    return {
        "leader": state.leader,
        "laid": [shown(cards) for cards in state.laid],
        "winning": None if state.lead is None else winner_of(state),
        "points": state.points,
        "tricks": len(state.winners),
        "last": [shown(cards) for cards in state.last],
        "gone": gone_text(state.gone),
        "voids": list(state.voids),
    }


_DIGITS = tuple("".join(str(byte >> shift & 3) for shift in (0, 2, 4, 6)) for byte in range(256))


def gone_text(gone: int) -> str:
    """A digit per card."""
    digits = [_DIGITS[byte] for byte in gone.to_bytes(SIZE_BYTES, "little")]
    return "".join(digits)[: len(UNITS)]


@lru_cache(maxsize=1 << 13)
def shown(cards: int) -> list[str]:
    """The names of a set; the list is shared: read it, do not change it."""
    return names_of(cards)


def parse_gone(text: str) -> int:
    return sum([int(digit) * unit for digit, unit in zip(text, UNITS, strict=True)])


def _result(state: State) -> dict[str, Any]:
    outcome, score = state.outcome(), state.score()
    result: dict[str, Any] = {
        "result": outcome.result,
        "deltas": list(outcome.deltas),
        "fees": list(outcome.fees),
    }
    if score is not None:
        result |= {
            "points": score.opp_points,
            "bottom_times": score.bottom_mult,
            "side": score.side,
            "levels": score.levels,
            "next_dealer": score.next_dealer,
            "team_levels": list(score.team_levels or ()),
            "match_winner": score.match_winner,
            "special": score.special,
        }
    return {
        "result": result,
        "bottom": names_of(state.bottom),
        "hands": [names_of(hand) for hand in state.hands],
    }


def of_seat(state: State, common: dict[str, Any], seat: int) -> dict[str, Any]:
    """`common`, what everybody sees, and what the seat knows besides."""
    view = dict(common)
    if not 0 <= seat < SEATS or state.stage == "deal":
        return view
    view["seat"] = seat
    view["hand"] = shown(state.hands[seat])
    view["buried"] = shown(state.bottom) if seat == state.burier and state.bottom else None
    view["legal"] = _verbs(state, seat)
    return view


def _verbs(state: State, seat: int) -> list[str]:
    """What the seat may do now; with which cards the hint tells."""
    if seat not in state.to_act():
        return []
    if state.stage == "play":
        return [VERBS[PLAY], VERBS[THROW]] if state.lead is None else [VERBS[PLAY]]
    return [VERBS[verb] for verb in state.game.phases[state.stage].verbs]


# ---- back from a view --------------------------------------------------------------------------


def rules_in(game: TrickGame, view: Mapping[str, Any]) -> TrickRules | None:
    """The trick rules of the hand that a view shows; None before the trumps are known."""
    trump = view["trump"]
    if trump is None:
        return None
    suit = NO_TRUMP if trump == "n" else SUITS.index(trump)
    return game.rules_of(game.ranking_of(view["level"], suit))


def sight_of(game: TrickGame, view: Mapping[str, Any]) -> Sight:
    """The sight of the seat whose view this is."""
    rules = rules_in(game, view)
    hand = parse_set(" ".join(view["hand"]))
    claim = view["claim"] or {"seat": UNKNOWN, "cards": (), "suit": None}
    buried = parse_set(" ".join(view["bottom"] or view["buried"] or ()))
    gone = parse_gone(view["gone"]) if "gone" in view else 0
    lead = None
    if "leader" in view and view["laid"][view["leader"]]:
        assert rules is not None
        lead = lead_of(rules, parse_set(" ".join(view["laid"][view["leader"]])))
    dealer = UNKNOWN if view["dealer"] is None else view["dealer"]
    return Sight(
        phase=view["phase"],
        seat=view["seat"],
        hand=hand,
        rules=rules,
        claims=game.claims_of(view["level"], dealer),
        claim=parse_set(" ".join(claim["cards"])),
        named=UNKNOWN if claim["suit"] is None else SUITS.index(claim["suit"]),
        claimer=claim["seat"],
        lead=lead,
        unseen=game.whole_pack - gone - hand - buried,
        owed=view.get("owed", 0),
        under=view["under"],
        swappable=view.get("swappable", 0),
    )
