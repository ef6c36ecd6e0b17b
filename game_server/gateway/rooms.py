"""The rooms of the hall, and which shard of a room a quick join goes to.

A quick join goes to the fullest shard that still has room. When no shard is below the mark
the next one is opened: by one request for all who need it, and without waiting while a seat
is left elsewhere. A repeat under the same op goes to the shard that was asked first, because
only that host knows whether it has seated the player.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass

from game_server.gateway.router import Router
from game_server.gateway.shards import ShardMap
from game_server.gateway.stream import Sent
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

MAP_AGE_S = 2.0
BEHIND_S = 0.7
_TRIES = 6
_NOT_YET = frozenset({"NO_SUCH_ROOM", "GAME_STOPPED"})
_OPS = 10_000

OpenShard = Callable[[data_pb2.OpenShardRequest], Awaitable[data_pb2.OpenShardReply]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSpec:
    """What the gateway needs of a room preset."""

    id: str
    game: str
    title: Mapping[str, str]  # by locale
    currency: common_pb2.Currency.ValueType
    buy_in_min: int
    buy_in_max: int
    buy_in_default: int
    parameters: str  # canonical JSON
    seats: int
    package: str = ""
    package_version: str = ""
    minimum_client: int = 0  # build of a client


class _Ask:
    """A waiter that is awaited."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[host_pb2.HostAnswer] = (
            asyncio.get_running_loop().create_future()
        )

    def host_answered(self, ref: int, answer: host_pb2.HostAnswer) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)

    def host_failed(self, ref: int, refused: Refused) -> None:
        if not self.answer.done():
            self.answer.set_result(host_pb2.HostAnswer(refusal=refused.message()))


class Rooms:
    def __init__(
        self,
        specs: Iterable[RoomSpec],
        *,
        shards: ShardMap,
        router: Router,
        open_shard: OpenShard,
        server: str,
    ) -> None:
        self._specs = {spec.id: spec for spec in specs}
        self._shards = shards
        self._router = router
        self._open_shard = open_shard
        self._server = server
        self._opening: dict[str, asyncio.Task[None]] = {}
        self._chosen: OrderedDict[tuple[int, bytes], int] = OrderedDict()

    def game_of(self, room: str) -> str:
        spec = self._specs.get(room)
        return "" if spec is None else spec.game

    def replace(self, specs: Iterable[RoomSpec]) -> None:
        """What is offered from now on. Tables of other rooms go on: they are found by shard."""
        self._specs = {spec.id: spec for spec in specs}

    def check_client(self, room: str, build: int) -> None:
        """Refused(CLIENT_TOO_OLD): this client may not sit down there."""
        spec = self._specs.get(room)
        if spec is not None and build < spec.minimum_client:
            raise Refused("CLIENT_TOO_OLD", build=spec.minimum_client)

    def changed(self) -> hall_pb2.Update:
        """All rooms, for those who are here."""
        rooms = [self._room(spec) for spec in self._specs.values()]
        return hall_pb2.Update(rooms=hall_pb2.RoomList(rooms=rooms))

    async def list(self, game: str) -> hall_pb2.RoomList:
        """The rooms of one game, or all, with counts not older than MAP_AGE_S if possible."""
        await self._router.fresh(MAP_AGE_S)
        return hall_pb2.RoomList(
            rooms=[self._room(s) for s in self._specs.values() if game in ("", s.game)]
        )

    def _room(self, spec: RoomSpec) -> hall_pb2.Room:
        players, tables = self._shards.counts(spec.id)
        return hall_pb2.Room(
            id=spec.id,
            game=spec.game,
            title=dict(spec.title),
            currency=spec.currency,
            buy_in_min=spec.buy_in_min,
            buy_in_max=spec.buy_in_max,
            buy_in_default=spec.buy_in_default,
            parameters=spec.parameters,
            players=players,
            tables=tables,
            seats=spec.seats,
            package=spec.package,
            package_version=spec.package_version,
            minimum_client=spec.minimum_client,
        )

    async def join(
        self, room: str, command: host_pb2.HostCommand, *, hosts: set[str]
    ) -> host_pb2.HostAnswer:
        """Seat the player at some table of the room. Raises Refused.

        hosts: gets the name of each host that is asked.
        """
        if room not in self._specs:
            raise Refused("NO_SUCH_ROOM", room=room)
        await self._router.fresh(MAP_AGE_S)
        before = self._chosen.get((command.player, command.op))
        tried: set[int] = set()
        for _ in range(_TRIES):
            if before is not None and before not in tried:
                number = before
            else:
                number = await self._choose(room, tried)
            tried.add(number)
            self._remember(command, number)
            self._shards.joined((room, number))
            answer = await self._ask(room, number, command, hosts)
            if answer.refusal.code in _NOT_YET:
                await asyncio.sleep(BEHIND_S)  # its host hears of a start a moment after us
                if room not in self._specs:
                    raise Refused("GAME_STOPPED")
                answer = await self._ask(room, number, command, hosts)
            if answer.refusal.code not in (*_NOT_YET, "ROOM_FULL", "NO_SUCH_TABLE"):
                return answer
            self._shards.full((room, number))
        raise Refused("ROOM_FULL")

    async def _choose(self, room: str, tried: set[int]) -> int:
        able = [s for s in self._shards.candidates(room) if s.number not in tried]
        if self._shards.wants_another(room):
            opening = self._open(room)
            if not able:
                await asyncio.shield(opening)
                able = [s for s in self._shards.candidates(room) if s.number not in tried]
        if not able:
            raise Refused("ROOM_FULL" if tried else "NO_HOST", retry_after_ms=1000)
        return able[0].number

    def _open(self, room: str) -> asyncio.Task[None]:
        """Open the room's next shard; one task at a time."""
        task = self._opening.get(room)
        if task is None:
            task = asyncio.create_task(self._open_next(room), name=f"open-shard-{room}")
            self._opening[room] = task
            task.add_done_callback(lambda done: self._opened(room, done))
        return task

    def _opened(self, room: str, task: asyncio.Task[None]) -> None:
        self._opening.pop(room, None)
        if not task.cancelled():
            task.exception()  # those who waited have it

    async def _open_next(self, room: str) -> None:
        reply = await self._open_shard(
            data_pb2.OpenShardRequest(
                room=room,
                number=self._shards.next_number(room),
                game=self._specs[room].game,
                prefer_server=self._server,
            )
        )
        self._shards.opened(reply)

    async def _ask(
        self, room: str, number: int, command: host_pb2.HostCommand, hosts: set[str]
    ) -> host_pb2.HostAnswer:
        command.shard = number
        waiter = _Ask()
        self._router.send(Sent(waiter, 0, room, number, command, hosts))
        return await waiter.answer

    def _remember(self, command: host_pb2.HostCommand, number: int) -> None:
        self._chosen[command.player, command.op] = number
        if len(self._chosen) > _OPS:
            self._chosen.popitem(last=False)

    async def close(self) -> None:
        tasks = list(self._opening.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
