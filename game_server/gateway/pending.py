"""The commands of one session that somebody else is answering."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from game_server.gateway.commands import Route


@dataclass(frozen=True, slots=True)
class Pending:
    kind: str
    id: int  # of the client's command; 0: the session itself asked, nobody is answered
    route: Route
    room: str = ""
    shard: int = 0
    table: int = 0
    stop: bool = False  # a watch_grid that ends
    span: int = -1  # of its operation, paiju/service/trace.py


class PendingBook:
    """Refs are the session's own: a client may use one id twice."""

    def __init__(self) -> None:
        self._by_ref: dict[int, Pending] = {}
        self._count: Counter[Route] = Counter()
        self._next = 1

    def __len__(self) -> int:
        return len(self._by_ref)

    def add(self, pending: Pending) -> int:
        ref = self._next
        self._next += 1
        self._by_ref[ref] = pending
        self._count[pending.route] += 1
        return ref

    def pop(self, ref: int) -> Pending | None:
        """None when the ref was answered before, or the session has closed since."""
        pending = self._by_ref.pop(ref, None)
        if pending is not None:
            self._count[pending.route] -= 1
        return pending

    def outstanding(self, *routes: Route) -> int:
        return sum(self._count[route] for route in routes)

    def any_of(self, kinds: frozenset[str]) -> bool:
        return any(pending.kind in kinds for pending in self._by_ref.values())

    def grids(self) -> int:
        """Grids that will be watched when their hosts agree."""
        return sum(p.kind == "watch_grid" and not p.stop for p in self._by_ref.values())

    def clear(self) -> None:
        self._by_ref.clear()
        self._count.clear()
