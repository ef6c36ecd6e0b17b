"""How long clients were without their tables after something was killed.

The moment of the blow is the caller's; that of the return is when a client's table shows
something again that can only come from the other side of it. Times are of `time.monotonic`.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from hall_client.events import Connected, Event, Noticed, TableChanged, TableClosed


@dataclass
class Outage:
    """Watches all clients; one blow at a time: `struck_*`, later `waiting`, then `samples`."""

    clock: Callable[[], float] = time.monotonic
    samples: list[float] = field(default_factory=list)
    """Seconds from blow to return, one per table (host) or client (gateway)."""
    _epoch: dict[tuple[int, int], int] = field(default_factory=dict)  # (client, table)
    _at: float = 0.0
    _followed: dict[int, dict[int, int]] = field(default_factory=dict)  # table -> client -> epoch
    _tables: dict[int, dict[int, int]] = field(default_factory=dict)  # those that must come back
    _clients: set[int] = field(default_factory=set)
    _silent: set[int] = field(default_factory=set)

    @property
    def waiting(self) -> int:
        """Tables or clients that have not come back yet."""
        return len(self._tables) + len(self._clients) + len(self._silent)

    def struck_host(self) -> None:
        """A table that clients are told is recovering must come back: for each of its clients
        with something of a new epoch."""
        self._at = self.clock()
        tables: dict[int, dict[int, int]] = defaultdict(dict)
        for (client, table), epoch in self._epoch.items():
            tables[table][client] = epoch
        self._followed = dict(tables)

    def struck_tables(self, tables: Collection[int]) -> None:
        """These tables must come back, for each of their clients with something of a new epoch;
        whether or not somebody is told so."""
        self._at, waits = self.clock(), defaultdict[int, dict[int, int]](dict)
        for (client, table), epoch in self._epoch.items():
            if table in tables:
                waits[table][client] = epoch
        self._tables = dict(waits)

    def from_now(self) -> None:
        """What is waited for could not come back before this moment."""
        self._at = self.clock()

    def struck_gateway(self, clients: Collection[int]) -> int:
        """A client is back when its session is open again; how many wait."""
        self._at, self._clients = self.clock(), set(clients)
        return len(self._clients)

    def silenced(self, clients: Collection[int]) -> None:
        """Clients that heard nothing may hear again from now on: each is back when it does."""
        self._at, self._silent = self.clock(), set(clients)

    def give_up(self) -> int:
        """What has not come back by now counts as lost; how many."""
        missing = self.waiting
        self._tables, self._followed = {}, {}
        self._clients, self._silent = set(), set()
        return missing

    def saw(self, client: int, event: Event) -> None:
        """An event of that client."""
        if client in self._silent and isinstance(event, Connected | TableChanged):
            self._silent.discard(client)
            self.samples.append(self.clock() - self._at)
        if isinstance(event, TableChanged):
            self._epoch[client, event.table] = event.epoch
            self._came_back(client, event.table, event.epoch)
        elif isinstance(event, Noticed):
            if event.code == "TABLE_RECOVERING" and event.table in self._followed:
                self._tables[event.table] = self._followed.pop(event.table)
        elif isinstance(event, TableClosed):
            self._epoch.pop((client, event.table), None)
            self._gone(client, event.table)
        elif isinstance(event, Connected) and client in self._clients:
            self._clients.discard(client)
            self.samples.append(self.clock() - self._at)

    def _came_back(self, client: int, table: int, epoch: int) -> None:
        waiting = self._tables.get(table)
        if waiting is not None and epoch > waiting.get(client, epoch):
            self._gone(client, table)

    def _gone(self, client: int, table: int) -> None:
        waiting = self._tables.get(table)
        if waiting is None or waiting.pop(client, None) is None or waiting:
            return
        del self._tables[table]
        self.samples.append(self.clock() - self._at)


def summary(samples: Sequence[float]) -> dict[str, float]:
    """Of seconds, in milliseconds: nearest rank; zeros without samples."""
    ordered = sorted(samples)
    return {
        "samples": len(ordered),
        "p50": _ms(ordered[math.ceil(len(ordered) / 2) - 1]) if ordered else 0.0,
        "max": _ms(ordered[-1]) if ordered else 0.0,
    }


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 1)
