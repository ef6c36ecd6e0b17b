"""Carries out what sessions ask for, and brings each the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import structlog
from google.protobuf.message import Message

from game_server.data_client import DataClient
from game_server.gateway import effects as fx
from game_server.gateway.connection import Connection
from game_server.gateway.games import HallGames
from game_server.gateway.openings import Openings, Places
from game_server.gateway.rooms import Rooms
from game_server.gateway.router import Router
from game_server.gateway.session_cache import SessionCache
from game_server.gateway.stream import Sent
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2

Spawn = Callable[[Coroutine[Any, Any, None], str], None]
_MOVES_COINS = frozenset({"sit", "stand", "top_up"})
_log = structlog.get_logger()


class Carrier:
    """spawn: runs work that somebody has to wait for."""

    def __init__(
        self,
        *,
        data: DataClient,
        openings: Openings,
        rooms: Rooms,
        router: Router,
        cache: SessionCache,
        places: Places,
        games: HallGames,
        spawn: Spawn,
    ) -> None:
        self._data = data
        self._openings = openings
        self._rooms = rooms
        self._router = router
        self._cache = cache
        self._places = places
        self._games = games
        self._spawn = spawn

    def carry_out(self, connection: Connection, effect: fx.Effect) -> None:
        """A command to a host is on its way when this returns; all else takes a task."""
        match effect:
            case fx.ToHost(ref, room, shard, command):
                if command.WhichOneof("body") in _MOVES_COINS:
                    self._cache.forget(command.player)
                self._router.send(Sent(connection, ref, room, shard, command, connection.hosts))
            case fx.Join(ref):
                self._cache.forget(effect.command.player)
                self._do(connection, ref, self._join(connection, effect), "join")
            case fx.AskData(ref, rpc):
                self._do(connection, ref, self._ask_data(connection, effect), rpc)
            case fx.CheckTicket(ref):
                self._do(connection, ref, self._openings.resume(connection, effect), "resume")
            case fx.AskPackage(ref):
                self._do(connection, ref, self._look_into(connection, effect), "package")
            case fx.AskRooms(ref):
                self._do(connection, ref, self._list_rooms(connection, effect), "rooms")

    def _do(self, connection: Connection, ref: int, work: Awaitable[None], name: str) -> None:
        self._spawn(self._answering(connection, ref, work), name)

    async def _answering(self, connection: Connection, ref: int, work: Awaitable[None]) -> None:
        """Whatever becomes of the work, the command gets its answer."""
        try:
            await work
        except Refused as refused:
            connection.host_failed(ref, refused)
        except Exception:
            _log.exception("command.fault")
            connection.host_failed(ref, Refused("INTERNAL"))

    async def _join(self, connection: Connection, effect: fx.Join) -> None:
        answer = await self._rooms.join(effect.room, effect.command, hosts=connection.hosts)
        connection.host_answered(effect.ref, answer)

    async def _list_rooms(self, connection: Connection, effect: fx.AskRooms) -> None:
        rooms = await self._rooms.list(effect.game)
        connection.run(connection.session.answered(effect.ref, rooms, time.monotonic()))

    async def _look_into(self, connection: Connection, effect: fx.AskPackage) -> None:
        asked = effect.request
        result: Message
        if isinstance(asked, hall_pb2.GetPackage):
            result = await asyncio.to_thread(self._games.describe, asked.package, asked.version)
        else:
            result = await asyncio.to_thread(self._games.part, asked)
        connection.run(connection.session.answered(effect.ref, result, time.monotonic()))

    async def _ask_data(self, connection: Connection, effect: fx.AskData) -> None:
        self._places.admit(effect.rpc, connection.session.origin.address)
        reply = await self._data.call(effect.rpc, effect.request)
        if effect.opens:
            self._openings.open(connection, effect.ref, reply.session)
            return
        result: Message = hall_pb2.Done()
        player = connection.session.player
        if effect.rpc == "GetWallet":
            result = reply.wallet
            if player is not None:
                self._cache.remember(player.session(reply.wallet), time.monotonic())
        elif effect.rpc == "ListHands":
            result = reply.hands
        elif effect.rpc == "GetHand":
            result = reply.hand
        connection.run(connection.session.answered(effect.ref, result, time.monotonic()))
