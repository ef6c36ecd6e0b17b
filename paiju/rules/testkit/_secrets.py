"""Promises about hidden information.

A viewer must not be able to tell this world from any other that `resample` gives: not by
its view, nor by turn, clocks, legal actions, defaults, hints, refusals or events.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paiju.rules import views
from paiju.rules.api import ALL, SPECTATOR, Event, IllegalAction, State
from paiju.rules.testkit._actions import NONSENSE

if TYPE_CHECKING:
    from paiju.rules.testkit._kit import Hand


def worlds_look_the_same(hand: Hand) -> None:
    state = hand.state
    for viewer in hand.viewers:
        world = state.resample(viewer, hand.rng)
        hand.report.worlds += 1
        hand.report.worlds_differ += world.hash() != state.hash()
        mine, theirs = views.encode(state.view(viewer)), views.encode(world.view(viewer))
        for key in sorted(set(mine) | set(theirs)):
            if mine.get(key) != theirs.get(key):
                hand.fail(
                    "hidden information", f"the view's {key!r} tells worlds apart for {viewer}"
                )
        if (world.to_act(), world.deadlines()) != (state.to_act(), state.deadlines()):
            hand.fail("hidden information", f"turn or clock tell worlds apart for {viewer}")
        if viewer != SPECTATOR:
            _answers_are_the_same(hand, viewer, world)


def _answers_are_the_same(hand: Hand, seat: int, world: State) -> None:
    state, game = hand.state, hand.game
    if seat in state.to_act():
        if list(world.legal_actions(seat)) != list(state.legal_actions(seat)):
            hand.fail("hidden information", f"legal actions tell worlds apart for {seat}")
        if world.default_action(seat) != state.default_action(seat):
            hand.fail("hidden information", f"the default action tells worlds apart for {seat}")
        hint = state.hint(seat)
        if not state.is_legal(seat, hint):
            hand.fail("hint", f"{game.format(hint)!r} is illegal for seat {seat}")
        if world.hint(seat) != hint:
            hand.fail("hidden information", f"the hint tells worlds apart for {seat}")
    lines = [*NONSENSE, *(game.format(a) for a in hand.seen[-8:] if isinstance(a, int))]
    mine, theirs = state.clone(), world.clone()
    for line in lines:
        if _answer(hand, mine, seat, line) != _answer(hand, theirs, seat, line):
            hand.fail("hidden information", f"the answer to {line!r} tells worlds apart for {seat}")


def _answer(hand: Hand, state: State, seat: int, line: str) -> str:
    """Code and parameters of the refusal; "" when the line is legal, which changes nothing."""
    try:
        action = hand.game.parse(state, seat, line)
        if not state.is_legal(seat, action):
            state.apply(seat, action)
    except IllegalAction as refused:
        return json.dumps([refused.code, refused.params], sort_keys=True, default=str)
    return ""


def events_are_json(hand: Hand, events: Sequence[Event]) -> None:
    for event in events:
        try:
            json.dumps([event.data, event.masked])
        except TypeError as error:
            hand.fail("events", f"{event.kind!r} is no JSON: {error}")


def events_tell_nothing_more(hand: Hand, events: Sequence[Event]) -> None:
    """What a viewer was sent is the same in every world that it cannot tell apart afterwards."""
    for viewer in hand.viewers:
        world = hand.state.resample(viewer, hand.rng)
        *before, (seat, last) = world.log()
        again = hand.new_state()
        for actor, action in before:
            again.apply(actor, action)
        theirs = again.apply(seat, last)
        if [_shown(e, viewer) for e in theirs] != [_shown(e, viewer) for e in events]:
            kinds = ", ".join(event.kind for event in events)
            hand.fail("hidden information", f"events ({kinds}) tell worlds apart for {viewer}")


def _shown(event: Event, viewer: int) -> Any:
    """As a receiver gets it; None: nothing is sent."""
    data = event.data if event.to == ALL or viewer in event.to else event.masked
    return None if data is None else json.dumps([event.kind, data], sort_keys=True)
