"""The tables and grids that a client follows. Owned by the core."""

from __future__ import annotations

from collections.abc import Iterator

from hall_client.mirror import Counters, TableMirror
from paiju.wire.v1 import common_pb2, hall_pb2


class Tables:
    """Mirrors by table id. `named`: those whose cursors the last resume carried."""

    def __init__(self) -> None:
        self._mirrors: dict[int, TableMirror] = {}
        self._resyncing: set[int] = set()
        self._left = Counters()  # of tables no longer followed
        self.grids: set[tuple[str, int]] = set()
        self.named: frozenset[int] = frozenset()

    def __iter__(self) -> Iterator[TableMirror]:
        return iter(list(self._mirrors.values()))

    def get(self, table: int) -> TableMirror | None:
        return self._mirrors.get(table)

    def refs(self) -> list[common_pb2.TableRef]:
        return [mirror.ref for mirror in self._mirrors.values()]

    def follow(self, ref: common_pb2.TableRef) -> TableMirror:
        """The mirror of that table, new if need be."""
        mirror = self._mirrors.get(ref.table)
        if mirror is None:
            own = common_pb2.TableRef()
            own.CopyFrom(ref)
            mirror = self._mirrors[ref.table] = TableMirror(ref=own)
        return mirror

    def forget(self, table: int) -> bool:
        """Follow it no longer; False when it was not followed."""
        self._resyncing.discard(table)
        mirror = self._mirrors.pop(table, None)
        if mirror is not None:
            self._left += mirror.counters
        return mirror is not None

    def cursors(self) -> list[common_pb2.Cursor]:
        """For a resume: how far each table has been read."""
        known = [mirror for mirror in self._mirrors.values() if mirror.known]
        self.named = frozenset(mirror.ref.table for mirror in known)
        return [mirror.cursor() for mirror in known]

    def connection_lost(self) -> None:
        self._resyncing.clear()
        for mirror in self._mirrors.values():
            mirror.reconnected()

    def ask_resync(self, table: int) -> bool:
        """Whether a snapshot is to be asked for now; False: one is on its way."""
        if table in self._resyncing:
            return False
        self._resyncing.add(table)
        return True

    def resynced(self, table: int) -> None:
        """A snapshot request was answered, well or not."""
        self._resyncing.discard(table)

    def recovering(self, table: int) -> None:
        mirror = self._mirrors.get(table)
        if mirror is not None:
            mirror.recovering = True

    def grid(self, asked: hall_pb2.WatchGrid) -> None:
        """Remember which grids are watched."""
        where = (asked.room, asked.shard)
        (self.grids.discard if asked.stop else self.grids.add)(where)

    def counters(self) -> Counters:
        """Sums over all tables ever followed."""
        total = Counters()
        total += self._left
        for mirror in self._mirrors.values():
            total += mirror.counters
        return total
