"""A host with a journal, an outbox and a ledger of the test's own: commands in, events out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from game_server.tables.games import Games
from game_server.tables.host import TableHost
from game_server.tables.journal import Batch, Journal
from game_server.tables.journal_store import JournalStore
from game_server.tables.metrics import HostMetrics
from game_server.tables.money import Cashier
from game_server.tables.outbox import Outbox
from game_server.tables.recovery import Recovery
from game_server.tables.retention import Retention
from game_server.tables.room import RoomSpec
from paiju.rules.api import Game
from paiju.rules.registry import Registry
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2
from tests.fixed_games import FixedGames
from tests.unit.tables.harness import ROOM, SEALER, entropy

DEADLINE_S = 10


class Ledger:
    """Knows each sitting; answers a repeated operation with the first answer."""

    def __init__(self) -> None:
        self.open: dict[int, int] = {}  # sitting -> coins
        self.sits: list[data_pb2.SitDownRequest] = []
        self.settled: list[data_pb2.Settlement] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.refuse: str = ""
        self.refuse_hands: str = ""
        self.void_hands = False  # as an operator has decided about what was refused
        self.lost_answers = 0
        self.faults = 0
        self.stood_up: list[int] = []
        self._answers: dict[bytes, data_pb2.SitDownReply] = {}
        self._topped: dict[bytes, data_pb2.TopUpReply] = {}
        self._numbers = count(1)

    async def sit_down(self, request: data_pb2.SitDownRequest) -> data_pb2.SitDownReply:
        await self.gate.wait()
        self.sits.append(request)
        if self.faults:
            self.faults -= 1
            raise RuntimeError("nobody expected this")
        if self.refuse:
            raise Refused(self.refuse)
        reply = self._answers.get(request.op)
        if reply is not None and reply.sitting not in self.open:
            raise Refused("NO_SUCH_SITTING")
        if reply is None:
            sitting = next(self._numbers)
            self.open[sitting] = request.amount
            reply = data_pb2.SitDownReply(sitting=sitting, stake=request.amount)
            self._answers[request.op] = reply
        if self.lost_answers:
            self.lost_answers -= 1
            raise Refused("RETRY")
        return reply

    async def top_up(self, request: data_pb2.TopUpRequest) -> data_pb2.TopUpReply:
        await self.gate.wait()
        if request.op not in self._topped:
            self.open[request.sitting] += request.amount
            reply = data_pb2.TopUpReply(stake=self.open[request.sitting])
            self._topped[request.op] = reply
        return self._topped[request.op]

    async def stand_up(self, request: data_pb2.StandUpRequest) -> data_pb2.StandUpReply:
        await self.gate.wait()
        self.stood_up.append(request.sitting)
        if request.sitting not in self.open:
            return data_pb2.StandUpReply(refusal=Refused("NO_SUCH_SITTING").message())
        return data_pb2.StandUpReply(returned=self.open.pop(request.sitting))

    async def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        await self.gate.wait()
        if self.refuse_hands or self.void_hands:
            result = data_pb2.SettleResult(voided=self.void_hands)
            if self.refuse_hands:
                result.refusal.code = self.refuse_hands
            return data_pb2.SettleReply(results=[result for _ in request.settlements])
        for settlement in request.settlements:
            self.settled.append(settlement)
            for seat in settlement.seats:
                self.open[seat.sitting] += seat.delta
        return data_pb2.SettleReply(results=[data_pb2.SettleResult() for _ in request.settlements])


class FakeLink:
    """A gateway's stream: keeps what is sent to it."""

    def __init__(self, name: str) -> None:
        self.gateway = name
        self.closed = False
        self.events: list[host_pb2.HostEvent] = []
        self.news = asyncio.Event()

    def send(self, event: bytes) -> None:
        self.events.append(host_pb2.HostEvent.FromString(event))
        self.news.set()

    async def answer(self, number: int) -> host_pb2.HostAnswer:
        async with asyncio.timeout(DEADLINE_S):
            while True:
                for event in self.events:
                    if event.answer.id == number and event.HasField("answer"):
                        return event.answer
                self.news.clear()
                await self.news.wait()

    def updates(self, player: int) -> list[hall_pb2.TableUpdate]:
        found = []
        for event in self.events:
            if player in event.deliver.players:
                update = hall_pb2.Update.FromString(event.deliver.update)
                if update.HasField("table"):
                    found.append(update.table)
        return found


class NoJournal:
    """Writes nothing and shows everything at once: what a host costs without its journal.

    For measurements alone.
    """

    def __init__(self, instead_of: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self.epoch = instead_of.epoch
        self.close = instead_of.close
        self._loop = loop

    def submit(self, batch: Batch) -> None:
        self._loop.call_soon(batch.release)

    def unwritten_age_s(self) -> float:
        return 0.0


class Rig:
    """One life of a host. url: of its journal; a later rig on it is the restarted host.

    Nothing of a rig survives `kill` but the journal and the ledger.
    """

    def __init__(
        self,
        url: str,
        *,
        ledger: Ledger | None = None,
        room: RoomSpec = ROOM,
        game: Game | None = None,
        seed: str = "host",
        first_table: int = 1000,
        retention: Retention | None = None,
        stall_s: float = 2.0,
        spacing_ms: float = 0.0,
        journaled: bool = True,
        max_tables: int = 250,
        games: Games | None = None,
    ) -> None:
        loop = asyncio.get_running_loop()

        def deliver(batches: Sequence[Batch], seconds: float, rows: int) -> None:
            for batch in batches:
                loop.call_soon_threadsafe(self._release, batch)

        self.killed = False
        self.stopped = False
        self.ledger = ledger or Ledger()
        self.store = JournalStore(url, "h")
        self.store.take_over()
        self.metrics = HostMetrics()
        self.failing: list[bool] = []
        self.journal = Journal(
            store=self.store,
            deliver=deliver,
            on_stopped=self._on_stopped,
            on_failing=self.failing.append,
            retention=retention,
            spacing_ms=spacing_ms,
        )
        if journaled:
            self.journal.start()
        else:
            self.journal = NoJournal(self.journal, loop)  # type: ignore[assignment]
        epoch = self.store.epoch
        self.outbox = Outbox(
            host="h",
            epoch=epoch,
            send=self.ledger.settle,
            note=lambda answered: self.host.out.answered(answered),
            on_refused=lambda table: self.host.stop_table(table),
            on_decided=lambda table, voided: self.host.decided(table, voided),
        )
        self.cashier = Cashier(ledger=self.ledger, host="h", epoch=epoch, patience_s=0.2)
        self.moved: host_pb2.Moved | None = None
        self.registry, numbers = Registry.default(), count(first_table)
        self.room = room
        self.game = game or self.registry.latest(room.game, dict(room.parameters))

        async def locate(room: str, number: int) -> host_pb2.Moved | None:
            return self.moved

        self.host = TableHost(
            name="h",
            epoch=epoch,
            journal=self.journal,
            outbox=self.outbox,
            cashier=self.cashier,
            games=games or self.games(),
            locate=locate,
            next_id=lambda: next(numbers),
            entropy=entropy(seed),
            sealer=SEALER,
            metrics=self.metrics,
            journal_stall_s=stall_s,
            max_tables=max_tables,
        )
        self.tasks = [
            asyncio.ensure_future(self.host.run()),
            asyncio.ensure_future(self.outbox.run()),
        ]
        self._ids = count(1)

    def games(self, game_of: Callable[[str, int, str], Game] | None = None) -> FixedGames:
        """One room. game_of: what a replay finds."""
        return FixedGames(
            {self.room.id: self.room},
            lambda room: (self.game, "1.0.0"),
            game_of or (lambda name, version, parameters: self.game),
        )

    def _release(self, batch: Batch) -> None:
        if not self.killed:
            batch.release()

    def _on_stopped(self) -> None:
        self.stopped = True

    async def recover(
        self,
        *,
        game_of: Callable[[str, int, str], Game] | None = None,
        owned: set[tuple[str, int]] | None = None,
        suspect: int = 0,
        hung: bool = False,
        games: Games | None = None,
    ) -> None:
        """What a restarted host does before it serves; voids included."""
        self.host.recovering = True
        recovery = Recovery(
            host=self.host,
            store=self.store,
            outbox=self.outbox,
            cashier=self.cashier,
            games=games or self.games(game_of),
            owned=owned,
            entropy=entropy("recovered"),
            sealer=SEALER,
            metrics=self.metrics,
            suspect=suspect,
            hung=hung,
        )
        voids = await recovery.run()
        self.host.recovering = False
        await asyncio.gather(*voids)

    async def kill(self) -> None:
        """From now on it shows nothing and asks nobody; what is written stays."""
        self.killed = True
        for task in [*self.tasks, *self.host._tasks]:
            task.cancel()
        if self.host._timer is not None:
            self.host._timer.cancel()
        await asyncio.to_thread(self.journal.close)

    def link(self, name: str) -> FakeLink:
        link = FakeLink(name)
        self.host.link_opened(link)  # type: ignore[arg-type]
        return link

    async def ask(
        self,
        link: Any,
        player: int,
        *,
        op: bytes = b"",
        connection: int = 1,
        session_epoch: int = 1,
        **body: Any,
    ) -> host_pb2.HostAnswer:
        number = next(self._ids)
        command = host_pb2.HostCommand(
            id=number,
            player=player,
            session_epoch=session_epoch,
            connection=connection,
            name=f"p{player}",
            op=op or new_op(),
            **body,
        )
        self.host.handle(link, command)
        answer: host_pb2.HostAnswer = await link.answer(number)
        return answer

    async def join(self, link: Any, player: int, **more: Any) -> host_pb2.HostAnswer:
        return await self.ask(link, player, quick_join=hall_pb2.QuickJoin(room=ROOM.id), **more)

    def table(self, ref: common_pb2.TableRef) -> Any:
        return self.host.desk.shards[ref.room, ref.shard].tables[ref.table]


async def until(condition: Any) -> None:
    async with asyncio.timeout(DEADLINE_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
