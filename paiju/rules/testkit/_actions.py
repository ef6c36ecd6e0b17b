"""Promises about actions: lists, legality, text, refusals, defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paiju.rules.api import CHANCE, SPECTATOR, IllegalAction

if TYPE_CHECKING:
    from paiju.rules.testkit._kit import Hand

NONSENSE = ("", " ", "pass 1", "PASS", "call 99", "play", "play zz", "deal", "\u202e", "x" * 99)
_PICKS = 4
_FOREIGN = 6


def defaults_are_legal(hand: Hand) -> None:
    """What a time-out would play is legal and the same every time."""
    for seat in hand.state.to_act():
        if seat == CHANCE:
            continue
        default = hand.state.default_action(seat)
        if not hand.state.is_legal(seat, default):
            hand.fail("default", f"{hand.game.format(default)!r} is illegal for seat {seat}")
        if hand.state.default_action(seat) != default:
            hand.fail("default", f"seat {seat} has two default actions")


def lists_are_true(hand: Hand, acting: Sequence[int]) -> None:
    """What is listed is legal, reads back, belongs to the seat, and clients find the same."""
    state, game = hand.state, hand.game
    for seat in acting:
        legal = list(state.legal_actions(seat))
        if not legal:
            hand.fail("dead end", f"seat {seat} is to act and has no legal action")
        if len(set(legal)) != len(legal) or len(legal) != len(state.legal_actions(seat)):
            hand.fail("list", f"the actions of seat {seat} are not listed once each")
        if set(game.legal_in_view(state.view(seat))) != set(legal):
            hand.fail("client", f"from its view seat {seat} finds other legal actions")
        for _ in range(_PICKS):
            action = legal[hand.rng.below(len(legal))]
            text = game.format(action)
            if not state.is_legal(seat, action):
                hand.fail("legality", f"{text!r} is listed but not legal")
            if "\n" in text or game.parse(state, seat, text) != action:
                hand.fail("text", f"{text!r} reads as another action")
            if state.canonical(seat, action) != action:
                hand.fail("list", f"{text!r} is listed but not canonical")


def others_are_refused(hand: Hand, acting: Sequence[int]) -> None:
    """What is not listed is refused with a stable code, and changes nothing."""
    state = hand.state
    before = state.hash()
    for seat in (*range(hand.seats), SPECTATOR, hand.seats):
        listed = set(state.legal_actions(seat))
        if seat not in acting and listed:
            hand.fail("turn", f"seat {seat} is not to act and has {len(listed)} actions")
        for text in NONSENSE:
            _nonsense(hand, seat, text)
        for action in _foreign(hand):
            _judge(hand, seat, action, listed)
    if state.hash() != before:
        hand.fail("refusal", "refused actions changed the state")


def _foreign(hand: Hand) -> list[Any]:
    """Actions that were legal at other moments or for other seats; sometimes a deal."""
    picks = [hand.seen[hand.rng.below(len(hand.seen))] for _ in range(_FOREIGN) if hand.seen]
    deals = [action for seat, action in hand.state.log()[:1] if seat == CHANCE]
    return picks + deals


def _nonsense(hand: Hand, seat: int, text: str) -> None:
    try:
        action = hand.game.parse(hand.state, seat, text)
    except IllegalAction as refused:
        code_has_sentences(hand, refused)
        return
    if seat in hand.state.to_act() and hand.state.is_legal(seat, action):
        return  # a line that means something here
    refused_without_trace(hand, seat, action)


def _judge(hand: Hand, seat: int, action: Any, listed: set[Any]) -> None:
    """Membership and is_legal agree, up to interchangeable cards; what is illegal is refused."""
    state, text = hand.state, hand.game.format(action)
    if not state.is_legal(seat, action):
        if action in listed:
            hand.fail("legality", f"{text!r} is listed for seat {seat} but not legal")
        refused_without_trace(hand, seat, action)
    elif hand.game.info.enumerable and state.canonical(seat, action) not in listed:
        hand.fail("legality", f"{text!r} is legal for seat {seat} but not listed")


def refused_without_trace(hand: Hand, seat: int, action: Any) -> None:
    before = hand.state.hash()
    try:
        hand.state.apply(seat, action)
    except IllegalAction as refused:
        code_has_sentences(hand, refused)
        if hand.state.hash() != before:
            hand.fail("refusal", f"{refused.code!r} left a changed state")
        hand.report.refusals += 1
    else:
        text = hand.game.format(action)
        hand.fail("legality", f"{text!r} is not legal for seat {seat} but applies")


def code_has_sentences(hand: Hand, refused: IllegalAction) -> None:
    for locale in ("en", "zh"):
        if not hand.game.message(refused.code, refused.params, locale):
            hand.fail("sentences", f"no {locale} sentence for {refused.code!r}")
