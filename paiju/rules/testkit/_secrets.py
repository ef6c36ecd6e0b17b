"""Promises about hidden information.

A viewer must not be able to tell this world from any other that `resample` gives, by nothing
that it is ever sent: view, turn, clocks, legal actions, defaults, hints, refusals, events,
a snapshot that was loaded, outcome and carry. Compared byte for byte and in the order in
which things stand, since an order can tell something, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from paiju.rules import views
from paiju.rules.api import ALL, CHANCE, SPECTATOR, Event, IllegalAction, State
from paiju.rules.testkit import _cards
from paiju.rules.testkit._actions import NONSENSE
from paiju.rules.testkit._claims import ListsClaims

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand

_LINES = 3


def worlds_look_the_same(
    hand: Hand, events: Sequence[Event], viewers: Sequence[int], screens: Mapping[int, views.Parts]
) -> None:
    """After an action that told `events` and led to these views of all viewers. The sampled
    world is rebuilt from its log, so that what the last action tells in it is known, too, and
    nothing real is left in it."""
    if not hand.texts:
        return
    piles = _cards.piles_in(screens, hand.seats)
    for viewer in viewers:
        world = hand.state.resample(viewer, hand.rng)
        if not hand.state.is_terminal():
            _cards.count_difference(hand, viewer, screens[viewer], piles, world)
        again, theirs = _replayed(hand, viewer, world)
        if [_shown(e, viewer) for e in theirs] != [_shown(e, viewer) for e in events]:
            kinds = ", ".join(event.kind for event in events)
            hand.fail("hidden information", f"events ({kinds}) tell worlds apart for {viewer}")
        dear = hand.rng.below(hand.depth.dear_every) == 0
        _look_the_same(hand, viewer, again, _lines(hand), dear=dear)


def _replayed(hand: Hand, viewer: int, world: State) -> tuple[State, Sequence[Event]]:
    """The sampled world from its log alone, and what its last action told."""
    again = hand.new_state()
    told: Sequence[Event] = ()
    try:
        for actor, action in world.log():
            told = again.apply(actor, action)
    except IllegalAction as refused:
        hand.fail("resample", f"a world sampled for {viewer} is none: {refused.code}")
    for seat in hand.viewers:
        if again.view(seat) != world.view(seat):
            detail = f"a world sampled for {viewer} shows {seat} what its log does not lead to"
            hand.fail("resample", detail)
    return again, told


def _look_the_same(
    hand: Hand, viewer: int, world: State, lines: Sequence[str], *, dear: bool
) -> None:
    mine, theirs = (_sent(hand, s, viewer, lines, dear) for s in (hand.state, world))
    for (what, shown), (_, other) in zip(mine, theirs, strict=True):
        if shown != other:
            detail = f"{what} tells worlds apart for {viewer}: {shown!r} or {other!r}"
            hand.fail("hidden information", detail[:400])


def _sent(
    hand: Hand, state: State, viewer: int, lines: Sequence[str], dear: bool
) -> Iterator[tuple[str, Any]]:
    """(what, value) of all that a viewer is ever told of a state."""
    yield "the view", json.dumps(state.view(viewer))
    yield "turn, phase or clock", (state.to_act(), state.phase(), state.deadlines())
    if state.is_terminal():
        yield "the outcome", json.dumps(state.outcome(), default=dict)
    if viewer == SPECTATOR:
        return
    yield "the list of legal actions", list(state.legal_actions(viewer))
    if hand.lists_claims:
        yield "the list of claims", list(cast(ListsClaims, state).claims(viewer))
    if any(d.seat == viewer and not d.hard for d in state.deadlines()):
        yield "the default action", state.default_action(viewer)
    copy = state.clone()
    for line in lines:
        yield f"the answer to {line!r}", _answer(hand, copy, viewer, line)
    if dear:
        yield "a loaded snapshot", json.dumps(hand.game.load(state.dump()).view(viewer))
        if viewer in state.to_act() and state.legal_actions(viewer):
            hint = state.hint(viewer)
            yield "the hint", hint
            if not state.is_legal(viewer, hint):
                hand.fail("hint", f"{hand.game.format(hint)!r} is illegal for seat {viewer}")


def _lines(hand: Hand) -> list[str]:
    """Nonsense, and what was legal at other moments; deals are chance's, and secret."""
    seen, below = hand.seen, hand.rng.below
    lines = [NONSENSE[below(len(NONSENSE))] for _ in range(_LINES)]
    return lines + [hand.game.format(seen[below(len(seen))]) for _ in range(_LINES if seen else 0)]


def _answer(hand: Hand, state: State, seat: int, line: str) -> str:
    """The refusal in full; "" when the line is legal, which changes nothing here."""
    try:
        action = hand.game.parse(state, seat, line)
        if not state.is_legal(seat, action):
            state.apply(seat, action)
    except IllegalAction as refused:
        sentence = hand.game.message(refused.code, refused.params, "en")
        return json.dumps([refused.code, refused.params, sentence], default=str)
    return ""


def pending_choices_stay_hidden(hand: Hand) -> None:
    """When several choose at once, what the events keep from a viewer nothing else tells."""
    state = hand.state
    asked = [seat for seat in state.to_act() if seat != CHANCE]
    if len(asked) < 2:
        return
    chooser = asked[hand.rng.below(len(asked))]
    legal = state.legal_actions(chooser)
    if len(legal) < 2:
        return
    first = hand.rng.below(len(legal))
    second = (first + 1 + hand.rng.below(len(legal) - 1)) % len(legal)
    one, other = state.clone(), state.clone()
    told_one = one.apply(chooser, legal[first])
    told_other = other.apply(chooser, legal[second])
    for viewer in hand.viewers:
        if viewer == chooser or one.is_terminal() or other.is_terminal():
            continue
        if [_shown(e, viewer) for e in told_one] != [_shown(e, viewer) for e in told_other]:
            continue  # an open choice, or the last one: all is laid open
        for (what, shown), (_, else_) in zip(
            _sent(hand, one, viewer, (), False), _sent(hand, other, viewer, (), False), strict=True
        ):
            if shown != else_:
                hand.fail("hidden information", f"{what} tells {viewer} what {chooser} has chosen")


def events_are_json(hand: Hand, events: Sequence[Event]) -> None:
    for event in events:
        try:
            json.dumps([event.data, event.masked])
        except TypeError as error:
            hand.fail("events", f"{event.kind!r} is no JSON: {error}")


def _shown(event: Event, viewer: int) -> Any:
    """As a receiver gets it; None: nothing is sent."""
    data = event.data if event.to == ALL or viewer in event.to else event.masked
    return None if data is None else json.dumps([event.kind, data])
