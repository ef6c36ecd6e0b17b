"""The tables and grids one session follows, and how far it has passed each table on.

Owned by the session's feed. After a cut stream the gateway subscribes again with these
cursors, so a cursor moves only when an update is queued for the player.
"""

from __future__ import annotations

import enum
import math
from dataclasses import dataclass

from paiju.wire.v1 import common_pb2


class Flow(enum.Enum):
    LIVE = "live"
    ASKED = "asked"
    """A Watch or Resync is at the host; steps that do not fit the cursor are dropped."""
    LOST = "lost"
    """The stream was cut, or a snapshot is needed: ask at `ask_at`."""


@dataclass(slots=True)
class Subscription:
    room: str
    shard: int
    table: int
    flow: Flow
    epoch: int = 0
    seq: int = 0  # 0: nothing passed on yet, a snapshot must come
    ask_at: float = math.inf
    backoff_s: float = 0.0
    told: bool = False  # TABLE_RECOVERING was sent for this loss
    resync: bool = False  # lost by overflow: the host still sends, a snapshot is enough
    leaving: bool = False  # the player does not want it any more, unless it goes on

    @classmethod
    def at(cls, where: common_pb2.TableRef, flow: Flow) -> Subscription:
        return cls(where.room, where.shard, where.table, flow)

    def ref(self) -> common_pb2.TableRef:
        return common_pb2.TableRef(room=self.room, shard=self.shard, table=self.table)

    def cursor(self) -> common_pb2.Cursor | None:
        if not self.seq:
            return None
        return common_pb2.Cursor(table=self.ref(), epoch=self.epoch, seq=self.seq)

    def passes(self, *, epoch: int, seq: int, snapshot: bool) -> bool:
        """Whether a numbered update goes to the player; moves the cursor when it does."""
        if not snapshot and self.flow is not Flow.LIVE and (not self.seq or seq != self.seq + 1):
            return False
        if snapshot:
            self.live()
        self.epoch, self.seq = epoch, seq
        self.leaving = False
        return True

    def live(self) -> None:
        """The host sends again; earlier losses are made up for."""
        self.flow = Flow.LIVE
        self.ask_at = math.inf
        self.backoff_s = 0.0
        self.told = self.resync = False

    def lose(self, *, ask_at: float) -> None:
        """Ask for it again at `ask_at`."""
        self.flow = Flow.LOST
        self.ask_at = ask_at

    def drop_position(self) -> None:
        """Updates were dropped: only a snapshot can go on from here."""
        self.epoch = self.seq = 0
        self.resync = True
        self.lose(ask_at=math.inf)


@dataclass(slots=True)
class Grid:
    """A watched table grid; after a cut it is asked for again, whole."""

    room: str
    shard: int
    ask_at: float = math.inf
    backoff_s: float = 0.0
