"""Commands that have not been answered, and when each is to be sent (again).

A command keeps its id and its operation id until it is answered, however many connections
that takes: so the hall carries it out once. Owned by the core; the time comes in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from paiju.wire.v1 import hall_pb2

TRANSIENT = frozenset({"RETRY", "BUSY", "TOO_FAST", "OUTCOME_UNKNOWN", "NO_HOST", "DRAINING"})
"""Refusals after which the same command, under the same id, may well succeed."""

_FIRST_WAIT_S = 0.1
_LONGEST_WAIT_S = 3.0


@dataclass(slots=True)
class Pending:
    """One command. `due`: when to send it; infinity while it is on the wire."""

    message: hall_pb2.Command
    kind: str
    deadline: float
    due: float
    internal: bool = False  # the core's own: nobody waits for it
    resent: bool = False  # it was on a wire that broke: the first answer may be lost
    refusals: int = 0

    @property
    def id(self) -> int:
        return self.message.id


class PendingBook:
    """All unanswered commands, in the order in which they were given."""

    def __init__(self) -> None:
        self._by_id: dict[int, Pending] = {}
        self._next_id = 1

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Pending]:
        return iter(list(self._by_id.values()))

    def add(
        self,
        message: hall_pb2.Command,
        *,
        now: float,
        deadline: float = math.inf,
        internal: bool = False,
    ) -> Pending:
        """Give the command its id; it is due at once."""
        message.id = self._next_id
        self._next_id += 1
        kind = message.WhichOneof("body") or ""
        pending = Pending(message, kind, deadline, now, internal)
        self._by_id[message.id] = pending
        return pending

    def pop(self, id: int) -> Pending | None:
        """Take an answered command out; None when it is not (or no longer) waited for."""
        return self._by_id.pop(id, None)

    def get(self, id: int) -> Pending | None:
        return self._by_id.get(id)

    def any_of(self, *kinds: str) -> bool:
        return any(p.kind in kinds for p in self._by_id.values())

    def due(self, now: float, *, may_send: Callable[[Pending], bool]) -> list[Pending]:
        """What is to be sent now, in order; it counts as sent."""
        out = [p for p in self._by_id.values() if p.due <= now and may_send(p)]
        for pending in out:
            pending.due = math.inf
        return out

    def again(self, pending: Pending, *, now: float, retry_after_ms: int) -> bool:
        """Refused for the moment: plan the repeat. False: its time is over by then."""
        wait = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**pending.refusals)
        at = now + max(wait, retry_after_ms / 1000)
        if at >= pending.deadline:
            return False
        pending.refusals += 1
        pending.due = at
        self._by_id[pending.id] = pending
        return True

    def connection_lost(self, now: float) -> None:
        """Whatever was on the wire is sent again on the next connection."""
        for pending in list(self._by_id.values()):
            if pending.internal:
                del self._by_id[pending.id]
            elif pending.due == math.inf:
                pending.due = now
                pending.resent = True

    def expired(self, now: float) -> list[Pending]:
        """What nobody waits for any longer; taken out."""
        out = [p for p in self._by_id.values() if p.deadline <= now]
        for pending in out:
            del self._by_id[pending.id]
        return out

    def next_due(self, *, may_send: Callable[[Pending], bool]) -> float:
        """When something must be sent or has expired; infinity: nothing."""
        first = math.inf
        for pending in self._by_id.values():
            first = min(first, pending.deadline)
            if pending.due < first and may_send(pending):
                first = pending.due
        return first

    def clear(self) -> list[Pending]:
        out = list(self._by_id.values())
        self._by_id.clear()
        return out
