"""Random hands and the order of the checks. The promises themselves are in `_actions`,
`_secrets` and `_identity`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from paiju.rules import shuffle
from paiju.rules.api import CHANCE, SPECTATOR, Event, Game, IllegalAction, State
from paiju.rules.record import RecordedAction
from paiju.rules.testkit import _actions, _identity, _secrets


class Violation(AssertionError):
    """A broken promise; `log` replays the hand that shows it."""

    def __init__(self, promise: str, detail: str, log: Sequence[tuple[int, str]]) -> None:
        shown = "; ".join(f"{seat}: {text}" for seat, text in log)
        super().__init__(f"{promise}: {detail}\nafter {shown or 'nothing'}")
        self.promise = promise
        self.log = list(log)


@dataclass
class Report:
    """What the kit saw. patch_bytes: sizes of all patches, keys and texts."""

    hands: int = 0
    actions: int = 0
    views: int = 0
    refusals: int = 0
    worlds: int = 0
    worlds_differ: int = 0
    results: dict[str, int] = field(default_factory=dict)
    patch_bytes: list[int] = field(default_factory=list)

    def patch_p95(self) -> int:
        """95th percentile of the patch sizes, bytes."""
        ordered = sorted(self.patch_bytes)
        return ordered[int(len(ordered) * 0.95)] if ordered else 0


def run_kit(
    game: Game,
    *,
    hands: int,
    seed: int | str,
    seats: int | None = None,
    wealth: Callable[[int], Sequence[int] | None] = lambda hand: None,
    deep_every: int = 8,
) -> Report:
    """Play random hands and check them; Violation at the first broken promise.

    seats: the game's maximum when None. wealth: what each seat has in hand number i (None:
    score play). deep_every: the costly checks are made at one step of so many, at random.
    Equal seeds give equal runs.
    """
    report = Report()
    carry: Mapping[str, Any] = {}
    for number in range(hands):
        hand = Hand(
            game=game,
            seats=seats or game.info.max_seats,
            wealth=wealth(number),
            carry=carry if number % 3 else {},
            number=number,
            seed=f"{seed}:{number}",
            report=report,
            deep_every=deep_every,
        )
        carry = hand.play()
        report.hands += 1
    return report


class Hand:
    """One random hand under test; the checks read its fields.

    rng: decides what is tried; never the table's own, which deals from `secret`.
    twin: the same hand, replayed from text step by step.
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
        deep_every: int,
    ) -> None:
        self.game = game
        self.seats = seats
        self.wealth = wealth
        self.carry = carry
        self.number = number
        self.report = report
        self.deep_every = deep_every
        self.rng = shuffle.ShakeRng(f"kit {seed}".encode())
        draw = shuffle.ShakeRng(f"table {seed}".encode())
        self.secret = bytes(draw.below(256) for _ in range(shuffle.SECRET_BYTES))
        self.contributions = [f"seat {seat} {seed}".encode() for seat in range(seats)]
        context = shuffle.hand_context("kit", number)
        self.table_rng = shuffle.ShakeRng(self.secret, self.contributions, context=context)
        self.state: State = self.new_state()
        self.twin: State = self.new_state()
        self.texts: list[tuple[int, str]] = []
        self.recorded: list[RecordedAction] = []
        self.seen: list[Any] = []  # actions of any seat, to be tried where they do not belong
        self.viewers = (*range(seats), SPECTATOR)
        self.screens = _identity.Screens(self)

    def new_state(self) -> State:
        return self.game.new_state(self.seats, wealth=self.wealth, carry=self.carry or None)

    def fail(self, promise: str, detail: str) -> NoReturn:
        raise Violation(promise, detail, self.texts)

    def play(self) -> Mapping[str, Any]:
        """To the end; returns what the next hand is to carry."""
        only_defaults = self.rng.below(10) == 0
        leaves_at = self.rng.below(60) if self.rng.below(8) == 0 else -1
        while not self.state.is_terminal():
            if len(self.texts) >= self.game.info.max_actions:
                self.fail("termination", f"still running after {len(self.texts)} actions")
            _actions.defaults_are_legal(self)
            deep = self.rng.below(self.deep_every) == 0
            if deep:
                _identity.state_is_whole(self)
                _secrets.worlds_look_the_same(self)
            self._step(only_defaults, deep, leaves=leaves_at == len(self.texts))
        _identity.state_is_whole(self)
        _identity.over_means_over(self)
        _identity.outcome_is_conserved(self)
        _identity.record_verifies(self)
        outcome = self.state.outcome()
        self.report.results[outcome.result] = self.report.results.get(outcome.result, 0) + 1
        return outcome.carry

    def _step(self, only_defaults: bool, deep: bool, *, leaves: bool) -> None:
        state = self.state
        acting = state.to_act()
        if not acting:
            self.fail("turn", "nobody is to act and the hand is not over")
        seats = [seat for seat in acting if seat != CHANCE]
        if not seats or (CHANCE in acting and self.rng.below(2)):
            action = state.sample_chance(self.table_rng)
            self._apply(CHANCE, lambda: state.apply(CHANCE, action), "chance", deep)
            return
        if deep:
            _actions.lists_are_true(self, seats)
            _actions.others_are_refused(self, seats)
        seat = seats[self.rng.below(len(seats))]
        if leaves:
            self._apply(seat, lambda: state.abandon(seat, "leave"), "abandon", deep)
            return
        action = state.default_action(seat)
        if not only_defaults:
            legal = state.legal_actions(seat)
            action = legal[self.rng.below(len(legal))]
            self.seen.append(action)
        cause = "timeout" if only_defaults else "player"
        self._apply(seat, lambda: state.apply(seat, action), cause, deep)

    def _apply(self, seat: int, change: Callable[[], list[Event]], cause: str, deep: bool) -> None:
        state = self.state
        try:
            events = change()
        except IllegalAction as refused:
            self.fail("legal actions apply", f"seat {seat}, {cause}: {refused.code}")
        logged_seat, logged = state.log()[-1]
        if logged_seat != seat:
            self.fail("log", f"the action of {seat} was logged for {logged_seat}")
        text = self.game.format(logged)
        self.texts.append((seat, text))
        self.recorded.append(RecordedAction(seat, text, len(self.texts), cause))
        self.report.actions += 1
        _identity.twin_follows(self, seat, text)
        self.screens.follow()
        _secrets.events_are_json(self, events)
        if deep or len(self.texts) == 1 or state.is_terminal():
            _secrets.events_tell_nothing_more(self, events)
