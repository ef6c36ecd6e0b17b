"""Promises about a state's identity: snapshots, replays, clones, patches, records, outcomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from paiju.rules import record as records
from paiju.rules import shuffle, views
from paiju.rules.api import CHANCE, SPECTATOR, Game, IllegalAction, State

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand


HASH_BITS = 64


class Screens:
    """What every viewer has on its screen, kept by patches only."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._parts = {v: views.encode(hand.state.view(v)) for v in hand.viewers}
        self._checks = {v: views.check(parts) for v, parts in self._parts.items()}

    def parts(self) -> Mapping[int, views.Parts]:
        """What each has on its screen."""
        return self._parts

    def follow(self) -> Mapping[int, views.Parts]:
        """Patches give the view byte for byte, and the running check is the view's.

        Returns what each has on its screen.
        """
        hand = self._hand
        for viewer, old in self._parts.items():
            try:
                new = views.encode(hand.state.view(viewer))
            except TypeError as error:
                hand.fail("view", f"the view of {viewer} is no JSON: {error}")
            patch = views.diff(old, new)
            shown = views.apply(old, patch)
            if shown != new:  # the same bytes, then, whatever the order of keys
                hand.fail("patches", f"viewer {viewer} sees another view")
            self._checks[viewer] = views.check_update(self._checks[viewer], old, patch)
            self._parts[viewer] = shown
            size = sum(len(key) + len(text) for key, text in patch.set.items())
            hand.report.patch_bytes.append(size + sum(map(len, patch.delete)))
            hand.report.views += 1
        checked = hand.viewers[len(hand.texts) % len(hand.viewers)]
        if self._checks[checked] != views.check(self._parts[checked]):
            hand.fail("patches", f"the check of viewer {checked} is off")
        spectator = self._parts[SPECTATOR].items()
        perfect = hand.game.info.perfect_information
        for viewer, parts in self._parts.items():
            if perfect and parts.items() != spectator:
                hand.fail("info", f"seat {viewer} sees what others do not in an open game")
            if not spectator <= parts.items():
                hand.fail("hidden information", f"a spectator sees what seat {viewer} does not")
        return self._parts


def twin_follows(hand: Hand, seat: int, text: str, *, compare: bool = True) -> None:
    """The log, as text, replays to the same state (compared at this step, or later)."""
    try:
        hand.twin.apply(seat, hand.game.parse(hand.twin, seat, text))
    except IllegalAction as refused:
        hand.fail("replay", f"{text!r} is refused in the replay: {refused.code}")
    if compare and hand.twin.hash() != hand.state.hash():
        hand.fail("replay", f"{text!r} replays to another state")


def replay_is_the_same(hand: Hand) -> None:
    """The replay has the state's data and log."""
    if hand.twin.hash() != hand.state.hash():
        hand.fail("replay", "the replay is another state")
    if list(hand.twin.log()) != list(hand.state.log()):
        hand.fail("replay", "the replay has another log")


def state_is_whole(hand: Hand, *, replayed: bool = True) -> None:
    """A loaded snapshot is the state in every respect, the replay too; a clone is independent."""
    state = hand.state
    copy = state.clone()
    others = [(hand.game.load(state.dump()), "load(dump())"), (copy, "clone()")]
    if replayed:
        others.append((hand.twin, "the replay"))
    wanted, log = state.hash(), list(state.log())
    screens = {viewer: views.encode(state.view(viewer)) for viewer in hand.viewers}
    turn = (state.to_act(), state.deadlines())
    legal = {seat: list(state.legal_actions(seat)) for seat in state.to_act()}
    for other, name in others:
        if other.hash() != wanted:
            hand.fail("dump", f"{name} is another state")
        if list(other.log()) != log:
            hand.fail("dump", f"{name} has another log")
        for viewer, screen in screens.items():
            if views.encode(other.view(viewer)) != screen:
                hand.fail("dump", f"{name} shows {viewer} something else")
        if (other.to_act(), other.deadlines()) != turn:
            hand.fail("dump", f"{name} has another turn or clock")
        for seat, actions in legal.items():
            if list(other.legal_actions(seat)) != actions:
                hand.fail("dump", f"{name} gives seat {seat} other actions")
    if wanted >> HASH_BITS:
        hand.fail("hash", f"{wanted} has more than {HASH_BITS} bits")
    _clone_is_independent(hand, copy)


def _clone_is_independent(hand: Hand, copy: State) -> None:
    wanted, length = hand.state.hash(), len(hand.state.log())
    for seat in copy.to_act()[:1]:
        if seat == CHANCE:
            copy.apply(seat, copy.sample_chance(hand.rng))
        else:
            copy.apply(seat, copy.default_action(seat))
        if hand.state.hash() != wanted or len(hand.state.log()) != length:
            hand.fail("clone", "changing a clone changes the original")


def over_means_over(hand: Hand) -> None:
    """Nothing may be done any more."""
    state = hand.state
    if state.to_act() or state.deadlines():
        hand.fail("the end", "somebody is still to act")
    for seat in range(hand.seats):
        if state.legal_actions(seat):
            hand.fail("the end", f"seat {seat} has actions left")
        for action in hand.seen[-3:]:
            if state.is_legal(seat, action):
                hand.fail("the end", f"{hand.game.format(action)!r} is still legal")


def outcome_is_conserved(hand: Hand) -> None:
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


class _Only:
    """A registry of one game."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def get(self, name: str, version: int, parameters: str) -> Game:
        if (name, version, parameters) != self._game.id:
            raise LookupError(f"no game {name} {version} {parameters}")
        return self._game


def record_verifies(hand: Hand) -> None:
    """The record survives JSON, replays to the outcome, and its deal is the committed one.

    Cut short anywhere it verifies as a void hand, too.
    """
    whole = record_of(hand)
    void = records.RecordedOutcome.of(None, seats=hand.seats)
    cut = hand.rng.below(len(hand.recorded) + 1)
    short = msgspec.structs.replace(whole, actions=hand.recorded[:cut], outcome=void)
    for record in (whole, short):
        again = records.decode(records.encode(record))
        if again != record:
            hand.fail("record", "the record does not survive JSON")
        try:
            records.verify(again, _Only(hand.game))
        except records.RecordError as error:
            hand.fail("record", str(error))


def record_of(hand: Hand) -> records.Record:
    """The finished hand as a table would record it."""
    return records.Record(
        game=hand.game.id.name,
        version=hand.game.id.version,
        package="0",
        parameters=hand.game.id.parameters,
        table="kit",
        hand=hand.number,
        seats=[f"{seat + 1}" for seat in range(hand.seats)],
        bots=[False] * hand.seats,
        wealth=None if hand.wealth is None else list(hand.wealth),
        carry=dict(hand.carry),
        commitment=shuffle.commitment(hand.secret).hex(),
        contributions=[c.hex() for c in hand.contributions],
        secret=hand.secret.hex(),
        actions=list(hand.recorded),
        started_us=0,
        ended_us=1,
        outcome=records.RecordedOutcome.of(hand.state.outcome(), seats=hand.seats),
    )
