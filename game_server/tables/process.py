"""A table host as a process: puts the parts together, runs their loop in a thread of its own.

The loop does not run in Ray's: calls through Ray only ask how things are or tell it to end.
Start: raise the journal's epoch, register with the data server (which may ask for a higher
one), then answer RETRY to all until the tables of earlier epochs stand again. A host whose
journal was taken over, or of which the data server knows a newer epoch, ends its process at
once; Ray starts it again and it begins a new epoch.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import structlog
import uvloop

from game_server.data_client import DataClient
from game_server.metrics_push import push_for_ever
from game_server.packages.hosting import HostGames
from game_server.packages.library import Library
from game_server.packages.shelf import ShelfFile
from game_server.tables import epochs
from game_server.tables.calls import HostCalls
from game_server.tables.config import HostConfig
from game_server.tables.contact import Contact
from game_server.tables.heartbeat import beat_for_ever
from game_server.tables.host import TableHost
from game_server.tables.ids import IdStock
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_identity import shared_journal
from game_server.tables.journal_store import JournalStore
from game_server.tables.links import LinkServer
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.recovery import Recovery
from game_server.tables.retention import Retention
from game_server.tables.seal import Sealer
from game_server.tables.watchdog import StepWord, Watchdog
from paiju.rules.registry import Registry
from paiju.service import logs, process
from paiju.service.refusals import Refused
from paiju.wire.tls.files import Watched
from paiju.wire.v1 import data_pb2, host_pb2

log = structlog.get_logger()

START_DEADLINE_S = 60.0
LEAVE_S = 0.1
"""For answers that are on their way."""
BEAT_EVERY_S = 0.5


class HostProcess:
    """`start` returns when the host listens; all methods may be called from any thread."""

    def __init__(self, config: HostConfig) -> None:
        self._config = config
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready: Future[dict[str, Any]] = Future()
        self._host: TableHost | None = None
        self._info: dict[str, Any] = {}
        self._stop: asyncio.Event | None = None
        self._hand_over = False
        self._thread = threading.Thread(target=self._run, name="host", daemon=True)

    def start(self) -> dict[str, Any]:
        """Raises what the start raised; TimeoutError when nobody gives it an epoch. Replays take
        what they take: to break one off counts against its table (recovery.py)."""
        self._thread.start()
        while True:
            try:
                return self._ready.result(timeout=START_DEADLINE_S)
            except TimeoutError:
                if self._ready.done() or self._host is None:
                    raise

    def info(self) -> dict[str, Any]:
        """pid, addresses, epoch, and the counts as a serialized HostCounts."""
        assert self._host is not None
        return {
            **self._info,
            "counts": self._host.counts().SerializeToString(),
            "playing": self._host.playing(),
            "versions": self._games.report(),
        }

    def drain(self, on: bool) -> None:
        """No new seats from now on (or seats again); running hands go on either way."""
        assert self._host is not None
        self._host.draining = on

    def leave(self) -> None:
        """End the process soon, with all that it did in the journal. Who starts it again finds
        the tables as they are: nothing is drained, and nobody loses a seat."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._leave()))

    def stop(self, *, hand_over: bool = False) -> None:
        """Drain for a while, return every escrow, end. hand_over: hands that are not over by
        then stay in the journal as they are, for a host elsewhere; else they are void."""
        self._hand_over = hand_over
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(timeout=self._config.drain_s + 15)

    # ---- in the host's thread --------------------------------------------------------------

    def _run(self) -> None:
        try:
            uvloop.run(self._main())
        except BaseException as error:
            if not self._ready.done():
                self._ready.set_exception(error)
            else:
                log.exception("host.died", error=repr(error))
                os._exit(1)

    async def _main(self) -> None:
        config = self._config
        logs.configure(f"host {config.host}", level=config.log_level)
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        began = time.monotonic()
        metrics = HostMetrics()
        contact = Contact()
        files = config.peer_files()
        peers = None if files is None else Watched(files)
        client = HostCalls(
            DataClient(config.data_servers, token=config.cluster_token, metrics=metrics, tls=peers),
            contact,
            on_outdated=_outdated,
        )
        store = JournalStore(config.journal_url, config.host)
        await asyncio.to_thread(store.take_over)
        journal = self._open_journal(store, metrics)
        links = LinkServer(
            cell=config.cell,
            host=config.host,
            epoch=store.epoch,
            secret=config.cell_secret,
            peers=peers,
            on_refused=lambda reason: metrics.peers_refused.labels(reason).inc(),
            on_open=lambda link: self._table_host.link_opened(link),
            on_command=lambda link, command: self._table_host.handle(link, command),
            on_close=lambda link: self._table_host.link_closed(link),
            on_cut=metrics.link_cuts.inc,
            on_outdated=_outdated,
        )
        unix_path = str(Path(config.run_dir) / f"{config.host}.sock")
        await links.listen(unix_path=unix_path, tcp_host=config.tcp_host)
        games = self._open_library()
        await asyncio.to_thread(games.begin)
        request = data_pb2.RegisterHostRequest(
            server=config.server,
            cell=config.cell,
            unix_path=unix_path,
            tcp_address=links.tcp_address,
            machine=config.machine,
            max_tables=config.max_tables,
            games=sorted(games.rule_sets()),
            home=config.home,
            journal=await asyncio.to_thread(shared_journal, store.engine, config.journal_key),
        )
        reply = await epochs.agree(
            store.epoch,
            register=lambda epoch: self._register(client, request, epoch),
            take_over=lambda least: asyncio.to_thread(store.take_over, at_least=least),
        )
        contact.release_s = reply.escrow_release_ms / 1000
        links.epoch = store.epoch
        stock = IdStock(client.allocate_ids)
        await stock.fill()
        outbox = Outbox(
            host=config.host,
            epoch=store.epoch,
            send=client.settle,
            on_settled=metrics.settle_seconds.observe,
            on_refused=lambda table: self._table_host.stop_table(table),
            on_decided=lambda table, voided: self._table_host.decided(table, voided),
            note=lambda answered: self._table_host.out.answered(answered),
        )
        sealer = Sealer(config.journal_key)
        word = StepWord(Path(config.run_dir) / f"{config.host}.step")

        def hangs() -> None:
            word.hangs()
            os._exit(5)

        watchdog = Watchdog(stepping=word.now, on_hang=hangs)
        cashier = Cashier(ledger=client, host=config.host, epoch=store.epoch)
        self._host = TableHost(
            name=config.host,
            epoch=store.epoch,
            journal=journal,
            outbox=outbox,
            cashier=cashier,
            games=games,
            locate=self._locate(client, store.epoch),
            next_id=stock.next,
            entropy=secrets.token_bytes,
            sealer=sealer,
            stepping=word.set,
            may_deal=contact.may_deal,
            metrics=metrics,
            max_tables=config.max_tables,
            journal_stall_s=config.journal_stall_s,
        )
        self._host.recovering = True
        self._games = games
        games.used = lambda: games.by_package(self._table_host.desk.tables_by_version())
        journal.start()
        links.admit()
        tasks = [
            asyncio.ensure_future(work)
            for work in (
                self._host.run(),
                outbox.run(),
                outbox.ask_again(),
                process.watch_lag(metrics.loop_lag.observe),
                push_for_ever(config.metrics_socket, config.host, metrics.registry),
                beat_for_ever(config.metrics_socket, self._host.counts),
                stock.keep_filled(),
                epochs.watch(
                    config.host,
                    store.epoch,
                    list_hosts=client.list_hosts,
                    on_outdated=_outdated,
                ),
            )
        ]
        for task in tasks:
            task.add_done_callback(_must_not_end)
        tasks.append(asyncio.ensure_future(_beat(watchdog)))
        watchdog.start()  # before the replays: rules may hang there, too
        recovery = Recovery(
            host=self._host,
            store=store,
            outbox=outbox,
            cashier=cashier,
            games=games,
            owned={(shard.room, shard.number) for shard in reply.shards},
            entropy=secrets.token_bytes,
            sealer=sealer,
            metrics=metrics,
            suspect=word.left,
            hung=word.hung,
        )
        tasks += await recovery.run()
        self._host.recovering = False
        following = asyncio.ensure_future(games.run())  # after the replays: they need old versions
        following.add_done_callback(_must_not_end)
        tasks.append(following)
        metrics.recovery_seconds.set(time.monotonic() - began)
        process.tune_gc()
        self._info = {
            "host": config.host,
            "pid": os.getpid(),
            "epoch": store.epoch,
            "unix_path": unix_path,
            "tcp_address": links.tcp_address,
        }
        log.info("host.ready", **self._info, recovery_s=round(time.monotonic() - began, 3))
        self._ready.set_result(self._info)
        await self._stop.wait()
        watchdog.stop()
        await self._shut_down(outbox, links, journal)
        for task in tasks:
            task.remove_done_callback(_must_not_end)
            task.cancel()
        await client.close()

    async def _leave(self) -> None:
        host = self._table_host
        host.recovering = True  # RETRY to everybody: what comes now is the next one's
        log.info("host.leaves", playing=host.playing())
        await asyncio.sleep(LEAVE_S)
        await host.out.written()
        os._exit(6)

    @property
    def _table_host(self) -> TableHost:
        assert self._host is not None
        return self._host

    def _open_library(self) -> HostGames:
        config = self._config
        shelf = None
        if config.packages_dir:
            shelf = ShelfFile(Path(config.packages_dir), config.packages_key)
        return HostGames(Library(Registry.default(), shelf))

    def _open_journal(self, store: JournalStore, metrics: HostMetrics) -> Journal:
        loop = asyncio.get_running_loop()

        def release(batches: Sequence[Batch]) -> None:
            for batch in batches:
                batch.release()

        def deliver(batches: Sequence[Batch], seconds: float, rows: int) -> None:
            # In the writer thread; prometheus_client's metrics have locks of their own.
            metrics.journal_seconds.observe(seconds)
            metrics.journal_rows.inc(rows)
            loop.call_soon_threadsafe(release, batches)

        retention = Retention(
            rows_keep_s=self._config.rows_keep_s, outbox_keep_s=self._config.outbox_keep_s
        )
        retention.closed(store.closed_tables())
        return Journal(
            store=store,
            deliver=deliver,
            on_stopped=lambda: os._exit(3),
            on_failing=lambda failing: metrics.journal_failing.set(failing),
            retention=retention,
        )

    def _locate(
        self, client: HostCalls, epoch: int
    ) -> Callable[[str, int], Awaitable[host_pb2.Moved | None]]:
        async def locate(room: str, number: int) -> host_pb2.Moved | None:
            reply = await client.get_shards(room)
            for shard in reply.shards:
                if shard.number == number:
                    if shard.host == self._config.host and shard.epoch <= epoch:
                        return None
                    return host_pb2.Moved(host=shard.host, epoch=shard.epoch)
            return host_pb2.Moved()

        return locate

    async def _register(
        self, client: HostCalls, request: data_pb2.RegisterHostRequest, epoch: int
    ) -> data_pb2.RegisterHostReply:
        """Until a data server answers: without an epoch there is nothing a host may do.

        RuntimeError: another server runs this host by now.
        """
        request.host.CopyFrom(data_pb2.HostEpoch(host=self._config.host, epoch=epoch))
        while True:
            try:
                return await client.register_host(request)
            except Refused as refused:
                if refused.code == "HOST_ELSEWHERE":
                    raise RuntimeError(f"another server runs {request.host.host}") from None
                log.warning("host.register_retry", code=refused.code)
                await asyncio.sleep(0.5)

    async def _shut_down(self, outbox: Outbox, links: LinkServer, journal: Journal) -> None:
        host = self._table_host
        host.draining = True
        try:
            async with asyncio.timeout(self._config.drain_s):
                while host.playing():  # noqa: ASYNC110 - hands end in many places
                    await asyncio.sleep(0.1)
        except TimeoutError:
            log.warning("host.drain_ends", playing=host.playing())
        try:
            async with asyncio.timeout(10):
                await host.stand_all_up(hands_too=not self._hand_over)
                await outbox.empty()
        except TimeoutError:
            log.error("host.left_in_escrow", outbox=outbox.depth)
        host.recovering = True  # who has a hand that is handed over tries again
        await links.close()
        await asyncio.get_running_loop().run_in_executor(None, journal.close)


async def _beat(watchdog: Watchdog) -> None:
    while True:
        watchdog.beat()
        await asyncio.sleep(BEAT_EVERY_S)


def _outdated() -> None:
    log.error("host.outdated")
    os._exit(6)


def _must_not_end(task: asyncio.Task[Any]) -> None:
    if not task.cancelled():
        log.error("host.task_ended", error=repr(task.exception()))
        os._exit(4)
