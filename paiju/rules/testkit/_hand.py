"""One random hand and the order of its checks; the promises are in the modules beside.

A *watched* hand is checked at every step; a *light* one is only played, with its snapshot
looked at in one place, and its replay and outcome at the end. Every fourth light hand is dealt
from a pack that was shuffled badly, and its lists, refusals and last views are looked at, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from paiju.rules import shuffle
from paiju.rules.api import CHANCE, SPECTATOR, Event, Game, IllegalAction, Rng, State
from paiju.rules.record import RecordedAction
from paiju.rules.testkit import _actions, _cards, _claims, _identity, _secrets
from paiju.rules.testkit._report import Report, Violation
from paiju.rules.testkit._shuffles import BadShuffle

BADLY_SHUFFLED = 4
"""Of so many light hands one."""
_LOOKED_AT = 30
"""Of so many of its steps about one."""
_IDLE_LONGER = 3
"""About so many times as many steps has a hand in which nobody decides anything."""


class Depth(NamedTuple):
    """How much is checked at the steps of a watched hand, 1 in so many, at random.

    deep_every: snapshots, lists, refusals, claims. secrets_every: other worlds, for so many
    `viewers` a step in turn (0: all). dear_every: in so many of those worlds also what costs
    most, hints and loaded snapshots. Hands that the clocks play are long and their steps much
    alike, so unless every step is asked for fewer of them are looked at in other worlds.
    """

    deep_every: int = 8
    secrets_every: int = 8
    viewers: int = 0
    dear_every: int = 4


class Hand:
    """The hand under test; the checks read its fields.

    rng: decides what is tried; never the table's own, which deals from `secret`.
    twin: the same hand, replayed from text: step by step in a watched hand.
    """

    def __init__(
        self,
        *,
        game: Game,
        seats: int,
        wealth: Sequence[int] | None,
        carry: Mapping[str, Any],
        number: int,
        seed: str,
        report: Report,
        depth: Depth | None = None,
    ) -> None:
        self.game = game
        self.seats = seats
        self.wealth = wealth
        self.carry = carry
        self.number = number
        self.report = report
        self.depth = depth or Depth()
        self.rng = shuffle.ShakeRng(f"kit {seed}".encode())
        shake = hashlib.shake_256(f"table {seed}".encode())
        self.secret = shake.digest(shuffle.SECRET_BYTES)
        self.contributions = [f"seat {seat} {seed}".encode() for seat in range(seats)]
        context = shuffle.hand_context("kit", number)
        self.table_rng: Rng = shuffle.ShakeRng(self.secret, self.contributions, context=context)
        self.state: State = self.new_state()
        self.twin: State = self.new_state()
        self.lists_claims = isinstance(self.state, _claims.ListsClaims)
        self.texts: list[tuple[int, str]] = []
        self.recorded: list[RecordedAction] = []
        self.seen: list[Any] = []  # actions of any seat, to be tried where they do not belong
        self.viewers = (*range(seats), SPECTATOR)
        self._screens: _identity.Screens | None = None
        self._books = _cards.Books(self)
        self._next_viewer = number
        self._badly = False

    def new_state(self) -> State:
        """As a table makes it: what is carried over was JSON in between."""
        carry = json.loads(json.dumps(dict(self.carry))) or None
        return self.game.new_state(self.seats, wealth=self.wealth, carry=carry)

    def fail(self, promise: str, detail: str) -> NoReturn:
        raise Violation(promise, detail, self.texts)

    # ---- hands -----------------------------------------------------------------------------

    def deal(self) -> None:
        """Chance acts until seats see cards and nothing but a decision of theirs is left.

        What is decided before the cards, or while they lie face down (a bank, bets, looking),
        is left to the clocks: it cannot depend on them.
        """
        hides = not self.game.info.perfect_information
        while not self.state.is_terminal():
            if CHANCE in self.state.to_act():
                self._chance()
            elif hides and not any(_cards.piles_of(self.state, self.seats)):
                self._step(True, leaves=False)
            else:
                return

    def play(self) -> Mapping[str, Any]:
        """A watched hand, to its end; returns what the next hand is to carry."""
        self._screens = _identity.Screens(self)
        idle = self.rng.below(10) == 0
        secrets_every = self.depth.secrets_every
        if idle and secrets_every > 1:
            secrets_every *= _IDLE_LONGER
        leaves_at = self.rng.below(60) if self.rng.below(8) == 0 else -1
        while not self.state.is_terminal():
            self._check_length()
            _actions.everybody_is_asked(self)
            _actions.defaults_are_legal(self)
            deep = self.rng.below(self.depth.deep_every) == 0
            if deep:
                _actions.lists_are_true(self)
                _actions.others_are_refused(self)
                _claims.claims_are_ordered(self)
                _secrets.pending_choices_stay_hidden(self)
                _identity.state_is_whole(self)
            events = self._step(idle, leaves=leaves_at == len(self.texts))
            secrets = self.rng.below(secrets_every) == 0
            if secrets or len(self.texts) == 1 or self.state.is_terminal():
                screens = self._screens.parts()
                _secrets.worlds_look_the_same(self, events, self._some_viewers(), screens)
        return self._end()

    def play_light(self) -> Mapping[str, Any]:
        """A light hand."""
        idle = self.rng.below(20) == 0
        look_at = self.rng.below(40)
        self._badly = badly = self.number % BADLY_SHUFFLED == BADLY_SHUFFLED - 1
        if badly:
            self.table_rng = BadShuffle(self.table_rng, self.seats)
        while not self.state.is_terminal():
            self._check_length()
            if badly and self.rng.below(_LOOKED_AT) == 0:
                _actions.lists_are_true(self)
                _actions.others_are_refused(self)
            if len(self.texts) == look_at:
                _identity.state_is_whole(self, replayed=False)
                _actions.defaults_are_legal(self)
            self._step(idle, leaves=False)
        for seat, text in self.texts:
            _identity.twin_follows(self, seat, text, compare=False)
        return self._end()

    def _end(self) -> Mapping[str, Any]:
        if self._screens is not None or self._badly:
            _identity.state_is_whole(self)
        else:
            _identity.replay_is_the_same(self)
        _identity.over_means_over(self)
        _identity.outcome_is_conserved(self)
        if self._screens is not None:  # a record replays the hand twice more
            _identity.record_verifies(self)
        outcome = self.state.outcome()
        self.report.results[outcome.result] = self.report.results.get(outcome.result, 0) + 1
        self.report.hands += 1
        return outcome.carry

    def _check_length(self) -> None:
        if len(self.texts) >= self.game.info.max_actions:
            self.fail("termination", f"still running after {len(self.texts)} actions")

    def _some_viewers(self) -> Sequence[int]:
        count = self.depth.viewers or len(self.viewers)
        first = self._next_viewer
        self._next_viewer += count
        return [self.viewers[(first + i) % len(self.viewers)] for i in range(count)]

    # ---- steps -----------------------------------------------------------------------------

    def _step(self, idle: bool, *, leaves: bool) -> list[Event]:
        """One action: of chance, of a seat, out of turn, of the clock, or of a leaver."""
        state = self.state
        acting = state.to_act()
        if not acting:
            self.fail("turn", "nobody is to act and the hand is not over")
        seats = [seat for seat in acting if seat != CHANCE]
        if leaves and self.texts:
            seat = self.rng.below(self.seats)
            return self._apply(seat, lambda: state.abandon(seat, "leave"), "abandon")
        if idle:
            return self._time_out(seats)
        if CHANCE in acting and (not seats or self.rng.below(2)):
            return self._chance()
        if self.lists_claims and self.rng.below(2):
            claim = _claims.first_of_a_moment(self)
            if claim is not None:
                actor, action = claim
                return self._apply(actor, lambda: state.apply(actor, action), "player")
        seat = seats[self.rng.below(len(seats))]
        legal = state.legal_actions(seat)
        if not legal:  # allowed only beside chance: a seat that has nothing to say in a deal
            return self._chance()
        action = legal[self.rng.below(len(legal))]
        self.seen.append(action)
        return self._apply(seat, lambda: state.apply(seat, action), "player")

    def _time_out(self, seats: Sequence[int]) -> list[Event]:
        """As at a table that everybody has left: one of the clocks that run has run out."""
        state = self.state
        clocks = state.deadlines()
        if not seats or not clocks:
            return self._chance()
        due = clocks[self.rng.below(len(clocks))]
        if due.seat == CHANCE:
            return self._chance()
        if due.hard:
            return self._apply(due.seat, lambda: state.abandon(due.seat, "time"), "abandon")
        action = state.default_action(due.seat)
        return self._apply(due.seat, lambda: state.apply(due.seat, action), "timeout")

    def _chance(self) -> list[Event]:
        action = self.state.sample_chance(self.table_rng)
        return self._apply(CHANCE, lambda: self.state.apply(CHANCE, action), "chance")

    def _apply(self, seat: int, change: Callable[[], list[Event]], cause: str) -> list[Event]:
        try:
            events = change()
        except IllegalAction as refused:
            self.fail("legal actions apply", f"seat {seat}, {cause}: {refused.code}")
        logged_seat, logged = self.state.log()[-1]
        if logged_seat != seat:
            self.fail("log", f"the action of {seat} was logged for {logged_seat}")
        text = self.game.format(logged)
        self.texts.append((seat, text))
        self.report.actions += 1
        if self._screens is not None:
            self.recorded.append(RecordedAction(seat, text, len(self.texts), cause))
            _identity.twin_follows(self, seat, text)
            self._books.follow(self._screens.follow(), seat, text, events)
            _secrets.events_are_json(self, events)
        return events
