"""The hall for programs: an asyncio client that stays connected.

    async with HallClient("127.0.0.1:7401", server_keys=keys, locale="en") as client:
        await client.guest(secret)
        table = await client.quick_join("doudizhu.novice")
        await table.ready()
        await table.wait(lambda view: table.my_turn)
        await table.act("call 1")

A call returns its answer or raises (errors.py). While the connection is lost, calls wait
and are sent again under the same operation id; so each takes effect once. Owner: one event
loop. Every docstring of a command says with OP that it carries an operation id.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from types import TracebackType
from typing import Any, Self

from hall_client.backoff import Backoff
from hall_client.channels import ChannelPool
from hall_client.commands import Commands
from hall_client.connection import Connector
from hall_client.core import Core
from hall_client.errors import ClientClosed, ConnectionFailed, HallError, SessionEnded
from hall_client.events import Disconnected, Event, TableChanged, TableClosed
from hall_client.happenings import Answered, Failed, Happening
from hall_client.links import Pins
from hall_client.mirror import Counters
from hall_client.renewal import renew_in_time
from hall_client.state import Phase
from hall_client.table import TableHandle
from hall_client.tls import Tls
from paiju.wire.v1 import common_pb2, hall_pb2

EVENT_QUEUE = 2_000
"""Events kept for a slow reader of `events()`; the oldest go first."""
_SNAPSHOT_S = 5.0
"""A new seat's snapshot comes by itself; after this the table is asked for it."""


class HallClient(Commands):
    """See the module's head.

    addresses: gateways, tried in turn (links.py has the forms). server_keys: the hall's public
    keys, one or two; whoever does not hold one of them is not spoken to. tls: how certificates
    of addresses by TLS are checked. pool: channels shared with other clients of this process,
    with a `tls` of its own; by default the client has its own. observer: called for
    each event at once; it must not wait. timeout_s: how long a call waits for its answer,
    reconnects included.
    """

    def __init__(
        self,
        addresses: str | Sequence[str],
        *,
        server_keys: Sequence[bytes],
        locale: str = "en",
        kind: str = "python",
        tls: Tls | None = None,
        pool: ChannelPool | None = None,
        backoff: Backoff | None = None,
        connect_timeout_s: float = 10.0,
        timeout_s: float = 60.0,
        first_address: int = 0,
        observer: Callable[[Event], None] | None = None,
    ) -> None:
        self._core = Core(locale=locale, client=kind)
        self._own_pool = pool is None
        self._pool = pool or ChannelPool(tls=tls)
        self._connect_timeout_s = connect_timeout_s
        self._timeout_s = timeout_s
        self._observer = observer
        self._calls: dict[int, asyncio.Future[hall_pb2.Answer]] = {}
        self._handles: dict[int, TableHandle] = {}
        self._queues: set[asyncio.Queue[Event | None]] = set()
        self._greeted = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        given = [addresses] if isinstance(addresses, str) else list(addresses)
        if not given:
            raise ValueError("at least one gateway address is needed")
        self._connector = Connector(
            core=self._core,
            addresses=given,
            pool=self._pool,
            pins=Pins(server_keys),
            report=self._report,
            backoff=backoff or Backoff(),
            first=first_address,
        )

    # ---- life ------------------------------------------------------------------------------

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def connect(self) -> None:
        """Greet a gateway. Raises ConnectionFailed when none answers in time."""
        self._tasks = [
            asyncio.create_task(self._stay_connected()),
            asyncio.create_task(renew_in_time(self)),
        ]
        try:
            async with asyncio.timeout(self._connect_timeout_s):
                await self._greeted.wait()
        except TimeoutError:
            reason = self._connector.last_reason
            await self.close()
            raise ConnectionFailed("no gateway could be reached", reason=reason) from None
        if self._core.ending is not None:
            await self.close()
            raise self._core.ending

    async def _stay_connected(self) -> None:
        try:
            await self._connector.run()
        except Exception as error:  # a fault of ours or of an observer: nobody may wait for ever
            ending = SessionEnded("FAULT", repr(error))
            self._core.end(ending)
            self._fail_all(ending)
            raise

    async def close(self) -> None:
        """Cut the connection and fail what is still waiting. The session stays resumable."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        self._core.end(SessionEnded("CLOSED"))
        self._fail_all(ClientClosed("the client was closed"))
        if self._own_pool:
            await self._pool.close()

    def drop(self, *, away_s: float = 0.0) -> None:
        """Cut the connection on purpose; after `away_s` the next address is tried."""
        self._connector.drop("dropped on purpose", away_s=away_s)

    @property
    def connected(self) -> bool:
        """Whether the session is open right now."""
        return self._core.phase is Phase.OPEN

    @property
    def gateway(self) -> str:
        """The address in use."""
        return self._connector.address

    @property
    def turned_away(self) -> str:
        """Why the last connection ended: a refusal's code (SERVER_FULL), or words; "" at first."""
        return self._connector.last_reason

    @property
    def resumes(self) -> int:
        """How often the session was taken up again."""
        return self._core.resumes

    @property
    def profile(self) -> common_pb2.Profile:
        return self._core.credentials.profile

    @property
    def last_wallet(self) -> hall_pb2.Wallet:
        """As the hall said it last; empty before that, and when it was tampered with."""
        wallet = self._core.wallet
        if self._core.tampered:
            self._connector.wake()
        return wallet

    @property
    def core(self) -> Core:
        return self._core

    def counters(self) -> Counters:
        """Updates applied, views checked, mismatches ... over all tables."""
        return self._core.tables.counters()

    # ---- tables ----------------------------------------------------------------------------

    async def quick_join(self, room: str, *, buy_in: int = 0) -> TableHandle:
        """OP. A seat at the fullest table that has one; returns when the view is there."""
        body = hall_pb2.QuickJoin(room=room, buy_in=buy_in)
        return await self._taken((await self.call(hall_pb2.Command(quick_join=body))).seated)

    async def sit(
        self, table: common_pb2.TableRef, seat: int, *, buy_in: int = 0, key: str = ""
    ) -> TableHandle:
        """OP. That very seat. key: of a locked table."""
        body = hall_pb2.Sit(table=table, seat=seat, buy_in=buy_in, key=key)
        return await self._taken((await self.call(hall_pb2.Command(sit=body))).seated)

    async def watch(self, table: common_pb2.TableRef, *, key: str = "") -> TableHandle:
        """Idempotent. Follow a table without a seat (or one's own seat again)."""
        await self.call(hall_pb2.Command(watch=hall_pb2.Watch(table=table, key=key)))
        handle = self.table(table.table)
        await handle.wait(lambda _: True, timeout_s=self._timeout_s)
        return handle

    def table(self, table: int) -> TableHandle:
        """The handle of a followed table; KeyError when it is not followed."""
        mirror = self._core.tables.get(table)
        if mirror is None:
            raise KeyError(table)
        handle = self._handles.get(table)
        if handle is None or handle.mirror is not mirror:
            handle = self._handles[table] = TableHandle(client=self, mirror=mirror)
        return handle

    def tables(self) -> list[TableHandle]:
        """All followed tables, also those that came with the session."""
        return [self.table(mirror.ref.table) for mirror in self._core.tables]

    async def _taken(self, seated: hall_pb2.Seated) -> TableHandle:
        handle = self.table(seated.table.table)
        try:
            await handle.wait(lambda _: True, timeout_s=_SNAPSHOT_S)
        except TimeoutError:
            return await self.watch(seated.table)
        return handle

    # ---- events and calls ------------------------------------------------------------------

    async def events(self) -> AsyncIterator[Event]:
        """What happens from now on, until the session ends or the client is closed."""
        queue: asyncio.Queue[Event | None] = asyncio.Queue(EVENT_QUEUE)
        self._queues.add(queue)
        try:
            while (event := await queue.get()) is not None:
                yield event
        finally:
            self._queues.discard(queue)

    async def call(
        self, command: hall_pb2.Command, *, timeout_s: float | None = None
    ) -> hall_pb2.Answer:
        """Send any command; its answer. Raises Refused, OutcomeUnknown, SessionEnded ..."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        patience = self._timeout_s if timeout_s is None else timeout_s
        pending = self._core.submit(command, now=now, deadline=now + patience)
        future: asyncio.Future[hall_pb2.Answer] = loop.create_future()
        self._calls[pending.id] = future
        self._connector.wake()
        try:
            return await future
        finally:
            self._calls.pop(pending.id, None)

    def _report(self, happenings: Sequence[Happening]) -> None:
        now = asyncio.get_running_loop().time()
        if self._core.phase in (Phase.GREETED, Phase.OPEN, Phase.ENDED):
            self._greeted.set()
        for happening in happenings:
            if isinstance(happening, Answered):
                self._settle(happening.id, happening.answer)
            elif isinstance(happening, Failed):
                self._settle(happening.id, happening.error)
            elif isinstance(happening, Event):
                self._event(happening, now)

    def _settle(self, id: int, result: hall_pb2.Answer | HallError) -> None:
        future = self._calls.pop(id, None)
        if future is None or future.done():
            return
        if isinstance(result, HallError):
            future.set_exception(result)
        else:
            future.set_result(result)

    def _event(self, event: Event, now: float) -> None:
        handle: Any = self._handles.get(getattr(event, "table", 0))
        if isinstance(event, TableClosed):
            if self._handles.pop(event.table, None) is not None:
                handle.closed(event.reason)
        elif handle is not None:
            handle.changed(now, numbered=isinstance(event, TableChanged))
        if isinstance(event, Disconnected) and event.final:
            self._end_tables(self._core.ending or ClientClosed(event.reason))
        if self._observer is not None:
            self._observer(event)
        for queue in self._queues:
            _push(queue, event)

    def _fail_all(self, ending: HallError) -> None:
        """Whatever the core still had to say, nobody waits any longer."""
        self._core.take()
        self._greeted.set()
        for future in self._calls.values():
            if not future.done():
                future.set_exception(ending)
                future.exception()  # nobody may be waiting: that is no error
        self._calls.clear()
        self._end_tables(ending)

    def _end_tables(self, ending: HallError) -> None:
        for handle in self._handles.values():
            handle.closed(ending)
        for queue in self._queues:
            _push(queue, None)


def _push(queue: asyncio.Queue[Event | None], event: Event | None) -> None:
    if queue.full():
        queue.get_nowait()
    queue.put_nowait(event)
