"""The table host: admits commands, takes each operation once, keeps time - one loop.

Owner of everything here is one asyncio loop; nothing is touched from another thread. The
order of a command: is its connection the player's newest, was its operation answered
before, then shard and table decide (pure); rows, updates and answer go into the tick's
batch, the batch to the journal, and out only when the journal has it on disk.

May be lost: presence, chat, grid and summaries. Everything numbered is in the journal.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any

import structlog

from game_server.tables import commands
from game_server.tables.answers import Operation, digest_of
from game_server.tables.desk import Desk, ShardKey
from game_server.tables.games import Games
from game_server.tables.journal import Journal
from game_server.tables.links import Link
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.outgoing import Outgoing, refusal
from game_server.tables.play_clock import PlayClock
from game_server.tables.replay import KnownOperation
from game_server.tables.seal import Sealer
from game_server.tables.seating import Seating
from game_server.tables.shard import Shard
from game_server.tables.stall import Stall
from game_server.tables.table import Table
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, hall_pb2, host_pb2

log = structlog.get_logger()

GRID_EVERY_S = 0.3
SUMMARY_EVERY_S = 1.0
SEEN_PLAYERS = 20_000
LATER_MS = 200
"""When to try again with a host that is not ready, or whose journal stands still."""
TRANSIENT = frozenset({"RETRY", "BUSY", "DRAINING", "INTERNAL", "TOO_FAST", "GAME_STOPPED"})
"""Answers that are not kept: the same operation may be tried again."""

Locate = Callable[[str, int], Awaitable["host_pb2.Moved | None"]]


class TableHost:
    """`handle`, `link_opened`, `link_closed` are the links' callbacks; `run` keeps time.

    locate: asks the registry whose a shard is and gives Moved, or None when it is ours.
    """

    def __init__(
        self,
        *,
        name: str,
        epoch: int,
        journal: Journal,
        outbox: Outbox,
        cashier: Cashier,
        games: Games,
        locate: Locate,
        next_id: Callable[[], int],
        entropy: Callable[[int], bytes],
        sealer: Sealer,
        metrics: HostMetrics,
        max_tables: int = 250,
        journal_stall_s: float = 2.0,
        stepping: Callable[[int], None] = lambda table: None,
        may_deal: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.epoch = epoch
        self.draining = False
        self.recovering = False
        """Until its tables are rebuilt a host says RETRY: what it does not know yet is not gone."""
        self._journal = journal
        self._outbox = outbox
        self._patience_s = cashier.patience_s
        self._locate = locate
        self._metrics = metrics
        self._clock = clock
        self._links: dict[Link, None] = {}  # in the order in which they came
        self._seen: dict[int, tuple[int, int]] = {}  # player -> newest connection
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0  # monotonic ms, of the wheel; the timer's while there is one
        self._tasks: set[asyncio.Task[None]] = set()
        self._learning: dict[ShardKey, asyncio.Future[host_pb2.Moved | None]] = {}
        self._summaries: dict[ShardKey, bytes] = {}
        self.out = Outgoing(journal=journal, outbox=outbox, metrics=metrics)
        self._play_clock = PlayClock(clock)
        self.stall = Stall(
            age_s=journal.unwritten_age_s,
            patience_s=journal_stall_s,
            every_s=GRID_EVERY_S,
            clock=self._play_clock.now,
        )
        self.desk = Desk(
            epoch=epoch,
            out=self.out,
            metrics=metrics,
            games=games,
            next_id=next_id,
            entropy=entropy,
            sealer=sealer,
            max_tables=max_tables,
            on_leaving=self._cash_out,
            spawn=self._spawn,
            stepping=stepping,
            may_deal=may_deal,
            clock=self._play_clock.now,
        )
        self.seating = Seating(desk=self.desk, cashier=cashier, outbox=outbox)

    # ---- commands --------------------------------------------------------------------------

    def handle(self, link: Link, command: host_pb2.HostCommand) -> None:
        """One command of a player through a gateway."""
        begun = time.perf_counter()
        try:
            if command.WhichOneof("body") == "gone":
                with contextlib.suppress(Refused):
                    self._admit(command)
                self._gone(link, command)  # of an older connection, too: what it had is over
                return
            if self.recovering or self.stall:
                later = Refused("RETRY", retry_after_ms=LATER_MS)
                self.out.refuse_at_once(link, command.id, later)
                return
            self._admit(command)
            key = _shard_key(command)
            shard = self.desk.shards.get(key)
            if shard is not None:
                self._dispatch(link, command, shard)
            elif self.desk.games.room(key[0]) is None:
                raise Refused("NO_SUCH_ROOM", room=key[0])
            else:
                self._spawn(self._learn(link, command, key))
        except Refused as refused:
            self.out.refuse(link, command.id, refused)
        except Exception as error:
            log.exception("command.fault", kind=command.WhichOneof("body"), error=repr(error))
            self.out.refuse(link, command.id, Refused("INTERNAL"))
        finally:
            self._set_timer()
            self._metrics.step_seconds.observe(time.perf_counter() - begun)

    def _admit(self, command: host_pb2.HostCommand) -> None:
        pair = (command.session_epoch, command.connection)
        if pair < self._seen.get(command.player, (0, 0)):
            raise Refused("STALE_SESSION")
        self._seen.pop(command.player, None)  # the newest come last
        self._seen[command.player] = pair
        if len(self._seen) > SEEN_PLAYERS:
            del self._seen[next(iter(self._seen))]

    async def _learn(self, link: Link, command: host_pb2.HostCommand, key: ShardKey) -> None:
        """Ask the registry whose the shard is; then carry the command out or say who."""
        future = self._learning.get(key)
        if future is None:
            future = self._learning[key] = asyncio.ensure_future(self._locate(*key))
            future.add_done_callback(lambda _: self._learning.pop(key, None))
        try:
            moved = await asyncio.shield(future)
        except Refused as refused:
            self.out.refuse(link, command.id, refused)
            return
        if moved is not None:
            self.out.answer(link, command.id, host_pb2.HostAnswer(moved=moved))
            return
        self.desk.open_shard(key)
        self.handle(link, command)

    def _dispatch(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> None:
        kind = command.WhichOneof("body") or ""
        handler = commands.HANDLERS.get(kind)
        if handler is None:
            raise Refused("UNSUPPORTED")
        if kind not in commands.OPERATIONS:
            answer = handler(self.desk, self.seating, link, command, shard)
            assert isinstance(answer, host_pb2.HostAnswer)
            self.out.answer(link, command.id, answer)
            return
        if self.draining and kind in ("quick_join", "sit"):
            raise Refused("DRAINING", retry_after_ms=1000)
        operation, new = shard.answers.begin(command.player, command.op, digest_of(command))
        if operation.answer is not None:
            self.out.answer(link, command.id, operation.answer)
            return
        operation.waiting.append((link, command))
        if not new:
            return
        try:
            answer = handler(self.desk, self.seating, link, command, shard)
        except Refused as refused:
            answer = refusal(refused)
        except Exception:
            shard.answers.forget(command.player, command.op)
            raise
        if isinstance(answer, host_pb2.HostAnswer):
            self._finish(shard, command, operation, answer)
        else:
            self._spawn(self._later(shard, command, operation, answer))

    async def _later(
        self,
        shard: Shard,
        command: host_pb2.HostCommand,
        operation: Operation,
        work: Awaitable[host_pb2.HostAnswer],
    ) -> None:
        """Finish an operation that waits for the data server."""
        loop = asyncio.get_running_loop()
        patience = loop.call_later(self._patience_s, self._not_yet, operation)
        try:
            answer = await work
        except Refused as refused:
            answer = refusal(refused)
        except Exception:
            log.exception("operation.fault", kind=command.WhichOneof("body"))
            shard.answers.forget(command.player, command.op)
            answer = refusal(Refused("INTERNAL"))
        finally:
            patience.cancel()
        self._finish(shard, command, operation, answer)
        self._set_timer()

    def _not_yet(self, operation: Operation) -> None:
        """No answer yet: the player may ask again with the same id while the call goes on."""
        waiting, operation.waiting = operation.waiting, []
        for link, command in waiting:
            self.out.refuse(link, command.id, Refused("RETRY", retry_after_ms=1000))

    def _finish(
        self,
        shard: Shard,
        command: host_pb2.HostCommand,
        operation: Operation,
        answer: host_pb2.HostAnswer,
    ) -> None:
        if answer.HasField("refusal") and answer.refusal.code in TRANSIENT:
            shard.answers.forget(command.player, command.op)
        operation.answer = answer
        waiting, operation.waiting = operation.waiting, []
        for link, asked in waiting:
            self.out.answer(link, asked.id, answer)
        table = shard.tables.get(answer.seated.table.table) if answer.HasField("seated") else None
        if table is not None:
            # The answer first, then the snapshot: the client knows by then what it gets.
            there = [w for w in waiting if not w[0].closed and self._is_newest(w[1])]
            self.seating.present(shard, table, command.player, there[-1] if there else None)

    def _is_newest(self, command: host_pb2.HostCommand) -> bool:
        return self._seen.get(command.player) == (command.session_epoch, command.connection)

    async def _cash_out(self, shard: Shard, table: Table, seat: int) -> None:
        await self.seating.cash_out(shard, table, seat)
        self._set_timer()

    def stop_table(self, table_id: int) -> None:
        """The ledger refused a hand of this table: no other begins before somebody has looked."""
        found = self.desk.find(table_id)
        if found is not None:
            found[1].stopped = True

    def decided(self, table_id: int, voided: bool) -> None:
        """An operator has looked at a refused hand. When it is void the stakes that we counted
        are not those of the ledger: everybody stands up with what that says."""
        found = self.desk.find(table_id)
        if found is None:
            return
        shard, table = found
        table.stopped = self._outbox.is_stuck(table_id)
        if voided:
            self.desk.step(shard, table, lambda t: t.close(at=self.desk.at()))

    # ---- connections -----------------------------------------------------------------------

    def link_opened(self, link: Link) -> None:
        self._links[link] = None
        self._metrics.links.set(len(self._links))
        for summary in self._summaries.values():
            link.send(summary)

    def link_closed(self, link: Link) -> None:
        """All players of that gateway are away until they come through another stream."""
        self._links.pop(link, None)
        self._metrics.links.set(len(self._links))
        for table_id, audience in list(self.desk.audiences.items()):
            for player in audience.remove_link(link):
                self._away(table_id, player)
        for grid in self.desk.grids.values():
            grid.remove_link(link)
        self._set_timer()

    def _gone(self, link: Link, command: host_pb2.HostCommand) -> None:
        """The player's connection has ended, unless a newer one has taken over."""
        pair = (command.session_epoch, command.connection)
        for table_id, audience in list(self.desk.audiences.items()):
            if audience.ended(command.player, pair, link):
                self._away(table_id, command.player)
        for grid in self.desk.grids.values():
            grid.ended(command.player, pair, link)

    def _away(self, table_id: int, player: int) -> None:
        found = self.desk.find(table_id)
        if found is not None:
            shard, table = found
            self.desk.step(shard, table, lambda t: t.set_away(player, True, now=self.desk.now()))

    # ---- time ------------------------------------------------------------------------------

    async def run(self) -> None:
        """For ever: grids, summaries, spare tables, gauges, stalls of the journal."""
        last_summary = 0.0
        while True:
            await asyncio.sleep(GRID_EVERY_S)
            self._play_clock.now()
            self._look_at_journal()
            if not self.stall:
                self._send_grids()
            if self._clock() - last_summary >= SUMMARY_EVERY_S:
                last_summary = self._clock()
                self._send_summaries()
                self.desk.renew_tables()
                self.desk.retire_tables()
                self.desk.close_spare_tables()
                self._gauge()

    def _look_at_journal(self) -> None:
        by_ms = self.stall.look()
        if not by_ms:
            return
        for shard in self.desk.shards.values():
            for table in shard:
                self.desk.step(shard, table, lambda t: t.shift(by_ms))
        self._set_timer()

    def _set_timer(self) -> None:
        """After each step: a timer that rings too early finds nothing due and is set anew, which
        costs less than to take it back with each action."""
        due = self.desk.wheel.next()
        if due is None or (self._timer is not None and self._rings_at <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        delay = max(0.0, due / 1000 - self._play_clock.now() + 0.001)
        self._timer = asyncio.get_running_loop().call_later(delay, self._on_timer)
        self._rings_at = due

    def _on_timer(self) -> None:
        self._timer = None
        if self.stall:
            return  # nobody can act; the clocks are pushed back when the journal flows
        at = self.desk.at()
        for table_id in self.desk.wheel.pop(at.ms):
            found = self.desk.find(table_id)
            if found is None:
                continue
            shard, table = found
            try:
                self.desk.step(shard, table, lambda t: t.expire(at))
            except Refused:
                log.warning("table.expire_refused", table=table_id)
        self._set_timer()

    def _send_grids(self) -> None:
        for key, shard in self.desk.shards.items():
            change = shard.grid_change()
            if change is not None and len(self.desk.grids[key]):
                links = self.desk.grids[key].links()
                self.out.deliver_all(links, hall_pb2.Update(grid=change))

    def _send_summaries(self) -> None:
        for key, shard in self.desk.shards.items():
            summary = host_pb2.HostEvent(summary=shard.summary()).SerializeToString()
            if self._summaries.get(key) != summary:
                self._summaries[key] = summary
                for link in self._links:
                    link.send(summary)

    def _gauge(self) -> None:
        counts: dict[tuple[str, str], int] = {}
        escrow = 0
        for shard in self.desk.shards.values():
            for state in ("playing", "waiting"):
                counts.setdefault((shard.room.game, state), 0)
            for table in shard:
                counts[shard.room.game, "playing" if table.playing else "waiting"] += 1
                escrow += sum(seat.stake for seat in table.seats if seat is not None)
        self._metrics.count_tables(counts)
        self._metrics.count_versions(self.desk.tables_by_version())
        self._metrics.escrow.set(escrow)
        self._metrics.outbox_depth.set(self._outbox.depth)
        self._metrics.outbox_age.set(self._outbox.oldest_age_s())
        self._metrics.outbox_refused.set(len(self._outbox.refused))
        self._metrics.journal_age.set(self._journal.unwritten_age_s())

    # ---- life ------------------------------------------------------------------------------

    def counts(self) -> data_pb2.HostCounts:
        """What the supervisor's heartbeat says of this host."""
        summaries = [shard.summary() for shard in list(self.desk.shards.values())]
        return data_pb2.HostCounts(
            host=self.name,
            epoch=self.epoch,
            tables=sum(s.tables for s in summaries),
            players=sum(s.players for s in summaries),
            shards=summaries,
        )

    def playing(self) -> int:
        """Tables with a running hand."""
        return sum(t.playing for shard in list(self.desk.shards.values()) for t in shard)

    async def stand_all_up(self, *, hands_too: bool = True) -> None:
        """For the end of a drain: hands still running are void, every escrow is returned.

        hands_too: else tables with a running hand stay as they are.
        """
        for shard in self.desk.shards.values():
            for table in shard:
                if hands_too or not table.playing:
                    self.desk.step(shard, table, lambda t: t.close(at=self.desk.at()))
        while self._tasks:
            await asyncio.wait(set(self._tasks))
        self.desk.close_spare_tables(spare=0)
        await self.out.written()

    def go_on(self, table: Table, known: Sequence[KnownOperation], *, grace_ms: int) -> None:
        """A table that was rebuilt from the journal, with the operations it had carried out.

        Seats whose buy-in was on its way are asked for again under the same operation.
        """
        table.stopped = self._outbox.is_stuck(table.ref.table)
        shard = self.desk.adopt(table, grace_ms=grace_ms)
        for one in known:
            shard.answers.known(*one)
        for index, seat in enumerate(table.seats):
            if seat is None or seat.reservation is None:
                continue
            op = seat.reservation.op
            command = host_pb2.HostCommand(player=seat.player, op=op.id)
            operation, _ = shard.answers.begin(seat.player, op.id, op.digest)
            work = self.seating.take_seat_again(shard, table, index)
            self._spawn(self._later(shard, command, operation, work))
        self._set_timer()

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)

    def _spawned(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task.fault", error=repr(task.exception()))


def _shard_key(command: host_pb2.HostCommand) -> ShardKey:
    kind = command.WhichOneof("body")
    if kind is None:
        raise Refused("UNSUPPORTED")
    if kind == "quick_join":
        return command.quick_join.room, command.shard
    if kind == "watch_grid":
        return command.watch_grid.room, command.watch_grid.shard
    ref = getattr(command, kind).table
    return ref.room, ref.shard
