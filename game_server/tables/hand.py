"""One hand: the rules' state, its action log, and the record that is left of it.

Pure: times and entropy are passed in. The caller journals every step before it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from game_server.tables.moment import Moment
from paiju.rules import shuffle
from paiju.rules.api import ABANDON, CHANCE, Event, Game, IllegalAction, Outcome, State, TakesClaims
from paiju.rules.record import Record, RecordedAction, RecordedOutcome


class Diverged(Exception):
    """The journal and the rules do not agree: the hand cannot be replayed."""


class Hand:
    """A running hand of one table. Seats are the rules' seats 0..n-1."""

    def __init__(
        self,
        *,
        number: int,
        table: int,
        game: Game,
        package: str,
        players: Sequence[str],
        wealth: Sequence[int] | None,
        carry: dict[str, Any] | None,
        secret: bytes,
        contributions: Sequence[bytes],
        at: Moment,
    ) -> None:
        self.number = number
        self.game = game
        self.secret = secret
        self.contributions = list(contributions)
        self.state: State = game.new_state(len(players), wealth=wealth, carry=carry)
        self._takes_claims = isinstance(self.state, TakesClaims)  # looking is slow
        self.began = at
        self._table = table
        self._package = package
        self._players = list(players)
        self._wealth = None if wealth is None else list(wealth)
        self._carry = dict(carry or {})
        self._actions: list[RecordedAction] = []
        self._rng = shuffle.ShakeRng(
            secret, self.contributions, context=shuffle.hand_context(str(table), number)
        )

    @property
    def over(self) -> bool:
        return self.state.is_terminal()

    @property
    def commitment(self) -> str:
        return shuffle.commitment(self.secret).hex()

    def is_claim(self, seat: int, text: str) -> bool:
        """Whether the line is a legal action out of turn; games without claims have none."""
        if text.split()[:1] == [ABANDON] or not self._takes_claims:
            return False
        if seat in self.state.to_act():
            return False
        try:
            return self.state.is_legal(seat, self.game.parse(self.state, seat, text))
        except IllegalAction:
            return False

    def order_claims(self, claims: Sequence[tuple[int, Any]]) -> Sequence[tuple[int, Any]]:
        """Claims (seat, action) of one moment, the one that comes first in front."""
        assert isinstance(self.state, TakesClaims)
        return self.state.order_claims(claims)

    def waits_for_chance(self) -> bool:
        """Whether nature must act, at once, before anybody else may."""
        if self.state.to_act() != (CHANCE,):
            return False
        return all(deadline.seat != CHANCE for deadline in self.state.deadlines())

    def chance(self, *, now: int) -> tuple[str, list[Event]]:
        """Nature's next action, drawn and applied: its line and the events."""
        action = self.state.sample_chance(self._rng)
        text = self.game.format(action)
        events = self.state.apply(CHANCE, action)
        self._log(CHANCE, text, now, "chance")
        return text, events

    def act(self, seat: int, text: str, *, cause: str, now: int) -> tuple[str, list[Event]]:
        """Apply a seat's line; IllegalAction leaves the hand unchanged.

        Returns the canonical line and the events.
        """
        if text.split()[:1] == [ABANDON]:
            raise IllegalAction("syntax", detail=text[:40])
        action = self.game.parse(self.state, seat, text)
        events = self.state.apply(seat, action)
        line = self.game.format(action)
        self._log(seat, line, now, cause)
        return line, events

    def default(self, seat: int, *, cause: str, now: int) -> tuple[str, list[Event]]:
        """What a time-out plays for the seat."""
        action = self.state.default_action(seat)
        events = self.state.apply(seat, action)
        line = self.game.format(action)
        self._log(seat, line, now, cause)
        return line, events

    def abandon(self, seat: int, reason: str, *, now: int) -> tuple[str, list[Event]]:
        """The seat leaves for good; the rules say what that means."""
        events = self.state.abandon(seat, reason)
        _, action = self.state.log()[-1]
        line = self.game.format(action)
        self._log(seat, line, now, "abandon")
        return line, events

    def replay(self, seat: int, text: str, *, cause: str, ms: int) -> None:
        """Apply a line of the journal, `ms` after the hand began.

        Chance is drawn again, so that later draws go on where they stopped.
        Diverged: it is not what these rules, or this secret, would give.
        """
        if seat == CHANCE:
            drawn = self.game.format(self.state.sample_chance(self._rng))
            if drawn != text:
                raise Diverged(f"chance is {drawn!r}, the journal has {text!r}")
        try:
            self.state.apply(seat, self.game.parse(self.state, seat, text))
        except IllegalAction as refused:
            raise Diverged(f"{text!r} of seat {seat} is illegal now: {refused.code}") from None
        self._log(seat, text, self.began.ms + ms, cause)

    def rebuilt(self) -> Hand:
        """The same hand from its own log, for rules that left the state half changed.

        Raises what the rules raise.
        """
        again = Hand(
            number=self.number,
            table=self._table,
            game=self.game,
            package=self._package,
            players=self._players,
            wealth=self._wealth,
            carry=self._carry or None,
            secret=self.secret,
            contributions=self.contributions,
            at=self.began,
        )
        for done in self._actions:
            again.replay(done.seat, done.action, cause=done.cause, ms=done.ms)
        return again

    def since_began(self, now: int) -> int:
        """Milliseconds of play until `now`."""
        return max(0, now - self.began.ms)

    def went_on(self, now: int) -> None:
        """The clock of the log goes on from the last action: time in between does not count."""
        last = self._actions[-1].ms if self._actions else 0
        self.began = Moment(now - last, self.began.us)

    def penalty(self, seat: int) -> int:
        """What leaving now would cost the seat, >= 0, as far as the seat can know.

        Asked of a world that the seat cannot tell from the real one: where the cost depends on
        what others hide (bombs dealt, doubles not shown), the real one would tell it. The draw
        is from the hand's secret, so asking again gives the same world and no other one.
        """
        context = f"penalty {seat} {len(self._actions)}".encode()
        world = self.state.resample(seat, shuffle.ShakeRng(self.secret, context=context))
        world.abandon(seat, "leave")
        return max(0, -world.outcome().deltas[seat]) if world.is_terminal() else 0

    def _log(self, seat: int, text: str, now: int, cause: str) -> None:
        self._actions.append(RecordedAction(seat, text, self.since_began(now), cause))

    def outcome(self) -> Outcome:
        """The rules' outcome; only when over."""
        return self.state.outcome()

    def record(self, *, outcome: Outcome | None, ended_us: int) -> Record:
        """The record of this hand; outcome None: void, every stake stays where it was."""
        seats = len(self._players)
        return Record(
            game=self.game.id.name,
            version=self.game.id.version,
            package=self._package,
            parameters=self.game.id.parameters,
            table=str(self._table),
            hand=self.number,
            seats=self._players,
            bots=[False] * seats,
            wealth=self._wealth,
            carry=self._carry,
            commitment=self.commitment,
            contributions=[c.hex() for c in self.contributions],
            secret=self.secret.hex(),
            actions=list(self._actions),
            started_us=self.began.us,
            ended_us=ended_us,
            outcome=RecordedOutcome.of(outcome, seats=seats),
        )
