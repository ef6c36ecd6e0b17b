"""One table as this client sees it: a copy of the host's view, never shown wrong.

Sans-I/O. Owned by the core. A numbered update changes the mirror only when it is the very
next number and the view after it has the check that the frame says; anything else leaves
the last good board standing and asks for a snapshot (docs/contracts/resume.md).
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from paiju.rules import views
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2

_decode = msgspec.json.decode


class Outcome(enum.Enum):
    """What became of an update."""

    APPLIED = "applied"
    DROPPED = "dropped"  # seen before
    GAP = "gap"  # something is missing: a snapshot is needed
    MISMATCH = "mismatch"  # the check differs: a snapshot is needed


@dataclass(slots=True)
class Counters:
    """What a mirror has been through; `+=` adds another's."""

    applied: int = 0
    dropped: int = 0
    gaps: int = 0
    snapshots: int = 0
    views_checked: int = 0
    mismatches: int = 0

    def __iadd__(self, other: Counters) -> Counters:
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self


@dataclass(slots=True)
class TableMirror:
    """View parts (key -> JSON text), cursor, clocks and presence of one table."""

    ref: common_pb2.TableRef
    epoch: int = 0
    seq: int = 0
    hand: int = 0
    seat: int = protocol.SPECTATOR
    check: int = 0
    parts: dict[str, bytes] = field(default_factory=dict)
    clocks: list[hall_pb2.Clock] = field(default_factory=list)
    away: frozenset[int] = frozenset()
    spectators: int = 0
    recovering: bool = False
    counters: Counters = field(default_factory=Counters)
    _values: dict[str, tuple[bytes, Any]] = field(default_factory=dict)
    _new_connection: bool = True

    @property
    def known(self) -> bool:
        """Whether a snapshot has come."""
        return self.seq > 0

    @property
    def view(self) -> dict[str, Any]:
        """The view with its values decoded; each is decoded once per change."""
        out: dict[str, Any] = {}
        for key, text in self.parts.items():
            held = self._values.get(key)
            if held is None or held[0] is not text:
                held = self._values[key] = (text, _decode(text))
            out[key] = held[1]
        return out

    def cursor(self) -> common_pb2.Cursor:
        return common_pb2.Cursor(table=self.ref, epoch=self.epoch, seq=self.seq)

    def reconnected(self) -> None:
        """The next snapshot counts even if the table's numbers went back (journal lost)."""
        self._new_connection = True

    def apply(self, update: hall_pb2.TableUpdate) -> Outcome:
        """Take in one numbered update of this table."""
        whole = update.HasField("snapshot")
        outcome = self._snapshot(update) if whole else self._step(update)
        if outcome is Outcome.APPLIED:
            self.epoch, self.seq = update.epoch, update.seq
            self.clocks = list(update.clocks)
            self.recovering = False
            self._new_connection = False
            self.counters.applied += 1
        elif outcome is Outcome.DROPPED:
            self.counters.dropped += 1
        elif outcome is Outcome.GAP:
            self.counters.gaps += 1
        else:
            self.counters.mismatches += 1
        return outcome

    def presence(self, update: hall_pb2.TablePresence) -> None:
        """Who is away, who looks on, and the clocks; whole each time."""
        self.away = frozenset(update.away)
        self.spectators = update.spectators
        self.clocks = list(update.clocks)

    def _snapshot(self, update: hall_pb2.TableUpdate) -> Outcome:
        older = (update.epoch, update.seq) < (self.epoch, self.seq)
        if older and not self._new_connection:
            return Outcome.DROPPED
        snapshot = update.snapshot
        parts = dict(snapshot.view)
        self.counters.views_checked += 1
        if views.check(parts) != snapshot.check:
            return Outcome.MISMATCH
        self.parts, self.check = parts, snapshot.check
        self.seat, self.hand = snapshot.seat, snapshot.hand
        self.counters.snapshots += 1
        return Outcome.APPLIED

    def _step(self, update: hall_pb2.TableUpdate) -> Outcome:
        if (update.epoch, update.seq) <= (self.epoch, self.seq) or update.epoch < self.epoch:
            return Outcome.DROPPED
        if not self.known or update.epoch != self.epoch or update.seq != self.seq + 1:
            return Outcome.GAP
        step = update.step
        if step.HasField("patch"):
            self.counters.views_checked += 1
            changed: Mapping[str, bytes] = step.patch.set
            patch = views.Patch(dict(changed), list(getattr(step.patch, "del")))
            check = views.check_update(self.check, self.parts, patch)
            if check != step.patch.check:
                return Outcome.MISMATCH
            self.check = check
            self.parts.update(patch.set)
            for key in patch.delete:
                self.parts.pop(key, None)
                self._values.pop(key, None)
        self.hand = step.hand
        return Outcome.APPLIED
