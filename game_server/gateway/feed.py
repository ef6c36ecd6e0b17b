"""What flows to one player: his subscriptions, and the outbox in front of his connection.

Owned by the session; no clock and no network of its own. May lose: updates of tables when
the player is slower than his tables, made up for by a snapshot that is asked for as soon as
the outbox has drained. A second overflow soon after sets `overrun`: the session closes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from google.protobuf.message import Message

from game_server.gateway.commands import Route
from game_server.gateway.limits import Limits
from game_server.gateway.outbox import Outbox
from game_server.gateway.pending import Pending
from game_server.gateway.subscriptions import Flow, Grid, Subscription
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

_COMES_BACK = frozenset({"RETRY", "BUSY", "NO_HOST", "OUTCOME_UNKNOWN", "TOO_FAST"})

_LOSSY = (b"\x22", b"\x3a")
"""First bytes of an Update with chat (field 4) or presence (7): they may be lost, and what others
say must not be what a slow player is closed for."""


class Feed:
    def __init__(self, limits: Limits, *, on_overflow: Callable[[], None]) -> None:
        self._limits = limits
        self._on_overflow = on_overflow
        self._overflowed_at = -math.inf
        self._owed = False  # updates were dropped and the connection has not drained since
        self.outbox = Outbox(max_updates=limits.outbox_updates, max_bytes=limits.outbox_bytes)
        self.tables: dict[int, Subscription] = {}
        self.grids: dict[tuple[str, int], Grid] = {}
        self.overrun = False
        self.due_at = math.inf
        """When a table is to be asked for since the last `take`, which made it due."""

    # ---- outwards ----------------------------------------------------------------------

    def put(self, update: bytes, now: float) -> None:
        """Queue what no snapshot replaces."""
        self.outbox.put(update, now=now)
        if self.outbox.full:
            self._overflow(now)

    def deliver(self, event: host_pb2.Deliver, update: bytes, now: float) -> None:
        """Queue an update of a host, unless its table is not followed or out of step."""
        table = event.table
        if not table:
            self.put(update, now)
            return
        known = self.tables.get(table)
        if known is None:
            if not event.snapshot:
                return
            # A seat's first snapshot may overtake its Seated: the snapshot says where it is.
            where = hall_pb2.Update.FromString(update).table.table
            known = self.tables[table] = Subscription.at(where, Flow.LIVE)
        if not event.seq and not event.snapshot:
            if update[:1] not in _LOSSY or self.outbox.has_room:
                self.put(update, now)
        elif known.passes(epoch=event.epoch, seq=event.seq, snapshot=event.snapshot):
            self.outbox.put(update, now=now, table=table)
            if self.outbox.full:
                self._overflow(now)

    def take(self, now: float) -> tuple[bytes, int]:
        """The connection takes a packet: now a snapshot that is missing can be delivered."""
        taken = self.outbox.take()
        self._owed = False
        self.due_at = math.inf
        for known in self.tables.values():
            if known.resync and known.flow is Flow.LOST:
                known.ask_at = self.due_at = min(known.ask_at, now)
        return taken

    def stalled(self, now: float) -> bool:
        """Whether the connection has not taken what it should for too long."""
        since = self.outbox.since if self.outbox else math.inf
        if self._owed:
            since = min(since, self._overflowed_at)
        return now - since >= self._limits.stall_s

    def _overflow(self, now: float) -> None:
        if now - self._overflowed_at < self._limits.overflow_window_s:
            self.overrun = True
        self._overflowed_at = now
        self._owed = True
        self._on_overflow()
        for table in self.outbox.drop_tables():
            if table in self.tables:
                self.tables[table].drop_position()
        if self.outbox.full:
            self.overrun = True

    # ---- subscriptions -----------------------------------------------------------------

    def follow(self, where: common_pb2.TableRef, cursor: common_pb2.Cursor, flow: Flow) -> None:
        """The player wants the table, from his cursor on. Raises Refused(TOO_LARGE)."""
        known = self.tables.get(where.table)
        if known is None:
            if len(self.tables) >= self._limits.tables:
                raise Refused("TOO_LARGE", limit=self._limits.tables)
            known = self.tables[where.table] = Subscription.at(where, flow)
        known.flow = flow
        known.epoch, known.seq = cursor.epoch, cursor.seq
        known.resync = known.leaving = False

    def arranged(self, pending: Pending, answer: host_pb2.HostAnswer, now: float) -> None:
        """A host carried a command out: keep the subscriptions as the host has them now."""
        if answer.HasField("seated"):
            where = answer.seated.table
            known = self.tables.get(where.table)
            if known is None or known.leaving:
                # Its snapshot follows; but the answer to a repeat brings none: ask for it.
                known = self.tables[where.table] = Subscription.at(where, Flow.LOST)
                known.ask_at = now + self._limits.seated_s
        elif pending.kind == "watch_grid":
            key = pending.room, pending.shard
            if pending.stop:
                self.grids.pop(key, None)
            else:
                self.grids[key] = Grid(*key)
        elif (known := self.tables.get(pending.table)) is not None:
            if pending.kind == "watch":
                known.live()
            elif pending.kind == "unwatch":
                known.leaving = True

    def not_arranged(self, pending: Pending, refused: Refused, now: float) -> Subscription | None:
        """A host refused to let the player follow. A table that is gone for good, if so."""
        later = refused.retry_after_ms > 0 or refused.code in _COMES_BACK
        if pending.kind == "watch_grid":
            grid = self.grids.get((pending.room, pending.shard))
            if grid is not None and not pending.id:
                self._back_off(grid, now, refused.retry_after_ms)
            return None
        known = self.tables.get(pending.table)
        if known is None or pending.kind not in ("watch", "resync"):
            return None
        if pending.id:
            if pending.kind == "watch" and known.flow is Flow.ASKED:
                del self.tables[pending.table]  # the player knows, and asks again if he likes
            return None
        if later or known.resync:
            known.resync = known.resync and later  # not subscribed there: watch it
            known.flow = Flow.LOST
            self._back_off(known, now, refused.retry_after_ms)
            return None
        return self.tables.pop(pending.table)

    def cut(self, room: str, shard: int, *, ask_at: float) -> Iterator[Subscription]:
        """The stream to the shard's host is gone; the tables to tell the player about."""
        for table, known in list(self.tables.items()):
            if (known.room, known.shard) != (room, shard):
                continue
            if known.leaving:
                del self.tables[table]
                continue
            known.resync = False
            known.lose(ask_at=ask_at)
            if not known.told:
                known.told = True
                yield known
        grid = self.grids.get((room, shard))
        if grid is not None:
            grid.ask_at = ask_at

    def due(self, now: float) -> Iterator[tuple[Pending, Message]]:
        """The tables and grids to ask a host for now."""
        for known in self.tables.values():
            if known.flow is not Flow.LOST or known.ask_at > now:
                continue
            known.flow = Flow.ASKED
            kind = "resync" if known.resync else "watch"
            body = (
                hall_pb2.Resync(table=known.ref())
                if known.resync
                else hall_pb2.Watch(table=known.ref(), cursor=known.cursor())
            )
            yield Pending(kind, 0, Route.HOST, known.room, known.shard, known.table), body
        for grid in self.grids.values():
            if grid.ask_at <= now:
                grid.ask_at = math.inf
                yield (
                    Pending("watch_grid", 0, Route.HOST, grid.room, grid.shard),
                    hall_pb2.WatchGrid(room=grid.room, shard=grid.shard),
                )

    def next_due(self) -> float:
        """When `due` will have something; infinity: not as things are."""
        soonest = math.inf
        for known in self.tables.values():
            if known.ask_at < soonest and known.flow is Flow.LOST:
                soonest = known.ask_at
        for grid in self.grids.values():
            soonest = min(soonest, grid.ask_at)
        return soonest

    def _back_off(self, what: Subscription | Grid, now: float, retry_after_ms: int) -> None:
        limits = self._limits
        what.backoff_s = min(limits.rewatch_max_s, max(limits.rewatch_min_s, what.backoff_s * 2))
        what.ask_at = now + max(what.backoff_s, retry_after_ms / 1000)
