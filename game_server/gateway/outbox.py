"""What waits to be sent to one player: serialized updates, bounded, one frame per packet.

Owned by the session. Everything queued when the connection can take a packet goes out as
one ServerFrame; an update's bytes are never encoded again. When the queue overflows the
updates of tables are dropped (a snapshot makes up for them); answers and notices are not.
"""

from __future__ import annotations

from collections.abc import Set

from paiju.wire import frames


class Outbox:
    __slots__ = ("_bytes", "_items", "_max_bytes", "_max_updates", "since")

    def __init__(self, *, max_updates: int, max_bytes: int) -> None:
        self._max_updates = max_updates
        self._max_bytes = max_bytes
        self._items: list[tuple[bytes, int]] = []
        self._bytes = 0
        self.since = 0.0
        """When the oldest update in the queue came; meaningless while it is empty."""

    def __len__(self) -> int:
        return len(self._items)

    @property
    def full(self) -> bool:
        return len(self._items) > self._max_updates or self._bytes > self._max_bytes

    @property
    def has_room(self) -> bool:
        """Whether it is at most half full."""
        return 2 * len(self._items) <= self._max_updates and 2 * self._bytes <= self._max_bytes

    def put(self, update: bytes, *, now: float, table: int = 0) -> None:
        """Queue one update. table: of a numbered update that a snapshot can replace, else 0."""
        if not self._items:
            self.since = now
        self._items.append((update, table))
        self._bytes += len(update)

    def drop_tables(self) -> Set[int]:
        """Forget the queued updates of tables; whose they were."""
        dropped = {table for _, table in self._items if table}
        self._items = [item for item in self._items if not item[1]]
        self._bytes = sum(len(update) for update, _ in self._items)
        return dropped

    def drop_table(self, table: int) -> None:
        """Forget what is queued of one table."""
        self._items = [item for item in self._items if item[1] != table]
        self._bytes = sum(len(update) for update, _ in self._items)

    def take(self) -> tuple[bytes, int]:
        """The frame of all that is queued, and how many updates it holds; empties the queue."""
        updates = [update for update, _ in self._items]
        self._items = []
        self._bytes = 0
        return frames.server_frame(updates), len(updates)
