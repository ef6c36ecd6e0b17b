"""What a host does before it is one again: tables, settlements and seats of earlier epochs.

Called once, after the journal was taken over and the registry has answered, while the host
says RETRY to everybody (docs/contracts/recovery.md):

1. settlements that were not answered go on their way again;
2. each open table is replayed. Before that an attempt is marked in the journal, and the mark
   is taken away when the table stands; rules that raise, or that take the process with them,
   are so tried twice in all. A table with two marks is not replayed any more;
   Likewise a table in whose steps the process died twice in one hand, or hung (watchdog.py);
3. what cannot be rebuilt is voided: the unfinished hand settles as void, every stake goes
   back, the table closes. This waits for the data server, so it goes on beside the play;
4. stakes of tables that are not in the journal any more go back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from typing import Any

import structlog

from game_server.tables.desk import ShardKey
from game_server.tables.games import Choice, Games
from game_server.tables.host import TableHost
from game_server.tables.journal_store import REFUSED, WAITING, JournalStore, OpenTable, Row
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.replay import StoredRow, operations, replay
from game_server.tables.seal import Sealer
from game_server.tables.table import Table
from game_server.tables.viewers import to_json
from game_server.tables.voiding import Standing, standing, void_settlement
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2

log = structlog.get_logger()

MAX_ATTEMPTS = 2
MAX_STRIKES = 2
"""A table in whose steps the process died so often, in one hand, is not played on."""
GRACE_MS = 10_000
"""So long may clients need to find the host again before their seats count as away."""


class Unplayable(Exception):
    """The table cannot be rebuilt here, whatever is tried."""


class Recovery:
    """suspect: the table in whose step the former process died; 0: it died otherwise. hung: that
    step did not end by itself.
    owned: the shards that the registry says are ours; None: not known, all are.
    """

    def __init__(
        self,
        *,
        host: TableHost,
        store: JournalStore,
        outbox: Outbox,
        cashier: Cashier,
        games: Games,
        owned: Set[ShardKey] | None,
        entropy: Callable[[int], bytes],
        sealer: Sealer,
        metrics: HostMetrics,
        suspect: int = 0,
        hung: bool = False,
    ) -> None:
        self._host = host
        self._store = store
        self._outbox = outbox
        self._cashier = cashier
        self._games = games
        self._owned = owned
        self._entropy = entropy
        self._sealer = sealer
        self._metrics = metrics
        self._suspect = suspect
        self._hung = hung
        self._strikes: dict[int, int] = {}
        self._stands = 0  # table that was rebuilt last, its mark not yet taken away

    async def run(self) -> list[asyncio.Task[None]]:
        """Until every table stands or is on its way to be voided; those ways as tasks."""
        self._recover_outbox()
        if self._suspect:
            log.warning("table.suspected", table=self._suspect, hung=self._hung)
            times = MAX_STRIKES if self._hung else 1
            await asyncio.to_thread(self._store.strike, self._suspect, times=times)
        self._strikes = await asyncio.to_thread(self._store.strikes)
        voids = []
        rebuilt = 0
        for entry in await asyncio.to_thread(self._store.open_tables):
            reason = await self._rebuild(entry)
            if reason:
                voids.append(_begin(self._void(entry, reason)))
            else:
                rebuilt += 1
        if self._stands:
            await asyncio.to_thread(self._store.mark, self._stands, attempts=0)
        self._metrics.recovered.inc(rebuilt)
        orphans = await asyncio.to_thread(self._store.orphaned_sittings)
        if orphans:
            voids.append(_begin(self._return(orphans)))
        if rebuilt or voids:
            log.info("host.recovered", tables=rebuilt, voided=len(voids), orphans=len(orphans))
        return voids

    def _recover_outbox(self) -> None:
        waiting = self._store.settlements(WAITING)
        refused = self._store.settlements(REFUSED)
        self._outbox.recover(
            [data_pb2.Settlement.FromString(body) for body, _ in waiting],
            [(data_pb2.Settlement.FromString(body), code) for body, code in refused],
        )
        if waiting:
            log.info("outbox.recovered", settlements=len(waiting))

    # ---- one table -------------------------------------------------------------------------

    async def _rebuild(self, entry: OpenTable) -> str:
        """Let the table go on; or why it cannot: moved, unplayable, faulty."""
        if self._owned is not None and (entry.room, entry.shard) not in self._owned:
            return "moved"
        if self._strikes.get(entry.table, 0) >= MAX_STRIKES:
            return "harmful"
        for attempt in range(entry.attempts + 1, MAX_ATTEMPTS + 1):
            await asyncio.to_thread(
                self._store.mark, entry.table, attempts=attempt, rebuilt=self._stands
            )
            self._stands = 0
            try:
                rows = await asyncio.to_thread(self._store.rows_of, entry.table, first=entry.before)
                table = self._replay(entry, rows)
            except Unplayable as error:
                log.error("table.unplayable", table=entry.table, error=str(error))
                return "unplayable"
            except Exception as error:
                log.error(
                    "table.replay_failed", table=entry.table, attempt=attempt, error=repr(error)
                )
                continue
            self._host.go_on(table, operations(table.ref, rows), grace_ms=GRACE_MS)
            self._stands = entry.table
            await asyncio.sleep(0)  # whoever asks meanwhile is told RETRY at once
            return ""
        return "faulty"

    def _replay(self, entry: OpenTable, rows: Sequence[StoredRow]) -> Table:
        rows = [row for row in rows if row.seq >= entry.begin]
        if not rows:
            raise Unplayable("its rows are gone")
        try:
            chosen = self._choose(entry.room, rows[0].body)
            table = Table(
                ref=_ref(entry),
                room=chosen.room,
                game=chosen.game,
                package=chosen.version,
                epoch=self._store.epoch,
                entropy=self._entropy,
                sealer=self._sealer,
                lock=rows[0].body.get("lock", ""),
            )
        except (LookupError, ValueError) as error:
            raise Unplayable(str(error)) from error
        replay(
            table,
            rows,
            sealer=self._sealer,
            now=self._host.desk.now(),
            choose=lambda body: self._choose(entry.room, body),
        )
        return table

    def _choose(self, room: str, body: Mapping[str, Any]) -> Choice:
        """What a row with all of `open` was played by."""
        return self._games.rebuild(
            room=room,
            game=body["game"],
            rules=body["version"],
            parameters=body["parameters"],
            version=body["package"],
            values=body.get("values"),
        )

    # ---- what cannot go on -----------------------------------------------------------------

    async def _void(self, entry: OpenTable, reason: str) -> None:
        rows = await asyncio.to_thread(self._store.rows_of, entry.table, first=entry.before)
        found = standing(rows)
        log.error(
            "table.voided",
            table=entry.table,
            room=entry.room,
            reason=reason,
            hand=found.hand["hand"] if found.hand else 0,
            players=sorted(found.players.values()),
        )
        self._metrics.voided.labels(reason).inc()
        out = self._host.out
        settlement = void_settlement(_ref(entry), found, sealer=self._sealer, now_us=ids.now_us())
        if settlement is not None:
            out.settle(settlement)
            await out.written()
        await self._outbox.settled(entry.table)
        await self._return([*found.sittings.values(), *await self._reserved(entry, found)])
        body = to_json({"at": ids.now_us(), "reason": reason})
        out.row(Row(entry.table, found.last_seq + 1, "close", body))

    async def _reserved(self, entry: OpenTable, found: Standing) -> list[int]:
        """Sittings that the data server may have opened without our knowing."""
        room = self._games.room(entry.room)
        sittings = []
        for seat, reservation in found.reservations.items():
            if room is None:
                continue
            try:
                reply = await self._cashier.sit_down(
                    op=reservation.op.id,
                    player=found.players[seat],
                    session_epoch=reservation.session_epoch,
                    table=_ref(entry),
                    seat=seat,
                    room=room,
                    amount=reservation.amount,
                )
            except Refused:
                continue
            sittings.append(reply.sitting)
        return sittings

    async def _return(self, sittings: Sequence[int]) -> None:
        for sitting in sittings:
            await self._cashier.stand_up(sitting=sitting)
        if sittings:
            log.warning("host.stakes_returned", sittings=len(sittings))


def _begin(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    task = asyncio.ensure_future(work)
    task.add_done_callback(_voided)
    return task


def _voided(task: asyncio.Task[None]) -> None:
    """What failed is tried again by the next epoch: the table is still open in the journal."""
    if not task.cancelled() and task.exception() is not None:
        log.error("table.not_voided", error=repr(task.exception()))


def _ref(entry: OpenTable) -> common_pb2.TableRef:
    return common_pb2.TableRef(room=entry.room, shard=entry.shard, table=entry.table)
