"""A table host as a process: the product's parts, put together as process.py does.

What is not simulated is the shell around them: Ray, the actor's thread, the metrics, the
word of the table that is being stepped. The order of a start is process.py's.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from game_server.data_client import DataClient
from game_server.tables import epochs
from game_server.tables.calls import HostCalls
from game_server.tables.contact import Contact
from game_server.tables.host import TableHost
from game_server.tables.ids import IdStock
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import Row
from game_server.tables.links import LinkServer
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.recovery import Recovery
from game_server.tables.retention import Retention
from game_server.tables.room import RoomSpec
from game_server.tables.seal import Sealer
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, host_pb2
from tests.fixed_games import FixedGames
from tests.sim.calls import SimDataClient
from tests.sim.clockwork import Process
from tests.sim.disk import Disk, Writer, WriterQueue, take_over
from tests.sim.game import Tally
from tests.sim.silent import SILENT
from tests.sim.stage import monotonic, token_bytes

CELL, SECRET = "cell", b"the cell's own secret"
SEALER = Sealer(b"a key of the simulation")
BEAT_S = 3.0
GAME = Tally()


@dataclass
class Parts:
    """The classes a host is made of. A planted fault puts another one in a place."""

    table_host: type[TableHost] = TableHost
    journal: type[Journal] = Journal
    outbox: type[Outbox] = Outbox
    cashier: type[Cashier] = Cashier
    recovery: type[Recovery] = Recovery
    contact: type[Contact] = Contact
    writer: type[Writer] = Writer


@dataclass
class Life:
    """What an observer knows of one process of a host. Times are true, in seconds."""

    number: int
    host: str
    process: Process
    epoch: int = 0
    table_host: TableHost | None = None
    outbox: Outbox | None = None
    store: Any = None
    serving: list[list[float]] = field(default_factory=list)  # [from, to] while it can act
    stops: list[float] = field(default_factory=list)
    made: dict[tuple[int, int], float] = field(default_factory=dict)  # (table, number) -> when
    newest: dict[int, tuple[int, int]] = field(default_factory=dict)  # player -> newest pair

    @property
    def serves(self) -> bool:
        alive = self.process.alive and not self.process.stopped
        return alive and self.table_host is not None and not self.table_host.recovering


class HostProcess:
    """on_end: called when the process ends itself (fenced, or a start that failed).

    on_command: brings a command of a gateway to the host, under an observer's eyes.
    """

    def __init__(
        self,
        life: Life,
        *,
        data: SimDataClient,
        disk: Disk,
        room: RoomSpec,
        parts: Parts,
        retention_s: float,
        on_end: Callable[[Life, str], None],
        on_command: Callable[[Life, Any, host_pb2.HostCommand], None],
    ) -> None:
        self.life = life
        self._data = data
        self._disk = disk
        self._room = room
        self._parts = parts
        self._retention_s = retention_s
        self._on_end = on_end
        self._on_command = on_command
        self._host: TableHost
        life.process.spawn(self._run())

    async def _run(self) -> None:
        try:
            await self._start()
        except Exception as error:
            self._end(f"start failed: {error!r}")

    def _end(self, why: str) -> None:
        """os._exit."""
        if self.life.process.alive:
            self._on_end(self.life, why)

    async def _start(self) -> None:
        life, parts, process = self.life, self._parts, self.life.process
        contact = parts.contact(clock=monotonic)
        calls = HostCalls(
            cast(DataClient, self._data), contact, on_outdated=lambda: self._end("outdated")
        )
        store = life.store
        await take_over(store, self._disk, process)
        queue = WriterQueue()
        journal = self._journal(store, queue)
        path = f"/{life.host}.{life.number}.sock"
        links = LinkServer(
            cell=CELL,
            host=life.host,
            epoch=store.epoch,
            secret=SECRET,
            on_open=lambda link: self._host.link_opened(link),
            on_command=lambda link, command: self._on_command(life, link, command),
            on_close=lambda link: self._host.link_closed(link),
            on_outdated=lambda: self._end("outdated"),
        )
        await links.listen(unix_path=path)
        reply = await epochs.agree(
            store.epoch,
            register=lambda epoch: self._register(calls, epoch, path),
            take_over=lambda least: take_over(store, self._disk, process, at_least=least),
        )
        contact.release_s = reply.escrow_release_ms / 1000
        links.epoch = store.epoch
        life.epoch = store.epoch
        stock = IdStock(calls.allocate_ids)
        await stock.fill()
        outbox = life.outbox = parts.outbox(
            host=life.host,
            epoch=store.epoch,
            send=calls.settle,
            on_refused=lambda table: self._host.stop_table(table),
            note=lambda answered: self._host.out.answered(answered),
            clock=monotonic,
        )
        cashier = parts.cashier(ledger=calls, host=life.host, epoch=store.epoch)
        games = FixedGames(
            {self._room.id: self._room},
            lambda room: (GAME, "1.0.0"),
            lambda name, version, parameters: GAME,
        )
        self._host = parts.table_host(
            name=life.host,
            epoch=store.epoch,
            journal=journal,
            outbox=outbox,
            cashier=cashier,
            games=games,
            locate=self._locate(calls, store.epoch),
            next_id=stock.next,
            entropy=token_bytes,
            sealer=SEALER,
            may_deal=contact.may_deal,
            metrics=cast(HostMetrics, SILENT),
            max_tables=8,
            clock=monotonic,
        )
        self._host.recovering = True
        self._note_rows(self._host)
        life.table_host = self._host
        parts.writer(process, journal, queue, self._disk).start()
        links.admit()
        watch = epochs.watch(
            life.host,
            store.epoch,
            list_hosts=calls.list_hosts,
            on_outdated=lambda: self._end("outdated"),
        )
        for work in (self._host.run(), outbox.run(), stock.keep_filled(), watch):
            process.spawn(work).add_done_callback(self._must_not_end)
        recovery = parts.recovery(
            host=self._host,
            store=store,
            outbox=outbox,
            cashier=cashier,
            games=games,
            owned={(shard.room, shard.number) for shard in reply.shards},
            entropy=token_bytes,
            sealer=SEALER,
            metrics=cast(HostMetrics, SILENT),
        )
        await recovery.run()
        self._host.recovering = False
        life.serving.append([process.loop.now, float("inf")])
        process.spawn(self._beat(calls))

    def _journal(self, store: Any, queue: WriterQueue) -> Journal:
        loop = asyncio.get_running_loop()

        def release(batches: Sequence[Batch]) -> None:
            for batch in batches:
                batch.release()

        def deliver(batches: Sequence[Batch], seconds: float, rows: int) -> None:
            loop.call_soon_threadsafe(release, batches)

        retention = Retention(
            rows_keep_s=self._retention_s,
            outbox_keep_s=self._retention_s,
            clock=monotonic,
            now_us=ids.now_us,
        )
        retention.closed(store.closed_tables())
        return self._parts.journal(
            store=store,
            deliver=deliver,
            on_stopped=lambda: self._end("the journal stopped"),
            retention=retention,
            queue=queue,
            clock=monotonic,
        )

    async def _register(
        self, calls: HostCalls, epoch: int, path: str
    ) -> data_pb2.RegisterHostReply:
        request = data_pb2.RegisterHostRequest(
            host=data_pb2.HostEpoch(host=self.life.host, epoch=epoch),
            server="server",
            cell=CELL,
            unix_path=path,
            machine="machine",
            max_tables=8,
            games=[GAME.name],
        )
        while True:
            try:
                return await calls.register_host(request)
            except Refused:
                await asyncio.sleep(0.5)

    def _locate(self, calls: HostCalls, epoch: int) -> Any:
        async def locate(room: str, number: int) -> host_pb2.Moved | None:
            reply = await calls.get_shards(room)
            for shard in reply.shards:
                if shard.number == number:
                    if shard.host == self.life.host and shard.epoch <= epoch:
                        return None
                    return host_pb2.Moved(host=shard.host, epoch=shard.epoch)
            return host_pb2.Moved()

        return locate

    async def _beat(self, calls: HostCalls) -> None:
        """The supervisor's heartbeat for its host."""
        while True:
            counts = data_pb2.HostCounts(host=self.life.host, epoch=self.life.epoch)
            with contextlib.suppress(Refused):
                await self._data.call(
                    "Heartbeat", data_pb2.HeartbeatRequest(server="server", hosts=[counts])
                )
            await asyncio.sleep(BEAT_S)

    # ---- observing -------------------------------------------------------------------------

    def _note_rows(self, host: TableHost) -> None:
        """When each number was made (not when it was committed)."""
        real, made, loop = host.out.row, self.life.made, self.life.process.loop

        def row(row: Row) -> None:
            made.setdefault((row.table, row.seq), loop.now)
            real(row)

        host.out.row = row  # type: ignore[method-assign]

    def _must_not_end(self, task: asyncio.Task[Any]) -> None:
        self._end(f"a task ended: {task!r}")
