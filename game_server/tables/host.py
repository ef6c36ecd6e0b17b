"""The table host: commands from gateways, tables, the journal, and what goes out - one loop.

Owner of everything here is one asyncio loop; nothing is touched from another thread. The
order of a command: look whether its operation was answered before, let the shard and the
table decide (pure), put rows, updates and answer into the tick's batch, hand the batch to
the journal, and send only when the journal has it on disk. Commands that move money wait
for the data server in a task of their own (`money.py`), with the seat held meanwhile.

May be lost: presence, chat, grid and summaries. Everything numbered is in the journal.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from typing import Any

import structlog

from game_server.tables.answers import Operation, digest_of
from game_server.tables.audience import Audience, Subscription
from game_server.tables.journal import Batch, Journal, Row
from game_server.tables.links import Link
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.room import RoomSpec
from game_server.tables.shard import Shard
from game_server.tables.table import Output, Settled, Table
from game_server.tables.wheel import Wheel
from paiju.rules import record as records
from paiju.rules.api import Game
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

log = structlog.get_logger()

ShardKey = tuple[str, int]

GRID_EVERY_S = 0.3
SUMMARY_EVERY_S = 1.0
SEEN_PLAYERS = 20_000
OPERATIONS = frozenset(
    {"quick_join", "sit", "stand", "top_up", "ready", "act", "chat"},
)
TRANSIENT = frozenset({"RETRY", "BUSY", "DRAINING", "INTERNAL", "TOO_FAST"})


class TableHost:
    """`handle`, `link_opened`, `link_closed` are the links' callbacks; `run` keeps time.

    games: rule set -> (game for parameters, package version). locate: asks the registry
    whose a shard is and returns Moved, or None when it is this host's.
    """

    def __init__(
        self,
        *,
        name: str,
        epoch: int,
        journal: Journal,
        outbox: Outbox,
        cashier: Cashier,
        rooms: dict[str, RoomSpec],
        game_of: Callable[[RoomSpec], tuple[Game, str]],
        locate: Callable[[str, int], Any],
        next_id: Callable[[], int],
        entropy: Callable[[int], bytes],
        metrics: HostMetrics,
        max_tables: int = 250,
        journal_stall_s: float = 2.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.name = name
        self.epoch = epoch
        self.shards: dict[ShardKey, Shard] = {}
        self._journal = journal
        self._outbox = outbox
        self._cashier = cashier
        self._rooms = rooms
        self._game_of = game_of
        self._locate = locate
        self._next_id = next_id
        self._entropy = entropy
        self._metrics = metrics
        self._max_tables = max_tables
        self._stall_s = journal_stall_s
        self._clock = clock
        self._links: set[Link] = set()
        self._audiences: dict[int, Audience[Link]] = {}
        self._grids: dict[ShardKey, Audience[Link]] = {}
        self._shard_of: dict[int, Shard] = {}  # table -> shard
        self._seen: dict[int, tuple[int, int]] = {}  # player -> newest connection
        self._wheel = Wheel()
        self._timer: asyncio.TimerHandle | None = None
        self._batch: Batch | None = None
        self._sends: list[tuple[Link, bytes]] = []
        self._settlements: list[data_pb2.Settlement] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._learning: dict[ShardKey, asyncio.Task[host_pb2.Moved | None]] = {}
        self._summaries: dict[ShardKey, bytes] = {}
        self._stalled_since: float | None = None
        self.draining = False

    # ---- time ------------------------------------------------------------------------------

    def now(self) -> int:
        """Monotonic milliseconds."""
        return int(self._clock() * 1000)

    async def run(self) -> None:
        """For ever: grids, summaries, spare tables, gauges, stalls of the journal."""
        last_summary = 0.0
        while True:
            await asyncio.sleep(GRID_EVERY_S)
            self._watch_stall()
            self._send_grids()
            if self._clock() - last_summary >= SUMMARY_EVERY_S:
                last_summary = self._clock()
                self._send_summaries()
                self._close_spare_tables()
                self._gauge()

    def _watch_stall(self) -> None:
        stalled = self._journal.unwritten_age_s() > self._stall_s
        if stalled and self._stalled_since is None:
            self._stalled_since = self._clock()
            log.error("journal.stalled", age_s=self._journal.unwritten_age_s())
        elif not stalled and self._stalled_since is not None:
            by_ms = int((self._clock() - self._stalled_since + self._stall_s) * 1000)
            self._stalled_since = None
            log.warning("journal.flows", stalled_ms=by_ms)
            for shard in self.shards.values():
                for table in shard:
                    table.shift(by_ms)
                    self._schedule(table)
            self._set_timer()

    def _schedule(self, table: Table) -> None:
        self._wheel.set(table.ref.table, table.next_due())

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self._wheel.next()
        if due is not None:
            delay = max(0.0, due / 1000 - self._clock() + 0.0005)
            self._timer = asyncio.get_running_loop().call_later(delay, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        if self._stalled_since is None:
            for table_id in self._wheel.pop(self.now()):
                shard = self._shard_of.get(table_id)
                table = shard.tables.get(table_id) if shard else None
                if shard is not None and table is not None:
                    self._step(
                        shard, table, lambda t: t.expire(now=self.now(), wall_us=ids.now_us())
                    )
        self._set_timer()

    # ---- links -----------------------------------------------------------------------------

    def link_opened(self, link: Link) -> None:
        self._links.add(link)
        self._metrics.links.set(len(self._links))
        for summary in self._summaries.values():
            link.send(summary)

    def link_closed(self, link: Link) -> None:
        """All players of that gateway are away until they come through another stream."""
        self._links.discard(link)
        self._metrics.links.set(len(self._links))
        for table_id, audience in list(self._audiences.items()):
            shard = self._shard_of.get(table_id)
            table = shard.tables.get(table_id) if shard else None
            for player in audience.remove_link(link):
                if shard is not None and table is not None:
                    self._step(
                        shard, table, lambda t, p=player: t.set_away(p, True, now=self.now())
                    )
        for grid in self._grids.values():
            grid.remove_link(link)
        self._set_timer()

    def handle(self, link: Link, command: host_pb2.HostCommand) -> None:
        """One command of a player through a gateway."""
        begun = time.perf_counter()
        try:
            self._admit(command)
            shard = self._shard(link, command)
            if shard is not None:
                self._dispatch(link, command, shard)
        except Refused as refused:
            self._refuse(link, command.id, refused)
        except Exception as error:
            log.exception("command.fault", kind=command.WhichOneof("body"), error=repr(error))
            self._refuse(link, command.id, Refused("INTERNAL"))
        finally:
            self._set_timer()
            self._metrics.step_seconds.observe(time.perf_counter() - begun)

    def _admit(self, command: host_pb2.HostCommand) -> None:
        if self._stalled_since is not None:
            raise Refused("RETRY", retry_after_ms=500)
        pair = (command.session_epoch, command.connection)
        if pair < self._seen.get(command.player, (0, 0)):
            raise Refused("STALE_SESSION")
        self._seen.pop(command.player, None)
        self._seen[command.player] = pair
        if len(self._seen) > SEEN_PLAYERS:
            del self._seen[next(iter(self._seen))]

    def _shard(self, link: Link, command: host_pb2.HostCommand) -> Shard | None:
        """The shard a command is for; None when it is being found out."""
        kind = command.WhichOneof("body")
        if kind is None:
            raise Refused("UNSUPPORTED")
        if kind == "gone":
            self._gone(command)
            return None
        if kind == "quick_join":
            key = (command.quick_join.room, command.shard)
        elif kind == "watch_grid":
            key = (command.watch_grid.room, command.watch_grid.shard)
        else:
            ref = getattr(command, kind).table
            key = (ref.room, ref.shard)
        shard = self.shards.get(key)
        if shard is None:
            if key[0] not in self._rooms:
                raise Refused("NO_SUCH_ROOM", room=key[0])
            self._spawn(self._learn(link, command, key))
        return shard

    async def _learn(self, link: Link, command: host_pb2.HostCommand, key: ShardKey) -> None:
        """Ask the registry whose the shard is; then carry the command out or say who."""
        task = self._learning.get(key)
        if task is None:
            task = asyncio.ensure_future(self._locate(*key))
            self._learning[key] = task
            task.add_done_callback(lambda _: self._learning.pop(key, None))
        try:
            moved = await asyncio.shield(task)
        except Refused as refused:
            self._refuse(link, command.id, refused)
            return
        if moved is not None:
            self._answer(link, command.id, host_pb2.HostAnswer(moved=moved))
            return
        if key not in self.shards:
            self._open_shard(key)
        self.handle(link, command)

    def _open_shard(self, key: ShardKey) -> None:
        room = self._rooms[key[0]]
        game, _ = self._game_of(room)
        self.shards[key] = Shard(
            room=room,
            number=key[1],
            max_tables=self._max_tables,
            seats=game.info.max_seats,
            make_table=self._make_table,
            next_id=self._next_id,
        )
        self._grids[key] = Audience()
        log.info("shard.opened", room=key[0], shard=key[1])

    def _make_table(self, room: RoomSpec, ref: common_pb2.TableRef) -> Table:
        game, package = self._game_of(room)
        table = Table(
            ref=ref,
            room=room,
            game=game,
            package=package,
            epoch=self.epoch,
            entropy=self._entropy,
            now=self.now(),
            wall_us=ids.now_us(),
        )
        self._audiences[ref.table] = Audience()
        self._shard_of[ref.table] = self.shards[room.id, ref.shard]
        self._flush(self._shard_of[ref.table], table)
        return table

    # ---- commands --------------------------------------------------------------------------

    def _dispatch(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> None:
        kind = command.WhichOneof("body") or ""
        if kind not in OPERATIONS:
            answer = getattr(self, f"_on_{kind}")(link, command, shard)
            self._answer(link, command.id, answer)
            return
        if self.draining and kind in ("quick_join", "sit"):
            raise Refused("DRAINING", retry_after_ms=1000)
        operation, new = shard.answers.begin(command.player, command.op, digest_of(command))
        if not new:
            if operation.answer is not None:
                self._answer(link, command.id, operation.answer)
            else:
                operation.waiting.append((link, command.id))
            return
        operation.waiting.append((link, command.id))
        try:
            answer = getattr(self, f"_on_{kind}")(link, command, shard)
        except Refused as refused:
            self._finish(shard, command, operation, _refusal(refused))
            return
        except Exception:
            shard.answers.forget(command.player, command.op)
            raise
        if isinstance(answer, host_pb2.HostAnswer):
            self._finish(shard, command, operation, answer)
        else:
            self._spawn(self._later(shard, command, operation, answer))

    async def _later(
        self, shard: Shard, command: host_pb2.HostCommand, operation: Operation, work: Any
    ) -> None:
        """Finish an operation that waits for the data server."""
        patience = asyncio.get_running_loop().call_later(
            self._cashier.patience_s, self._not_yet, operation
        )
        try:
            answer = await work
        except Refused as refused:
            answer = _refusal(refused)
        finally:
            patience.cancel()
        self._finish(shard, command, operation, answer)
        self._set_timer()

    def _not_yet(self, operation: Operation) -> None:
        """The data server has not answered: the player may ask again with the same id."""
        waiting, operation.waiting = operation.waiting, []
        for link, number in waiting:  # type: ignore[misc]
            self._refuse(link, number, Refused("RETRY", retry_after_ms=1000))

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
        for link, number in waiting:  # type: ignore[misc]
            self._answer(link, number, answer)

    def _on_quick_join(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        amount = _buy_in(shard.room, command.quick_join.buy_in)
        table, seat = shard.quick_join(player=command.player, name=command.name)
        return self._take_seat(link, command, shard, table, seat, amount)

    def _on_sit(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        amount = _buy_in(shard.room, command.sit.buy_in)
        seat = command.sit.seat
        table = shard.sit(
            player=command.player,
            name=command.name,
            table_id=command.sit.table.table,
            seat=seat,
        )
        return self._take_seat(link, command, shard, table, seat, amount)

    async def _take_seat(
        self,
        link: Link,
        command: host_pb2.HostCommand,
        shard: Shard,
        table: Table,
        seat: int,
        amount: int,
    ) -> host_pb2.HostAnswer:
        try:
            reply = await self._cashier.sit_down(
                op=command.op,
                player=command.player,
                session_epoch=command.session_epoch,
                table=table.ref,
                seat=seat,
                room=shard.room,
                amount=amount,
            )
        except Refused:
            table.unreserve(seat)
            shard.freed(command.player, table)
            raise
        connected = self._seen.get(command.player) == (command.session_epoch, command.connection)
        self._step(
            shard,
            table,
            lambda t: t.seated(
                seat,
                sitting=reply.sitting,
                stake=reply.stake,
                now=self.now(),
                wall_us=ids.now_us(),
            ),
        )
        answer = host_pb2.HostAnswer(
            seated=hall_pb2.Seated(table=table.ref, seat=seat, stake=reply.stake)
        )
        if connected and not link.closed:
            # The answer first, then the snapshot: so the client knows what it gets.
            asyncio.get_running_loop().call_soon(self._subscribe, link, command, table, seat, None)
        else:
            self._step(shard, table, lambda t: t.set_away(command.player, True, now=self.now()))
        return answer

    def _on_stand(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        table = shard.table(command.stand.table.table)
        self._step(
            shard,
            table,
            lambda t: t.stand(
                command.player,
                abandon=command.stand.abandon,
                now=self.now(),
                wall_us=ids.now_us(),
            ),
            cash_out=False,
        )
        seat = table.seat_of(command.player)
        assert seat is not None
        return self._stand_up(shard, table, seat)

    async def _stand_up(self, shard: Shard, table: Table, seat: int) -> host_pb2.HostAnswer:
        await self._cash_out(shard, table, seat, notice=False)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    async def _cash_out(self, shard: Shard, table: Table, seat: int, *, notice: bool) -> None:
        """Return the escrow of a seat that is LEAVING, then free it."""
        held = table.seats[seat]
        assert held is not None
        await self._outbox.settled(table.ref.table)
        await self._cashier.stand_up(sitting=held.sitting)
        if table.seats[seat] is not held:
            return  # another task was quicker
        self._step(shard, table, lambda t: t.left(seat, now=self.now(), wall_us=ids.now_us()))
        shard.freed(held.player, table)
        audience = self._audiences[table.ref.table]
        subscription = audience.get(held.player)
        if subscription is not None:
            audience.remove(held.player)
            if notice:
                lost = hall_pb2.Update(notice=hall_pb2.Notice(code="SEAT_LOST", table=table.ref))
                self._deliver(subscription.link, [held.player], lost.SerializeToString())
            self._out(
                subscription.link,
                host_pb2.HostEvent(
                    detach=host_pb2.Detach(player=held.player, table=table.ref.table)
                ),
            )
        self._set_timer()

    def _on_top_up(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        table = shard.table(command.top_up.table.table)
        seat = table.seat_of(command.player)
        held = table.seats[seat] if seat is not None else None
        if held is None or seat is None or not held.seated:
            raise Refused("NOT_SEATED")
        if table.playing:
            raise Refused("HAND_RUNNING")
        amount = command.top_up.amount
        room = shard.room
        if amount <= 0 or not room.plays_for_coins:
            raise Refused("BAD_AMOUNT")
        if held.stake + amount > room.buy_in_max:
            raise Refused("BUY_IN_RANGE", minimum=room.buy_in_min, maximum=room.buy_in_max)
        return self._top_up(shard, table, seat, held.sitting, command.op, amount)

    async def _top_up(
        self, shard: Shard, table: Table, seat: int, sitting: int, op: bytes, amount: int
    ) -> host_pb2.HostAnswer:
        await self._cashier.top_up(op=op, sitting=sitting, amount=amount)
        held = table.seats[seat]
        if held is not None and held.sitting == sitting:
            self._step(
                shard,
                table,
                lambda t: t.topped_up(seat, amount=amount, now=self.now(), wall_us=ids.now_us()),
            )
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_ready(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        table = shard.table(command.ready.table.table)
        self._step(
            shard,
            table,
            lambda t: t.ready(
                command.player,
                contribution=command.ready.contribution,
                ready=not command.ready.not_ready,
                now=self.now(),
                wall_us=ids.now_us(),
            ),
        )
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_act(self, link: Link, command: host_pb2.HostCommand, shard: Shard) -> Any:
        table = shard.table(command.act.table.table)
        seq = self._step(
            shard,
            table,
            lambda t: t.act(
                command.player,
                command.act.action,
                hand=command.act.hand,
                decided_on=command.act.decided_on,
                op=command.op,
                now=self.now(),
                wall_us=ids.now_us(),
            ),
        )
        return host_pb2.HostAnswer(acted=hall_pb2.Acted(hand=command.act.hand, seq=seq))

    def _on_watch(
        self, link: Link, command: host_pb2.HostCommand, shard: Shard
    ) -> host_pb2.HostAnswer:
        table = shard.table(command.watch.table.table)
        cursor = command.watch.cursor if command.watch.HasField("cursor") else None
        self._subscribe(link, command, table, table.seat_of(command.player), cursor)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_unwatch(
        self, link: Link, command: host_pb2.HostCommand, shard: Shard
    ) -> host_pb2.HostAnswer:
        table = shard.table(command.unwatch.table.table)
        if table.seat_of(command.player) is None:
            self._audiences[table.ref.table].remove(command.player)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_resync(
        self, link: Link, command: host_pb2.HostCommand, shard: Shard
    ) -> host_pb2.HostAnswer:
        table = shard.table(command.resync.table.table)
        subscription = self._audiences[table.ref.table].get(command.player)
        if subscription is None:
            raise Refused("NOT_SEATED")
        self._send_form(
            link, [command.player], table, table.snapshot(subscription.viewer, self.now()), True
        )
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_chat(
        self, link: Link, command: host_pb2.HostCommand, shard: Shard
    ) -> host_pb2.HostAnswer:
        table = shard.table(command.chat.table.table)
        audience = self._audiences[table.ref.table]
        if audience.get(command.player) is None:
            raise Refused("NOT_SEATED")
        line = hall_pb2.ChatLine(
            table=table.ref,
            player=command.player,
            name=command.name,
            text=command.chat.text[: protocol.MAX_CHAT_CHARS],
            time_us=ids.now_us(),
        )
        update = hall_pb2.Update(chat=line).SerializeToString()
        for receiver, players in audience.links().items():
            self._deliver(receiver, players, update, table=table.ref.table)
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _on_watch_grid(
        self, link: Link, command: host_pb2.HostCommand, shard: Shard
    ) -> host_pb2.HostAnswer:
        grid = self._grids[shard.room.id, shard.number]
        if command.watch_grid.stop:
            grid.remove(command.player)
        else:
            pair = (command.session_epoch, command.connection)
            grid.add(command.player, Subscription(link, 0, pair))
            update = hall_pb2.Update(grid=shard.grid())
            self._deliver(link, [command.player], update.SerializeToString())
        return host_pb2.HostAnswer(done=hall_pb2.Done())

    def _gone(self, command: host_pb2.HostCommand) -> None:
        """The player's connection has ended, unless a newer one has taken over."""
        pair = (command.session_epoch, command.connection)
        for table_id, audience in list(self._audiences.items()):
            if audience.get(command.player) is None or not audience.remove(command.player, pair):
                continue
            shard = self._shard_of.get(table_id)
            table = shard.tables.get(table_id) if shard else None
            if shard is not None and table is not None:
                self._step(shard, table, lambda t: t.set_away(command.player, True, now=self.now()))
        for grid in self._grids.values():
            grid.remove(command.player, pair)

    def _subscribe(
        self,
        link: Link,
        command: host_pb2.HostCommand,
        table: Table,
        seat: int | None,
        cursor: common_pb2.Cursor | None,
    ) -> None:
        """From here on the player gets what the table does, after what it is missing."""
        shard = self._shard_of.get(table.ref.table)
        if shard is None:
            return
        viewer = table.viewer_of(seat)
        audience = self._audiences[table.ref.table]
        pair = (command.session_epoch, command.connection)
        audience.add(command.player, Subscription(link, viewer, pair))
        if cursor is None:
            self._send_form(link, [command.player], table, table.snapshot(viewer, self.now()), True)
        else:
            missed = table.resume(viewer, epoch=cursor.epoch, seq=cursor.seq, now=self.now())
            first = table.seq - len(missed) + 1
            same = cursor.epoch == table.epoch and first == cursor.seq + 1
            for offset, form in enumerate(missed):
                self._send_form(link, [command.player], table, form, not same, seq=first + offset)
        self._step(shard, table, lambda t: t.set_away(command.player, False, now=self.now()))
        self._send_presence(table, {link: [command.player]})

    # ---- what a table did ------------------------------------------------------------------

    def _step(
        self,
        shard: Shard,
        table: Table,
        change: Callable[[Table], Any],
        *,
        cash_out: bool = True,
    ) -> Any:
        """Let a table change and take what came out, also when it refused in the middle."""
        try:
            return change(table)
        except Refused:
            raise
        except Exception as error:
            log.exception("table.fault", table=table.ref.table, error=repr(error))
            table.void("fault", now=self.now(), wall_us=ids.now_us())
            raise Refused("INTERNAL") from error
        finally:
            self._flush(shard, table, cash_out=cash_out)

    def _flush(self, shard: Shard, table: Table, *, cash_out: bool = True) -> None:
        out: Output = table.take()
        if out.steps:
            batch = self._open_batch()
            groups = self._audiences[table.ref.table].groups()
            for step in out.steps:
                batch.rows.append(Row(table.ref.table, step.seq, step.kind, step.body))
                for viewer, links in groups.items():
                    for link, players in links.items():
                        self._send_form(
                            link, players, table, step.forms[viewer], False, seq=step.seq
                        )
                if step.kind in ("action", "chance"):
                    self._metrics.actions.labels(_cause(step.kind, step.body)).inc()
            shard.touched(table)
        for settled in out.settled:
            self._settle(shard, table, settled)
        for fault in out.faults:
            self._metrics.faults.inc()
            log.error("rules.fault", table=table.ref.table, game=shard.room.game, error=fault)
        if cash_out:
            for seat in out.leaving:
                self._spawn(self._cash_out(shard, table, seat, notice=True))
        if out.presence:
            shard.touched(table)
            self._send_presence(table, self._audiences[table.ref.table].links())
        self._schedule(table)

    def _settle(self, shard: Shard, table: Table, settled: Settled) -> None:
        self._metrics.hands.labels(shard.room.game, settled.result).inc()
        coin = shard.room.plays_for_coins
        self._open_batch()
        self._settlements.append(
            data_pb2.Settlement(
                table=table.ref,
                hand=settled.hand,
                rule_set=shard.room.game,
                currency=common_pb2.COIN if coin else common_pb2.SCORE,
                result=settled.result,
                seats=[
                    data_pb2.SeatChange(
                        seat=seat, sitting=sitting, player=player, delta=delta, fee=fee
                    )
                    for seat, sitting, player, delta, fee in settled.seats
                ],
                pot_change=settled.pot_change,
                record=records.encode(settled.record),
                game=shard.room.game,
                ended_us=settled.ended_us,
            )
        )

    # ---- sending ---------------------------------------------------------------------------

    def _open_batch(self) -> Batch:
        if self._batch is None:
            self._batch = Batch()
            asyncio.get_running_loop().call_soon(self._close_batch)
        return self._batch

    def _close_batch(self) -> None:
        batch, self._batch = self._batch, None
        assert batch is not None
        sends, self._sends = self._sends, []
        settlements, self._settlements = self._settlements, []

        def release() -> None:
            for settlement in settlements:
                self._outbox.put(settlement)
            for link, event in sends:
                link.send(event)

        batch.release = release
        self._journal.submit(batch)

    def _out(self, link: Link, event: host_pb2.HostEvent) -> None:
        self._open_batch()
        self._sends.append((link, event.SerializeToString()))

    def _deliver(
        self, link: Link, players: Sequence[int], update: bytes, *, table: int = 0
    ) -> None:
        self._out(
            link,
            host_pb2.HostEvent(
                deliver=host_pb2.Deliver(players=players, update=update, table=table)
            ),
        )

    def _send_form(
        self,
        link: Link,
        players: Sequence[int],
        table: Table,
        form: bytes,
        snapshot: bool,
        *,
        seq: int | None = None,
    ) -> None:
        self._out(
            link,
            host_pb2.HostEvent(
                deliver=host_pb2.Deliver(
                    players=players,
                    update=form,
                    table=table.ref.table,
                    epoch=table.epoch,
                    seq=table.seq if seq is None else seq,
                    snapshot=snapshot,
                )
            ),
        )

    def _send_presence(self, table: Table, links: Any) -> None:
        audience = self._audiences[table.ref.table]
        seated = sum(1 for seat in table.seats if seat is not None and audience.get(seat.player))
        presence = hall_pb2.Update(
            presence=hall_pb2.TablePresence(
                table=table.ref,
                away=table.away(),
                spectators=len(audience) - seated,
                clocks=table.clocks(self.now()),
            )
        ).SerializeToString()
        for link, players in links.items():
            self._deliver(link, players, presence, table=table.ref.table)

    def _answer(self, link: Link, number: int, answer: host_pb2.HostAnswer) -> None:
        if number == 0:
            return
        if answer.HasField("refusal"):
            self._metrics.refusals.labels(answer.refusal.code).inc()
        out = host_pb2.HostAnswer()
        out.CopyFrom(answer)
        out.id = number
        self._out(link, host_pb2.HostEvent(answer=out))

    def _refuse(self, link: Link, number: int, refused: Refused) -> None:
        self._answer(link, number, _refusal(refused))

    def _send_grids(self) -> None:
        for key, shard in self.shards.items():
            change = shard.grid_change()
            if change is None or not len(self._grids[key]):
                continue
            update = hall_pb2.Update(grid=change).SerializeToString()
            for link, players in self._grids[key].links().items():
                self._deliver(link, players, update)

    def _send_summaries(self) -> None:
        for key, shard in self.shards.items():
            summary = host_pb2.HostEvent(summary=shard.summary()).SerializeToString()
            if self._summaries.get(key) != summary:
                self._summaries[key] = summary
                for link in self._links:
                    link.send(summary)

    def _close_spare_tables(self) -> None:
        for shard in self.shards.values():
            for table in shard.close_spare():
                table_id = table.ref.table
                self._wheel.set(table_id, None)
                del self._shard_of[table_id]
                audience = self._audiences.pop(table_id)
                notice = hall_pb2.Update(
                    notice=hall_pb2.Notice(code="TABLE_GONE", table=table.ref)
                ).SerializeToString()
                for link, players in audience.links().items():
                    self._deliver(link, players, notice, table=table_id)

    def _gauge(self) -> None:
        metrics = self._metrics
        counts: dict[tuple[str, str], int] = {}
        escrow = 0
        for shard in self.shards.values():
            counts.setdefault((shard.room.game, "playing"), 0)
            counts.setdefault((shard.room.game, "waiting"), 0)
            for table in shard:
                counts[shard.room.game, "playing" if table.playing else "waiting"] += 1
                escrow += sum(seat.stake for seat in table.seats if seat is not None)
        for (game, state), count in counts.items():
            metrics.tables.labels(game, state).set(count)
        metrics.escrow.set(escrow)
        metrics.outbox_depth.set(self._outbox.depth)
        metrics.outbox_age.set(self._outbox.oldest_age_s())
        metrics.outbox_refused.set(len(self._outbox.refused))
        metrics.journal_age.set(self._journal.unwritten_age_s())

    # ---- life ------------------------------------------------------------------------------

    def counts(self) -> data_pb2.HostCounts:
        """What the supervisor's heartbeat says of this host."""
        summaries = [shard.summary() for shard in self.shards.values()]
        return data_pb2.HostCounts(
            host=self.name,
            epoch=self.epoch,
            tables=sum(s.tables for s in summaries),
            players=sum(s.players for s in summaries),
            shards=summaries,
        )

    def playing(self) -> int:
        """Tables with a running hand."""
        return sum(t.playing for shard in self.shards.values() for t in shard)

    async def stand_all_up(self) -> None:
        """For the end of a drain: return every escrow. Hands still running are void."""
        for shard in self.shards.values():
            for table in shard:
                table.void("shutdown", now=self.now(), wall_us=ids.now_us())
                for seat in list(table.seats):
                    if seat is not None and seat.seated:
                        table.stand(
                            seat.player, abandon=False, now=self.now(), wall_us=ids.now_us()
                        )
                self._flush(shard, table)
        while self._tasks:
            await asyncio.wait(set(self._tasks))

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._spawned)

    def _spawned(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("task.fault", error=repr(task.exception()))


def _refusal(refused: Refused) -> host_pb2.HostAnswer:
    return host_pb2.HostAnswer(refusal=refused.message())


def _cause(kind: str, body: bytes) -> str:
    if kind == "chance":
        return "chance"
    for cause in (b"player", b"timeout", b"trustee", b"abandon"):
        if b'"cause":"' + cause in body:
            return cause.decode()
    return "player"


def _buy_in(room: RoomSpec, asked: int) -> int:
    """The stake to bring, checked against the room. Refused(BUY_IN_RANGE)."""
    if not room.plays_for_coins:
        return 0
    amount = asked or room.buy_in_default
    if not room.buy_in_min <= amount <= room.buy_in_max:
        raise Refused("BUY_IN_RANGE", minimum=room.buy_in_min, maximum=room.buy_in_max)
    return amount
