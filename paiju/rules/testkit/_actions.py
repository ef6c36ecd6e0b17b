"""Promises about actions: lists, legality, text, refusals, defaults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paiju.rules.api import CHANCE, SPECTATOR, IllegalAction
from paiju.rules.testkit._guesses import guesses

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand

NONSENSE = ("", " ", "pass 1", "PASS", "call 99", "play", "play zz", "deal", "\u202e", "x" * 99)
_PICKS = 4
_TRIED = 3


def everybody_is_asked(hand: Hand) -> None:
    """A table whose players are all gone goes on: chance needs no clock when it is alone,
    everybody else who is waited for has one."""
    acting = hand.state.to_act()
    if len(set(acting)) != len(acting) or not all(-1 <= seat < hand.seats for seat in acting):
        hand.fail("turn", f"to act are {acting}")
    info, seats = hand.game.info, [seat for seat in acting if seat != CHANCE]
    if info.deterministic and CHANCE in acting:
        hand.fail("info", "chance acts in a game that is said to be deterministic")
    if not info.simultaneous and len(seats) > 1:
        hand.fail("info", f"{seats} are to act at once in a game that is said to be sequential")
    clocks = {deadline.seat for deadline in hand.state.deadlines()}
    if len(acting) > 1 and CHANCE in acting:
        if CHANCE not in clocks:
            hand.fail("clock", "seats may act during a deal, and chance has no clock")
    elif acting != (CHANCE,) and not clocks.issuperset(acting):
        hand.fail("clock", f"{acting} are to act, clocks run for {sorted(clocks)}")


def defaults_are_legal(hand: Hand) -> None:
    """What a time-out would play is legal and the same every time."""
    for deadline in hand.state.deadlines():
        seat = deadline.seat
        if seat == CHANCE or deadline.hard:
            continue
        default = hand.state.default_action(seat)
        if not hand.state.is_legal(seat, default):
            hand.fail("default", f"{hand.game.format(default)!r} is illegal for seat {seat}")
        if hand.state.default_action(seat) != default:
            hand.fail("default", f"seat {seat} has two default actions")


def _acting(hand: Hand) -> list[int]:
    return [seat for seat in hand.state.to_act() if seat != CHANCE]


def lists_are_true(hand: Hand) -> None:
    """What is listed is legal, reads back, belongs to the seat, and clients find the same."""
    state, game = hand.state, hand.game
    for seat in _acting(hand):
        legal = list(state.legal_actions(seat))
        if not legal and CHANCE not in state.to_act():
            hand.fail("dead end", f"seat {seat} is to act and has no legal action")
        if len(set(legal)) != len(legal) or len(legal) != len(state.legal_actions(seat)):
            hand.fail("list", f"the actions of seat {seat} are not listed once each")
        if set(game.legal_in_view(state.view(seat))) != set(legal):
            hand.fail("client", f"from its view seat {seat} finds other legal actions")
        _buttons_are_named(hand, seat, legal)
        for _ in range(_PICKS if legal else 0):
            action = legal[hand.rng.below(len(legal))]
            text = game.format(action)
            if not state.is_legal(seat, action):
                hand.fail("legality", f"{text!r} is listed but not legal")
            if "\n" in text or game.parse(state, seat, text) != action:
                hand.fail("text", f"{text!r} reads as another action")
            if state.canonical(seat, action) != action:
                hand.fail("list", f"{text!r} is listed but not canonical")


def _buttons_are_named(hand: Hand, seat: int, legal: Sequence[Any]) -> None:
    """By convention `legal` of a view has the lines that a seat may play, or at least their
    verbs: what a client makes its buttons of."""
    shown = hand.state.view(seat).get("legal")
    if isinstance(shown, list) and all(isinstance(line, str) for line in shown):
        wanted = {hand.game.format(action).split(" ")[0] for action in legal}
        lacking = wanted - {line.split(" ")[0] for line in shown}
        if lacking:
            hand.fail("client", f"seat {seat} may {sorted(lacking)}, and its view does not say so")


def others_are_refused(hand: Hand) -> None:
    """What is not listed is refused with a stable code, and changes nothing."""
    state, acting = hand.state, _acting(hand)
    before = state.hash()
    for seat in (*range(hand.seats), SPECTATOR, hand.seats):
        listed = set(state.legal_actions(seat))
        if seat not in acting and listed:
            hand.fail("turn", f"seat {seat} is not to act and has {len(listed)} actions")
        for _ in range(_TRIED):
            _nonsense(hand, seat, NONSENSE[hand.rng.below(len(NONSENSE))])
        for action in (*_foreign(hand), *guesses(hand, seat)):
            _judge(hand, seat, action, listed)
    _chance_is_nobodys(hand)
    if state.hash() != before:
        hand.fail("refusal", "refused actions changed the state")


def _chance_is_nobodys(hand: Hand) -> None:
    """Nature's next action is refused to every seat."""
    if CHANCE not in hand.state.to_act():
        return
    action = hand.state.clone().sample_chance(hand.rng)
    for seat in (*range(hand.seats), SPECTATOR):
        if hand.state.is_legal(seat, action):
            hand.fail("legality", f"{hand.game.format(action)!r} is legal for seat {seat}")
        _is_refused(hand, seat, action)


def _foreign(hand: Hand) -> list[Any]:
    """Actions that were legal at other moments or for other seats; sometimes a deal."""
    seen = hand.seen
    picks = [seen[hand.rng.below(len(seen))] for _ in range(_TRIED if seen else 0)]
    deals = [action for seat, action in hand.state.log()[:1] if seat == CHANCE]
    return picks + deals


def _nonsense(hand: Hand, seat: int, text: str) -> None:
    try:
        action = hand.game.parse(hand.state, seat, text)
    except IllegalAction as refused:
        code_has_sentences(hand, refused)
        return
    if not hand.state.is_legal(seat, action):  # else a line that means something here
        _is_refused(hand, seat, action)


def _judge(hand: Hand, seat: int, action: Any, listed: set[Any]) -> None:
    """Membership and is_legal agree, up to interchangeable cards; what is illegal is refused.

    Not listed are claims, which are made out of turn, and the hint set's other actions.
    """
    state = hand.state
    if not state.is_legal(seat, action):
        if action in listed:
            text = hand.game.format(action)
            hand.fail("legality", f"{text!r} is listed for seat {seat} but not legal")
        _is_refused(hand, seat, action)
    elif not 0 <= seat < hand.seats:
        hand.fail("turn", f"{hand.game.format(action)!r} is legal for viewer {seat}")
    elif (
        hand.game.info.enumerable
        and not hand.lists_claims
        and state.canonical(seat, action) not in listed
    ):
        text = hand.game.format(action)
        hand.fail("legality", f"{text!r} is legal for seat {seat} but not listed")


def _is_refused(hand: Hand, seat: int, action: Any) -> None:
    length = len(hand.state.log())
    try:
        hand.state.apply(seat, action)
    except IllegalAction as refused:
        code_has_sentences(hand, refused)
        if len(hand.state.log()) != length:
            hand.fail("refusal", f"{refused.code!r} was logged")
        hand.report.refusals += 1
    else:
        text = hand.game.format(action)
        hand.fail("legality", f"{text!r} is not legal for seat {seat} but applies")


def code_has_sentences(hand: Hand, refused: IllegalAction) -> None:
    for locale in ("en", "zh"):
        if not hand.game.message(refused.code, refused.params, locale):
            hand.fail("sentences", f"no {locale} sentence for {refused.code!r}")
