"""Random hands and the order of the checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from paiju.rules import shuffle, views
from paiju.rules.api import CHANCE, SPECTATOR, Event, Game, IllegalAction, State
from paiju.rules.testkit import _checks


class Violation(AssertionError):
    """A broken promise; `log` replays the hand that shows it."""

    def __init__(self, promise: str, detail: str, log: Sequence[tuple[int, str]]) -> None:
        shown = "; ".join(f"{seat}: {text}" for seat, text in log)
        super().__init__(f"{promise}: {detail}\nafter {shown}")
        self.promise = promise
        self.log = list(log)


@dataclass
class Report:
    """What the kit saw. patch_bytes: sizes of all patches, for the p95 of the contract."""

    hands: int = 0
    actions: int = 0
    views: int = 0
    worlds: int = 0
    worlds_differ: int = 0
    patch_bytes: list[int] = field(default_factory=list)

    def patch_p95(self) -> int:
        """95th percentile of the patch sizes, bytes."""
        ordered = sorted(self.patch_bytes)
        return ordered[int(len(ordered) * 0.95)] if ordered else 0


def run_kit(
    game: Game,
    *,
    hands: int,
    seed: str,
    seats: int | None = None,
    wealth: Callable[[int], Sequence[int] | None] = lambda hand: None,
    deep_every: int = 7,
) -> Report:
    """Play random hands and check them; Violation at the first broken promise.

    wealth: what each seat has in hand number i (None: score play). deep_every: the costly
    checks (dump, clone, worlds) are made at every so many steps, at random offsets.
    """
    report = Report()
    carry: Mapping[str, Any] | None = None
    for number in range(hands):
        hand = _Hand(
            game,
            seats or game.info.max_seats,
            wealth(number),
            carry,
            shuffle.ShakeRng(f"{seed}:{number}".encode()),
            report,
            deep_every,
        )
        carry = hand.play() if number % 3 else None
        report.hands += 1
    return report


class _Hand:
    def __init__(
        self,
        game: Game,
        seats: int,
        wealth: Sequence[int] | None,
        carry: Mapping[str, Any] | None,
        rng: shuffle.ShakeRng,
        report: Report,
        deep_every: int,
    ) -> None:
        self.game = game
        self.seats = seats
        self.wealth = wealth
        self.carry = carry
        self.rng = rng
        self.report = report
        self.deep_every = deep_every
        self.state: State = game.new_state(seats, wealth=wealth, carry=carry)
        self.texts: list[tuple[int, str]] = []
        self.viewers = (*range(seats), SPECTATOR)
        self.screens = {v: views.encode(self.state.view(v)) for v in self.viewers}

    def fail(self, promise: str, detail: str) -> None:
        raise Violation(promise, detail, self.texts)

    def play(self) -> Mapping[str, Any]:
        state = self.state
        default_only = self.rng.below(10) == 0
        escape_at = self.rng.below(self.game.info.max_actions) if self.rng.below(8) == 0 else -1
        while not state.is_terminal():
            if len(self.texts) > self.game.info.max_actions:
                self.fail("termination", f"more than {self.game.info.max_actions} actions")
            deep = self.rng.below(self.deep_every) == 0
            if deep:
                _checks.state_is_whole(self)
                _checks.worlds_look_the_same(self)
            self._step(default_only, escape_at == len(self.texts))
        _checks.state_is_whole(self)
        _checks.outcome_is_conserved(self)
        return state.outcome().carry

    def _step(self, default_only: bool, escape: bool) -> None:
        state = self.state
        acting = state.to_act()
        if acting == (CHANCE,):
            action = state.sample_chance(self.rng)
            self._apply(CHANCE, action, lambda: state.apply(CHANCE, action))
            return
        seats = [seat for seat in acting if seat >= 0]
        _checks.actions_are_legal(self, seats)
        seat = seats[self.rng.below(len(seats))]
        if escape:
            self._apply(seat, None, lambda: state.abandon(seat, "leave"))
            return
        legal = state.legal_actions(seat)
        default = state.default_action(seat)
        action = default if default_only else legal[self.rng.below(len(legal))]
        if not state.is_legal(seat, default):
            self.fail("default", f"{self.game.format(default)!r} is illegal for seat {seat}")
        self._apply(seat, action, lambda: state.apply(seat, action))

    def _apply(self, seat: int, action: Any, change: Callable[[], list[Event]]) -> None:
        state = self.state
        try:
            events = change()
        except IllegalAction as refused:
            self.fail("legal applies", f"{self.game.format(action)!r}: {refused.code}")
        logged_seat, logged = state.log()[-1]
        if logged_seat != seat:
            self.fail("log", f"the action of {seat} was logged for {logged_seat}")
        self.texts.append((seat, self.game.format(logged)))
        self.report.actions += 1
        self._look(events)

    def _look(self, events: Sequence[Event]) -> None:
        """Patches keep every viewer's screen equal; events tell nothing the view hides."""
        for viewer in self.viewers:
            new = views.encode(self.state.view(viewer))
            patch = views.diff(self.screens[viewer], new)
            shown = views.apply(self.screens[viewer], patch)
            if views.canonical(shown) != views.canonical(new):
                self.fail("patches", f"viewer {viewer} sees another view")
            if views.check_update(
                views.check(self.screens[viewer]), self.screens[viewer], patch
            ) != views.check(new):
                self.fail("patches", f"the check of viewer {viewer} is off")
            self.screens[viewer] = new
            size = sum(len(k) + len(t) + 4 for k, t in patch.set.items())
            self.report.patch_bytes.append(size)
            self.report.views += 1
        _checks.events_are_json(self, events)
        if self.rng.below(self.deep_every) == 0 or len(self.texts) == 1:
            _checks.events_tell_nothing_more(self, events)
