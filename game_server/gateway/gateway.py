"""The gateway's shell: connections of players on one side, hosts and data server on the other.

Owner of everything here: one event loop. State: connections, who is live (`Players`), the map
of shards, streams. All of it may be lost: clients resume elsewhere, hosts hear of the cut.
An end of a connection only ever removes that connection, never the one that replaced it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable
from typing import Any

import structlog

from game_server.data_client import DataClient
from game_server.gateway.carrier import Carrier
from game_server.gateway.connection import Connection
from game_server.gateway.context import Context
from game_server.gateway.effects import Effect
from game_server.gateway.elsewhere import TIGHT, Elsewhere
from game_server.gateway.follower import Follower
from game_server.gateway.games import HallGames
from game_server.gateway.links import Links
from game_server.gateway.metrics import Metrics
from game_server.gateway.openings import Openings, Places
from game_server.gateway.origins import Crowd, Origins, Tokens, place
from game_server.gateway.player import Player
from game_server.gateway.players import Players
from game_server.gateway.presence import Presence
from game_server.gateway.requests import host_command
from game_server.gateway.rooms import Rooms, RoomSpec
from game_server.gateway.router import Router
from game_server.gateway.session import Session
from game_server.gateway.session_cache import SessionCache
from game_server.gateway.shards import ShardKey, ShardMap
from game_server.gateway.signals import Signals
from game_server.gateway.stream import LinkConfig, Sent
from game_server.gateway.tickets import Tickets
from game_server.packages.library import Library
from paiju.rules.registry import Registry
from paiju.service.ids import now_us
from paiju.service.refusals import Refused
from paiju.wire.sealed import Channel
from paiju.wire.v1 import data_pb2, host_pb2

SWEEP_S = 0.2
REGISTRY_DEADLINE_S = 1.5
FLUSH_S = 1.0
TOLD_AT_ONCE, TOLD_PAUSE_S = 50, 0.02
"""Who learns of a change of rooms, so that 2,000 of them take no turn of the loop for long."""
_random = secrets.SystemRandom()
_log = structlog.get_logger()


class Gateway:
    """channel: makes our end of a new connection's sealed channel. quota: connections. rooms: what
    is offered until `games` says something else."""

    def __init__(
        self,
        *,
        context: Context,
        data: DataClient,
        link: LinkConfig,
        rooms: Iterable[RoomSpec] = (),
        games: HallGames | None = None,
        metrics: Metrics,
        quota: int,
        channel: Callable[[], Channel],
        origins: Origins | None = None,
    ) -> None:
        self.context = context
        self.metrics = metrics
        self._data = data
        self._quota = quota
        self._channel = channel
        self._origins = origins or Origins()
        limits = context.limits
        self._places: Tokens[str] = Tokens(burst=limits.place_burst, per_s=limits.place_per_s)
        self._crowd = Crowd(quota=quota, share=limits.place_share)
        self._ending = False
        self._connections: dict[Connection, None] = {}  # in the order in which they came
        self._tasks: set[asyncio.Task[None]] = set()
        self._players: Players[Connection] = Players()
        self._shards = ShardMap()
        self._router = Router(ask=self._get_shards, shards=self._shards, on_lost=self._lost)
        self._links = Links(config=link, events=self, metrics=metrics)
        self._router.use(self._links)
        self._games = games or HallGames(Library(Registry([])))
        self._rooms = Rooms(
            rooms or self._games.specs(),
            shards=self._shards,
            router=self._router,
            open_shard=lambda request: data.call("OpenShard", request),
            server=context.server,
        )
        self._presence = Presence(
            lambda request: data.call("Presence", request),
            server=context.server,
            gateway=context.gateway,
        )
        self.cache = SessionCache(now=time.monotonic())
        self._signals = Signals(
            lambda request: data.call("Signal", request),
            spawn=self._spawn,
            server=context.server,
            gateway=context.gateway,
        )
        self._elsewhere = Elsewhere(
            lambda request: data.call("Elsewhere", request),
            spawn=self._spawn,
            server=context.server,
        )
        self._openings = Openings(
            data=data,
            tickets=Tickets(
                lambda: data.call("TicketKeys", data_pb2.TicketKeysRequest()), wall_us=now_us
            ),
            players=self._players,
            presence=self._presence,
            on_opened=lambda: metrics.sessions.set(len(self._players)),
            on_replaced=self._gone,
            accounts=Tokens(burst=limits.account_burst, per_s=limits.account_per_s),
            cache=self.cache,
        )
        self._carrier = Carrier(
            data=data,
            openings=self._openings,
            rooms=self._rooms,
            router=self._router,
            cache=self.cache,
            places=Places(limits),
            games=self._games,
            spawn=self._spawn,
        )
        self._follower = Follower(
            data=data,
            server=context.server,
            players=self._players,
            presence=self._presence,
            on_drain=self._wish,
            on_news=self._news,
        )
        context.game_of = self._rooms.game_of
        context.check_client = self._rooms.check_client
        context.observe = metrics.command
        context.on_overflow = metrics.overflow

    # ---- life --------------------------------------------------------------------------

    def start(self) -> None:
        """Inside the running loop: the work that goes on by itself."""
        self._spawn(self._presence.run(), "presence")
        self._spawn(self._follower.run(), "follow")
        self._spawn(self._sweep(), "sweep")
        self._spawn(self._games.run(self._rooms_changed), "games")
        self._router.look_up()

    def drain(self) -> None:
        """For good: no new sessions and seats; who is here is told to go elsewhere."""
        self._ending = True
        self._set_draining(True)

    def _set_draining(self, on: bool) -> None:
        if on and not self.context.draining:
            now = time.monotonic()
            for connection in self._players:
                connection.run(connection.session.tell("DRAINING", now))
        self.context.draining = on

    async def close(self) -> None:
        """Close every connection and stream."""
        self.drain()
        now = time.monotonic()
        for connection in list(self._connections):
            connection.run(connection.session.end("DRAINING", now))
        until = now + 2.0
        while self._connections and time.monotonic() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.02)
        for connection in list(self._connections):
            connection.lost("closing")
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                await self._presence.flush()
        await self._rooms.close()
        await self._router.close()
        await self._links.close()
        await self._data.close()

    @property
    def connections(self) -> int:
        return len(self._connections)

    @property
    def sessions(self) -> int:
        return len(self._players)

    @property
    def tasks(self) -> int:
        """Calls and loops that run right now."""
        return len(self._tasks)

    # ---- for the edges -----------------------------------------------------------------

    def connect(self, peer: str, forwarded: str = "", *, edge: str = "") -> Connection | None:
        """A new connection of a player; None when not even a refusal can be afforded.

        peer: the other end's address. forwarded: what it says in `x-forwarded-for`. edge: "ws"
        or "wss" for a browser.
        """
        now = time.monotonic()
        address = self._origins.address(peer, forwarded)
        if not self._places.take(place(address), now):
            self.metrics.closed("too_many_handshakes")
            return None
        if not self._crowd.has_room(address):
            self.metrics.closed("place_full")
            return None
        gate: Refused | None = None
        if len(self._connections) + 1 >= TIGHT * self._quota:
            self._elsewhere.prepare(now)
        if self.context.draining:
            gate = self._elsewhere.refused("DRAINING", now, retry_after_ms=1000, edge=edge)
        if len(self._connections) >= self._quota:
            if len(self._connections) >= self._quota + max(50, self._quota // 10):
                self.metrics.closed("overcrowded")
                return None
            gate = self._elsewhere.refused("SERVER_FULL", now, retry_after_ms=5000, edge=edge)
        origin = data_pb2.Origin(
            server=self.context.server, gateway=self.context.gateway, address=address
        )
        session = Session(context=self.context, origin=origin, now=now, gate=gate)
        connection = Connection(
            session=session,
            channel=self._channel(),
            shell=self,
            limits=self.context.limits,
            now=now,
        )
        self._connections[connection] = None
        self._crowd.came(address)
        self.metrics.connections.set(len(self._connections))
        return connection

    def sent(self, size: int, updates: int) -> None:
        self.metrics.frames_out.inc()
        self.metrics.bytes_out.inc(size)
        self.metrics.updates.observe(updates)

    def ended(self, connection: Connection, reason: str) -> None:
        """A connection is over: its player is gone, unless a newer one is his."""
        self._connections.pop(connection, None)
        self._crowd.went(connection.session.origin.address)
        self.metrics.connections.set(len(self._connections))
        self.metrics.closed(reason)
        player = connection.session.player
        if player is None:
            return
        self._gone(connection, player)
        self._signals.ended(player, reason)
        if self._players.release(player.id, connection):
            self.metrics.sessions.set(len(self._players))
            self._presence.changed(player.id, player.epoch, online=False)

    def late(self, connection: Connection) -> None:
        """A host did something for a connection that is over: say again that it is."""
        if connection.session.player is not None:
            self._gone(connection, connection.session.player)

    def _gone(self, connection: Connection, player: Player) -> None:
        for host in sorted(connection.hosts):
            self._links.tell(host, host_command("gone", player, b"", host_pb2.Gone()))
        connection.hosts.clear()

    def carry_out(self, connection: Connection, effect: Effect) -> None:
        self._carrier.carry_out(connection, effect)

    # ---- what hosts say ----------------------------------------------------------------

    def link_answer(self, sent: Sent, answer: host_pb2.HostAnswer) -> None:
        if answer.HasField("moved"):
            self._router.moved(sent, answer.moved)
        else:
            sent.waiter.host_answered(sent.ref, answer)

    def link_event(self, host: str, event: host_pb2.HostEvent) -> None:
        match event.WhichOneof("body"):
            case "deliver":
                self._deliver(event.deliver)
            case "summary":
                self._shards.summary(host, event.summary)
            case "detach":
                connection = self._players.get(event.detach.player)
                if connection is not None:
                    connection.session.detached(event.detach.table)

    def _deliver(self, deliver: host_pb2.Deliver) -> None:
        update, now = deliver.update, time.monotonic()
        for player in deliver.players:
            connection = self._players.get(player)
            if connection is not None:
                connection.deliver(deliver, update, now)

    def link_cut(self, host: str, *, was_open: bool) -> None:
        self._router.doubt(host)
        if was_open:
            for connection in self._connections:
                connection.hosts.discard(host)
            self._lost(self._shards.of_host(host))

    def _lost(self, keys: Iterable[ShardKey]) -> None:
        """Nobody sends us these shards' updates any more: subscribe again, spread a little."""
        now = time.monotonic()
        for key in list(keys):
            for connection in list(self._players):
                ask_at = now + _random.uniform(0.05, 0.25)
                connection.run(connection.session.cut(*key, ask_at=ask_at, now=now))

    # ---- what goes on by itself --------------------------------------------------------

    async def _get_shards(self) -> data_pb2.GetShardsReply:
        reply: data_pb2.GetShardsReply = await self._data.call(
            "GetShards", data_pb2.GetShardsRequest(), deadline_s=REGISTRY_DEADLINE_S
        )
        return reply

    async def _sweep(self) -> None:
        turn = 0
        while True:
            await asyncio.sleep(SWEEP_S)
            now = time.monotonic()
            for connection in list(self._connections):
                connection.tick(now)
            turn += 1
            if turn % 5 == 0:
                self._links.sweep(self._hosts_in_use())

    def _hosts_in_use(self) -> set[str]:
        keys: set[ShardKey] = set()
        for connection in self._players:
            feed = connection.session.feed
            keys.update((known.room, known.shard) for known in feed.tables.values())
            keys.update(feed.grids)
        found = (self._shards.shard(key) for key in keys)
        return {shard.host for shard in found if shard is not None}

    def _rooms_changed(self, specs: list[RoomSpec]) -> None:
        self._rooms.replace(specs)
        self._spawn(self._tell_rooms(), "rooms")

    async def _tell_rooms(self) -> None:
        """To everybody who is here, some at a time."""
        update = self._rooms.changed().SerializeToString()
        for turn, connection in enumerate(list(self._players)):
            if turn % TOLD_AT_ONCE == TOLD_AT_ONCE - 1:
                await asyncio.sleep(TOLD_PAUSE_S)
            now = time.monotonic()
            connection.run(connection.session.spread(update, now))

    def _wish(self, drain: bool) -> None:
        """What the operator wants; a gateway that ends drains whatever he wants."""
        if not self._ending:
            self._set_draining(drain)

    def _news(self, player: int) -> None:
        connection = self._players.get(player)
        if connection is not None:
            self.cache.forget(player)  # a fine moves coins
            self._spawn(self._tell_penalties(player, connection), "penalties")

    async def _tell_penalties(self, player: int, connection: Connection) -> None:
        """Best effort: what is not told now comes with the next session or its renewal."""
        request = data_pb2.UnheardPenaltiesRequest(player=player)
        try:
            reply = await self._data.call("UnheardPenalties", request)
        except Refused as refused:
            _log.info("penalties.not_told", code=refused.code)
            return
        now = time.monotonic()
        for notice in reply.penalties:
            connection.run(connection.session.penalty(notice, now))

    def _spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        task = asyncio.create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("gateway.task_failed", task=task.get_name(), exc_info=error)
