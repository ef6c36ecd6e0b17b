"""The promises, one function each. `hand` is the hand being played."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paiju.rules import views
from paiju.rules.api import ALL, SPECTATOR, Event, IllegalAction

if TYPE_CHECKING:
    from paiju.rules.testkit._kit import _Hand

NONSENSE = ("", "pass 1", "call", "call 99", "play", "play zz", "escape now", "deal", "\u202e", "x")


def actions_are_legal(hand: _Hand, acting: list[int]) -> None:
    """Listed actions are legal and read back; others are refused and change nothing."""
    state, game = hand.state, hand.game
    before = state.hash()
    for seat in acting:
        legal = state.legal_actions(seat)
        if not legal:
            hand.fail("dead end", f"seat {seat} is to act and has no legal action")
        picks = [legal[hand.rng.below(len(legal))] for _ in range(min(4, len(legal)))]
        for action in picks:
            if not state.is_legal(seat, action):
                hand.fail("legality", f"{game.format(action)!r} is listed but not legal")
            if game.parse(state, seat, game.format(action)) != action:
                hand.fail("text", f"{game.format(action)!r} reads as another action")
            for other in range(hand.seats):
                if other not in acting and state.is_legal(other, action):
                    hand.fail("turn", f"{game.format(action)!r} is legal for seat {other}, too")
        in_view = game.legal_in_view(state.view(seat))
        if state.phase() != "deal" and set(in_view) != set(legal):
            hand.fail("client", f"a client finds {len(in_view)} actions, not {len(legal)}")
    for seat in range(hand.seats):
        for text in NONSENSE:
            _refused(hand, seat, text)
    if state.hash() != before:
        hand.fail("refusal", "looking at actions changed the state")


def _refused(hand: _Hand, seat: int, text: str) -> None:
    state = hand.state
    try:
        action = hand.game.parse(state, seat, text)
    except IllegalAction as refused:
        _code_is_stable(hand, refused)
        return
    if state.is_legal(seat, action):
        return
    try:
        state.apply(seat, action)
    except IllegalAction as refused:
        _code_is_stable(hand, refused)
    else:
        hand.fail("legality", f"{text!r} is not legal for seat {seat} but applies")


def _code_is_stable(hand: _Hand, refused: IllegalAction) -> None:
    for locale in ("en", "zh"):
        if hand.game.message(refused.code, refused.params, locale) is None:
            hand.fail("sentences", f"no {locale} sentence for {refused.code!r}")


def state_is_whole(hand: _Hand) -> None:
    """dump and load, the log, and a clone all give the same state; a clone is independent."""
    state, game = hand.state, hand.game
    wanted = state.hash()
    if game.load(state.dump()).hash() != wanted:
        hand.fail("dump", "load(dump()) is another state")
    again = game.new_state(hand.seats, wealth=hand.wealth, carry=hand.carry)
    for seat, text in hand.texts:
        again.apply(seat, game.parse(again, seat, text))
    if again.hash() != wanted:
        hand.fail("replay", "the log replays to another state")
    for viewer in hand.viewers:
        if again.view(viewer) != state.view(viewer):
            hand.fail("replay", f"the replayed state shows viewer {viewer} something else")
    copy = state.clone()
    if not copy.is_terminal():
        copy.abandon(0, "leave") if copy.phase() != "deal" else None
        if state.hash() != wanted:
            hand.fail("clone", "changing a clone changes the original")


def worlds_look_the_same(hand: _Hand) -> None:
    """Nothing a viewer is shown differs between worlds that it cannot tell apart."""
    state = hand.state
    for viewer in hand.viewers:
        world = state.resample(viewer, hand.rng)
        hand.report.worlds += 1
        hand.report.worlds_differ += world.hash() != state.hash()
        if views.encode(world.view(viewer)) != views.encode(state.view(viewer)):
            hand.fail("hidden information", f"the view of {viewer} tells worlds apart")
        if viewer == SPECTATOR:
            continue
        if world.to_act() != state.to_act() or world.deadlines() != state.deadlines():
            hand.fail("hidden information", f"turn or clock tell seat {viewer} worlds apart")
        _same_refusals(hand, viewer, world)
        if viewer in state.to_act():
            _same_choices(hand, viewer, world)


def _same_refusals(hand: _Hand, seat: int, world: Any) -> None:
    """What a seat is told when it tries what it may not do, in turn and out of turn."""
    state, game = hand.state, hand.game
    acting = [s for s in state.to_act() if s >= 0]
    tried = [text for actor, text in hand.texts[-3:] if actor >= 0]
    tried += [game.format(state.default_action(s)) for s in acting if s != seat]
    for text in (*NONSENSE, *tried):
        if _error(game, state, seat, text) != _error(game, world, seat, text):
            hand.fail("hidden information", f"the refusal of {text!r} tells worlds apart")


def _same_choices(hand: _Hand, seat: int, world: Any) -> None:
    state, game = hand.state, hand.game
    if list(world.legal_actions(seat)) != list(state.legal_actions(seat)):
        hand.fail("hidden information", f"legal actions tell seat {seat} worlds apart")
    if game.format(world.default_action(seat)) != game.format(state.default_action(seat)):
        hand.fail("hidden information", f"the default action tells seat {seat} worlds apart")


def _error(game: Any, state: Any, seat: int, text: str) -> tuple[str, str]:
    try:
        action = game.parse(state, seat, text)
        if not state.is_legal(seat, action):
            state.clone().apply(seat, action)
    except IllegalAction as refused:
        return refused.code, json.dumps(refused.params, sort_keys=True, default=str)
    return "", ""


def _shown(event: Event, seat: int) -> str:
    data = event.data if event.to == ALL or seat in event.to else event.masked
    return json.dumps([event.kind, data], sort_keys=True)


def events_are_json(hand: _Hand, events: Sequence[Event]) -> None:
    for event in events:
        try:
            json.dumps([event.data, event.masked])
        except TypeError as error:
            hand.fail("events", f"{event.kind!r} is no JSON: {error}")


def events_tell_nothing_more(hand: _Hand, events: Sequence[Event]) -> None:
    """What a viewer was sent is the same in every world that it cannot tell apart afterwards."""
    state, game = hand.state, hand.game
    for viewer in hand.viewers:
        world = state.resample(viewer, hand.rng)
        *before, (seat, last) = world.log()
        again = game.new_state(hand.seats, wealth=hand.wealth, carry=hand.carry)
        for actor, action in before:
            again.apply(actor, action)
        for mine, theirs in zip(events, again.apply(seat, last), strict=True):
            if _shown(mine, viewer) != _shown(theirs, viewer):
                hand.fail("hidden information", f"event {mine.kind!r} tells {viewer} worlds apart")


def outcome_is_conserved(hand: _Hand) -> None:
    """Amounts sum to zero, nobody falls below zero, and what is carried over is JSON."""
    outcome = hand.state.outcome()
    if len(outcome.deltas) != hand.seats or len(outcome.fees) != hand.seats:
        hand.fail("outcome", "one delta and one fee per seat are needed")
    total = sum(outcome.deltas) + sum(outcome.fees) + outcome.pot_change
    if hand.game.info.zero_sum and total != 0:
        hand.fail("outcome", f"deltas, fees and pot sum to {total}")
    if min(outcome.fees) < 0:
        hand.fail("outcome", "a fee is negative")
    if hand.wealth is not None:
        left = [w + d for w, d in zip(hand.wealth, outcome.deltas, strict=True)]
        if min(left) < 0:
            hand.fail("outcome", f"a seat ends with {min(left)}")
    try:
        json.dumps(dict(outcome.carry))
    except TypeError as error:
        hand.fail("outcome", f"carry is no JSON: {error}")
