"""Which commands of a session are let in: by its state, its tokens and what it waits for."""

from __future__ import annotations

from game_server.bucket import Bucket
from game_server.gateway.commands import RULES, Pace, Route, Rule, State, wrong_state
from game_server.gateway.context import Context
from game_server.gateway.pending import PendingBook
from paiju.service.refusals import Refused

OPENERS = frozenset({"open_guest", "register", "login", "resume"})
_ENTERING = frozenset({"quick_join", "sit"}) | OPENERS
_BUSY_MS = 200


class Gatekeeper:
    """`gate`: the refusal for everybody who comes now (full, draining)."""

    def __init__(
        self, *, context: Context, pending: PendingBook, now: float, gate: Refused | None
    ) -> None:
        limits = context.limits
        self._context = context
        self._limits = limits
        self._pending = pending
        self._tokens = Bucket(burst=limits.rate_burst, per_s=limits.rate_per_s, now=now)
        self._patience = Bucket(burst=limits.flood_burst, per_s=limits.flood_per_s, now=now)
        self._paces = {
            Pace.SEATS: Bucket(burst=limits.seats_burst, per_s=limits.seats_per_s, now=now),
            Pace.VIEWS: Bucket(burst=limits.views_burst, per_s=limits.views_per_s, now=now),
            Pace.HANDS: Bucket(burst=limits.hands_burst, per_s=limits.hands_per_s, now=now),
            Pace.READY: Bucket(burst=limits.ready_burst, per_s=limits.ready_per_s, now=now),
        }
        self.gate = gate

    def allow(self, kind: str, state: State, now: float) -> Rule:
        """The command's rule, its tokens taken. Raises Refused."""
        if self.gate is not None:
            raise self.gate
        rule = RULES.get(kind)
        if rule is None:
            raise wrong_state(state) if state is State.NEW else Refused("UNSUPPORTED")
        if state not in rule.states:
            raise wrong_state(state)
        if not self._tokens.take(rule.cost, now):
            raise Refused("TOO_FAST", retry_after_ms=self._tokens.wait_ms(rule.cost, now))
        if rule.pace is not None:
            pace = self._paces[rule.pace]
            if not pace.take(1, now):
                raise Refused("TOO_FAST", retry_after_ms=pace.wait_ms(1, now))
        if self._context.draining and kind in _ENTERING:
            raise Refused("DRAINING")
        return rule

    def make_room(self, kind: str, route: Route) -> None:
        """Raises Refused(TOO_FAST) when too many commands are being answered already."""
        book, limits = self._pending, self._limits
        if route is Route.DATA:
            full = book.outstanding(Route.DATA) >= limits.data_calls
            full = full or (kind in OPENERS and book.any_of(OPENERS))
        elif route is Route.HERE:
            full = book.outstanding(Route.HERE) >= limits.data_calls
        else:
            waiting = book.outstanding(Route.HOST) + book.outstanding(Route.ROOM)
            full = waiting >= limits.host_commands
        if full:
            raise Refused("TOO_FAST", retry_after_ms=_BUSY_MS)

    def bears(self, now: float) -> bool:
        """One more refusal or empty packet; False: it is a flood, end the connection."""
        return self._patience.take(1, now)
