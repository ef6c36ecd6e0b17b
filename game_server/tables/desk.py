"""The desk of a host: directory of its shards and tables, and what tables did, on its way out.

Owner: the host's loop. `step` is the only way a table is changed: whatever the change did,
also when it refused in the middle, is taken from the table and put into the tick's batch.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import structlog

from game_server.tables.audience import Audience
from game_server.tables.chatter import Chatter
from game_server.tables.games import Choice, Games, Standing
from game_server.tables.journal_store import Row
from game_server.tables.links import Link
from game_server.tables.metrics import HostMetrics
from game_server.tables.moment import Moment
from game_server.tables.outgoing import Outgoing
from game_server.tables.room import RoomSpec
from game_server.tables.seal import Sealer
from game_server.tables.shard import SPARE_TABLES, Shard
from game_server.tables.table import Settled, Table
from game_server.tables.wheel import Wheel
from paiju.rules import record as records
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2

log = structlog.get_logger()

MATCH_MORE_MS = 30 * 60_000
"""So long may a match go on at a table of a stopped game."""

ShardKey = tuple[str, int]
T = TypeVar("T")


class Desk:
    """on_leaving: called with (shard, table, seat) when a seat's escrow must be returned.

    stepping: told the table before each of its steps, and 0 after it. may_deal: whether a hand
    may begin (`contact.py`).
    """

    def __init__(
        self,
        *,
        epoch: int,
        out: Outgoing,
        metrics: HostMetrics,
        games: Games,
        next_id: Callable[[], int],
        entropy: Callable[[int], bytes],
        sealer: Sealer,
        max_tables: int,
        on_leaving: Callable[[Shard, Table, int], Coroutine[Any, Any, None]],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        stepping: Callable[[int], None] = lambda table: None,
        may_deal: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.epoch = epoch
        self.games = games
        self.out = out
        self.shards: dict[ShardKey, Shard] = {}
        self.audiences: dict[int, Audience[Link]] = {}
        self.grids: dict[ShardKey, Audience[Link]] = {}
        self.chatters: dict[int, Chatter] = {}  # of tables at which somebody has spoken
        self.wheel = Wheel()
        self.may_deal = may_deal
        self._metrics = metrics
        self._next_id = next_id
        self._entropy = entropy
        self._sealer = sealer
        self._max_tables = max_tables
        self._on_leaving = on_leaving
        self._spawn = spawn
        self._stepping = stepping
        self._clock = clock
        self._shard_of: dict[int, Shard] = {}  # table -> shard
        self._told: dict[int, RoomSpec] = {}  # table -> what it was told to play
        self._ending_since: dict[int, int] = {}  # tables of stopped games in mid-match
        self._claimants: dict[tuple[int, int], asyncio.Future[int]] = {}  # (table, player)

    def now(self) -> int:
        """Monotonic milliseconds."""
        return int(self._clock() * 1000)

    def at(self) -> Moment:
        return Moment(self.now(), ids.now_us())

    # ---- directory -------------------------------------------------------------------------

    def open_shard(self, key: ShardKey) -> Shard:
        """The shard, opened if it is not."""
        shard = self.shards.get(key)
        if shard is None:
            room = self.games.room(key[0])
            if room is None:
                raise Refused("NO_SUCH_ROOM", room=key[0])
            shard = self.shards[key] = Shard(
                room=room,
                number=key[1],
                max_tables=self._max_tables,
                make_table=self._make_table,
                next_id=self._next_id,
                is_open=self.is_open,
                seats=self._seats(room),
            )
            self.grids[key] = Audience()
            log.info("shard.opened", room=key[0], shard=key[1])
        return shard

    def _seats(self, room: RoomSpec) -> int:
        """Of a table of the room, as far as it is known before there is one."""
        try:
            chosen = self.games.choose(room.id, 0)
        except Refused:
            return room.seats or 1
        return chosen.room.seats_for(chosen.game)

    def _make_table(self, ref: common_pb2.TableRef, lock: str) -> Table:
        chosen = self.games.choose(ref.room, ref.table)
        table = Table(
            ref=ref,
            room=chosen.room,
            game=chosen.game,
            package=chosen.version,
            epoch=self.epoch,
            entropy=self._entropy,
            sealer=self._sealer,
            lock=lock,
        )
        table.open(at=self.at())
        self.audiences[ref.table] = Audience()
        self._shard_of[ref.table] = self.shards[ref.room, ref.shard]
        self._take(self._shard_of[ref.table], table)
        return table

    def adopt(self, table: Table, *, grace_ms: int) -> Shard:
        """A table that was rebuilt from the journal goes on here."""
        ref = table.ref
        shard = self.open_shard((ref.room, ref.shard))
        self.audiences[ref.table] = Audience()
        self._shard_of[ref.table] = shard
        shard.adopt(table)
        with contextlib.suppress(Refused):  # rules that raise now: the hand is void
            self.step(shard, table, lambda t: t.go_on(grace_ms=grace_ms, at=self.at()))
        return shard

    def find(self, table_id: int) -> tuple[Shard, Table] | None:
        """A table of this host by its id."""
        shard = self._shard_of.get(table_id)
        table = shard.tables.get(table_id) if shard is not None else None
        return None if shard is None or table is None else (shard, table)

    # ---- versions --------------------------------------------------------------------------

    def standing(self, table: Table) -> Standing:
        return self.games.standing(table.game.id.name, table.package)

    def is_open(self, table: Table) -> bool:
        """Whether newcomers may sit down."""
        return self.standing(table) is Standing.OPEN

    def is_ending(self, table: Table) -> bool:
        """Whether no other hand may begin: the game is stopped here, and no match goes on."""
        standing = self.standing(table)
        return standing is Standing.BROKEN or (standing is Standing.ENDING and not table.in_match)

    def tables_by_version(self) -> Counter[tuple[str, str]]:
        """(rule set, version of the package) -> tables."""
        return Counter(
            (table.game.id.name, table.package) for shard in self.shards.values() for table in shard
        )

    def retire_tables(self) -> None:
        """Between hands: end the tables of versions that are over, each when it may."""
        for shard in self.shards.values():
            shard.room = self.games.room(shard.room.id) or shard.room
            for table in shard:
                if table.empty or not self._is_over(table):
                    continue
                with contextlib.suppress(Refused):
                    self.step(shard, table, lambda t: t.retire(at=self.at()))

    def renew_tables(self) -> None:
        """What operators have changed of rooms: each table hears of it, and plays so when no hand
        and no match of it runs."""
        for shard in self.shards.values():
            found: dict[tuple[str, str], Choice | None] = {}
            for table in shard:
                key = (table.game.id.name, table.package)
                if key not in found:
                    found[key] = self.games.current(shard.room.id, *key)
                now = found[key]
                if now is None or self._told.get(table.ref.table, table.room) == now.room:
                    continue
                self._told[table.ref.table] = now.room
                self._tell_room(shard, table, now)

    def _tell_room(self, shard: Shard, table: Table, now: Choice) -> None:
        with contextlib.suppress(Refused):
            self.step(shard, table, lambda t: t.will_play(now.room, now.game, at=self.at()))

    def _is_over(self, table: Table) -> bool:
        standing = self.standing(table)
        if standing is Standing.OPEN or table.playing:
            return False
        full = not table.roster.free()
        if standing is Standing.FINISHING:
            return not full  # nobody may come any more
        if standing is Standing.BROKEN or not full or not table.in_match:
            return True
        since = self._ending_since.setdefault(table.ref.table, self.now())
        return self.now() - since >= MATCH_MORE_MS

    def close_spare_tables(self, *, spare: int = SPARE_TABLES) -> None:
        """Close empty tables beyond the spare ones; who watches one is told."""
        for shard in self.shards.values():
            for table in shard.close_spare(spare):
                table_id = table.ref.table
                table.closed("spare", at=self.at())
                self._take(shard, table)
                self.wheel.set(table_id, None)
                del self._shard_of[table_id]
                self._ending_since.pop(table_id, None)
                self._told.pop(table_id, None)
                audience = self.audiences.pop(table_id)
                self.chatters.pop(table_id, None)
                notice = hall_pb2.Notice(code="TABLE_GONE", table=table.ref)
                self.out.deliver_all(
                    audience.links(), hall_pb2.Update(notice=notice), table=table_id
                )

    # ---- what tables do --------------------------------------------------------------------

    def step(self, shard: Shard, table: Table, change: Callable[[Table], T]) -> T:
        """Let a table change, and send what came of it on its way.

        Raises what the table refuses. A fault in the table's own code voids its hand:
        Refused(INTERNAL).
        """
        self._stepping(table.ref.table)
        try:
            return change(table)
        except Refused:
            raise
        except Exception as fault:
            log.exception("table.fault", table=table.ref.table, error=repr(fault))
            table.void("fault", at=self.at())
            raise Refused("INTERNAL") from fault
        finally:
            self._stepping(0)
            self._take(shard, table)

    def claim(self, table: Table, player: int) -> asyncio.Future[int]:
        """Gets the number of a claim when its moment is over, or why it has none."""
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._claimants[table.ref.table, player] = future
        return future

    def _take(self, shard: Shard, table: Table) -> None:
        done = table.take()
        audience = self.audiences[table.ref.table]
        for step in done.steps:
            self.out.row(Row(table.ref.table, step.seq, step.kind, step.body))
            self.out.forms(table, step.forms, audience, seq=step.seq)
            if step.cause:
                self._metrics.acted(step.cause)
        for settled in done.settled:
            self._metrics.hands.labels(table.room.game, settled.result).inc()
            self.out.settle(_settlement(table.room, table, settled))
        for fault in done.faults:
            self._metrics.faults.inc()
            log.error("rules.fault", table=table.ref.table, game=table.room.game, error=fault)
            self.games.fault(table.game.id.name, table.package, table.ref.table, fault)
        for player, result in done.claimed:
            future = self._claimants.pop((table.ref.table, player), None)
            if future is None or future.done():
                continue
            if isinstance(result, Refused):
                future.set_exception(result)
            else:
                future.set_result(result)
        for seat in done.leaving:
            self._spawn(self._on_leaving(shard, table, seat))
        if done.presence:
            self.out.presence(table, audience, audience.links(), self.now())
        if done.steps or done.presence:
            shard.touched(table)
        self.wheel.set(table.ref.table, table.next_due())


def _settlement(room: RoomSpec, table: Table, settled: Settled) -> data_pb2.Settlement:
    return data_pb2.Settlement(
        table=table.ref,
        hand=settled.hand,
        rule_set=room.game,
        currency=common_pb2.COIN if room.plays_for_coins else common_pb2.SCORE,
        result=settled.result,
        seats=[
            data_pb2.SeatChange(seat=seat, sitting=sitting, player=player, delta=delta, fee=fee)
            for seat, sitting, player, delta, fee in settled.seats
        ],
        pot_change=settled.pot_change,
        record=records.encode(settled.record),
        game=room.game,
        ended_us=settled.ended_us,
    )
