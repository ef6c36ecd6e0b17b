"""Where players are: what Presence and FindPlayer do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server.names import name_key
from data_server.registry import Registry
from data_server.store import players, presences, sittings
from data_server.store.database import Database
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class Whereabouts:
    database: Database
    registry: Registry
    clock: Callable[[], int]

    async def presence(self, request: data_pb2.PresenceRequest) -> data_pb2.Reply:
        ended = await self.database.write(
            lambda tx: presences.apply(tx, request, now_us=self.clock())
        )
        self.registry.followers.session_ended(ended)
        return data_pb2.Reply()

    async def find_player(self, request: data_pb2.FindPlayerRequest) -> data_pb2.FindPlayerReply:
        def look(tx: Connection) -> data_pb2.FindPlayerReply:
            known = (
                players.by_id(tx, request.player)
                if request.player
                else players.by_key(tx, name_key(request.name[:256]))
            )
            if known is None:
                raise Refused("NO_SUCH_PLAYER")
            server = presences.server_of(tx, known.id) or ""
            online = bool(server) and self.registry.server_alive(server)
            return data_pb2.FindPlayerReply(
                profile=known.profile(),
                online=online,
                server=server if online else "",
                seats=sittings.seats_of(tx, known.id),
            )

        return await self.database.read(look)
