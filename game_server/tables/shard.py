"""A room shard: the tables of a part of a room, and who gets which seat.

Pure; owned by one host, which calls it from one task. Because every seat is given here, two
players who press quick join in the same millisecond, at whatever gateways, cannot get the
same seat, and the seats of a table fill before another table is begun.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from game_server.tables.answers import Answers
from game_server.tables.lock import lock_of
from game_server.tables.room import RoomSpec
from game_server.tables.table import Table
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2

SPARE_TABLES = 2
"""Empty tables that stay open, so that the grid shows where to sit."""


class Shard:
    """make_table(ref, lock) builds an empty table; next_id gives unused table ids. is_open: whether
    newcomers may sit at a table: those of an older version of the game take none."""

    def __init__(
        self,
        *,
        room: RoomSpec,
        number: int,
        max_tables: int,
        seats: int,
        make_table: Callable[[common_pb2.TableRef, str], Table],
        next_id: Callable[[], int],
        is_open: Callable[[Table], bool] = lambda table: True,
    ) -> None:
        self.room = room
        self.number = number
        self.seats = seats  # of the newest table
        self.tables: dict[int, Table] = {}
        self.answers = Answers()
        self.max_tables = max_tables
        self._make_table = make_table
        self._next_id = next_id
        self._is_open = is_open
        self._table_of: dict[int, int] = {}  # player -> table
        self._dirty: set[int] = set()
        self._closed: list[int] = []
        self.grid_seq = 0

    # ---- seats -----------------------------------------------------------------------------

    def table(self, table_id: int) -> Table:
        """The table; Refused(NO_SUCH_TABLE)."""
        table = self.tables.get(table_id)
        if table is None:
            raise Refused("NO_SUCH_TABLE")
        return table

    def table_of(self, player: int) -> Table | None:
        """Where the player has a seat in this shard."""
        table_id = self._table_of.get(player)
        return None if table_id is None else self.tables.get(table_id)

    def quick_join(
        self, *, player: int, name: str, own: bool = False, key: str = ""
    ) -> tuple[Table, int]:
        """Reserve a seat at the fullest table that has one, opening a table if none has.

        own: open one in any case, locked when there is a key. Refused: ALREADY_SEATED, ROOM_FULL.
        """
        if self.table_of(player) is not None:
            raise Refused("ALREADY_SEATED")
        table = self.open_table(key) if own else self._fullest() or self.open_table()
        seat = table.roster.free()[0]
        self._reserve(table, seat, player, name)
        return table, seat

    def _fullest(self) -> Table | None:
        return max(
            (
                table
                for table in self.tables.values()
                if not table.playing
                and not table.lock
                and table.roster.free()
                and self._is_open(table)
            ),
            key=lambda t: (len(t.seats) - len(t.roster.free()), -t.ref.table),
            default=None,
        )

    def sit(self, table: Table, *, player: int, name: str, seat: int) -> None:
        """Reserve that seat. Refused: NO_SUCH_SEAT, SEAT_TAKEN, ALREADY_SEATED, TABLE_FINISHING."""
        if not self._is_open(table):
            raise Refused("TABLE_FINISHING")
        if self.table_of(player) is not None:
            raise Refused("ALREADY_SEATED")
        self._reserve(table, seat, player, name)

    def _reserve(self, table: Table, seat: int, player: int, name: str) -> None:
        table.roster.reserve(seat=seat, player=player, name=name)
        self._table_of[player] = table.ref.table
        self._dirty.add(table.ref.table)

    def freed(self, player: int, table: Table) -> None:
        """The player holds no seat at the table any more."""
        if self._table_of.get(player) == table.ref.table:
            del self._table_of[player]
        self.touched(table)

    # ---- tables ----------------------------------------------------------------------------

    def open_table(self, key: str = "") -> Table:
        """A new empty table, locked if there is a key. Refused: ROOM_FULL, GAME_STOPPED."""
        if len(self.tables) >= self.max_tables:
            raise Refused("ROOM_FULL", retry_after_ms=1000)
        ref = common_pb2.TableRef(room=self.room.id, shard=self.number, table=self._next_id())
        table = self._make_table(ref, lock_of(ref.table, key))
        self.seats = len(table.seats)
        self.tables[ref.table] = table
        self._dirty.add(ref.table)
        return table

    def adopt(self, table: Table) -> None:
        """A table that was rebuilt: it is one of the shard's, with those who sit there."""
        self.tables[table.ref.table] = table
        self._dirty.add(table.ref.table)
        for seat in table.seats:
            if seat is not None:
                self._table_of[seat.player] = table.ref.table

    def close_spare(self, spare: int = SPARE_TABLES) -> list[Table]:
        """Empty tables beyond the spare ones, and those where nobody may sit down or not everybody;
        they are gone from the shard."""
        empty = sorted((t for t in self.tables.values() if t.empty), key=lambda t: t.ref.table)
        for_all = [t for t in empty if self._is_open(t) and not t.lock]
        closed = [t for t in empty if not self._is_open(t) or t.lock] + for_all[spare:]
        for table in closed:
            del self.tables[table.ref.table]
            self._dirty.discard(table.ref.table)
            self._closed.append(table.ref.table)
        return closed

    # ---- what others see -------------------------------------------------------------------

    def touched(self, table: Table) -> None:
        """Something that the grid shows has changed."""
        self._dirty.add(table.ref.table)

    def grid(self) -> hall_pb2.GridUpdate:
        """All tables, for a new watcher."""
        return hall_pb2.GridUpdate(
            room=self.room.id,
            shard=self.number,
            full=True,
            tables=[_grid_table(t) for t in self.tables.values()],
            seq=self.grid_seq,
        )

    def grid_change(self) -> hall_pb2.GridUpdate | None:
        """What has changed since the last call."""
        if not self._dirty and not self._closed:
            return None
        self.grid_seq += 1
        change = hall_pb2.GridUpdate(
            room=self.room.id,
            shard=self.number,
            tables=[_grid_table(self.tables[i]) for i in sorted(self._dirty) if i in self.tables],
            closed=self._closed,
            seq=self.grid_seq,
        )
        self._dirty, self._closed = set(), []
        return change

    def nobody_watches(self) -> None:
        """What has changed need not be kept: who comes gets all tables."""
        self._dirty.clear()
        self._closed.clear()

    def summary(self) -> common_pb2.ShardSummary:
        """Counts for gateways and the registry."""
        players = len(self._table_of)
        return common_pb2.ShardSummary(
            room=self.room.id,
            shard=self.number,
            tables=len(self.tables),
            players=players,
            free_seats=max(0, self.max_tables * self.seats - players),
        )

    def __iter__(self) -> Iterator[Table]:
        return iter(list(self.tables.values()))


def _grid_table(table: Table) -> hall_pb2.GridTable:
    """Of a locked table others learn which seats are taken, not by whom."""
    away = set(table.roster.away())
    locked = bool(table.lock)
    return hall_pb2.GridTable(
        table=table.ref.table,
        phase="playing" if table.playing else "waiting",
        hand=table.hand_number,
        locked=locked,
        seats=[
            hall_pb2.GridSeat(seat=i)
            if locked
            else hall_pb2.GridSeat(
                seat=i, player=seat.player, name=seat.name, ready=seat.ready, away=i in away
            )
            for i, seat in enumerate(table.seats)
            if seat is not None
        ],
    )
