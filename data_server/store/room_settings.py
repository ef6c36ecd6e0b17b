"""Rows of rooms' settings, and of what game servers say of rooms. Settings are only ever added."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, insert, select
from sqlalchemy.engine import Connection

from data_server.store.tables import RoomSetting, ServerGame, ServerRoom
from paiju.wire.v1 import packages_pb2 as pb


def newest(tx: Connection) -> list[pb.RoomSettings]:
    """The newest settings of each room that has any."""
    last = select(RoomSetting.room, func.max(RoomSetting.number).label("number"))
    query = select(RoomSetting.__table__).join(
        (found := last.group_by(RoomSetting.room).subquery()),
        (RoomSetting.room == found.c.room) & (RoomSetting.number == found.c.number),
    )
    return [pb.RoomSettings(**row._mapping) for row in tx.execute(query.order_by(RoomSetting.room))]


def history(tx: Connection, room: str) -> list[pb.RoomSettings]:
    """All of one room, newest first."""
    query = select(RoomSetting.__table__).where(RoomSetting.room == room)
    rows = tx.execute(query.order_by(RoomSetting.number.desc()))
    return [pb.RoomSettings(**row._mapping) for row in rows]


def add(tx: Connection, settings: pb.RoomSettings) -> None:
    values = {field.name: getattr(settings, field.name) for field in settings.DESCRIPTOR.fields}
    tx.execute(insert(RoomSetting).values(**values))


def states(tx: Connection, room: str, *, since_us: int = 0) -> list[pb.RoomState]:
    """What servers say of a room, or of all; since_us: only of those that have said something of
    their games since then."""
    query = select(ServerRoom.__table__).order_by(ServerRoom.room, ServerRoom.server)
    if room:
        query = query.where(ServerRoom.room == room)
    if since_us:
        alive = select(ServerGame.server).where(ServerGame.updated_us >= since_us)
        query = query.where(ServerRoom.server.in_(alive))
    return [pb.RoomState(**row._mapping) for row in tx.execute(query)]


def put_states(tx: Connection, server: str, rooms: Sequence[pb.RoomState], now_us: int) -> None:
    """In place of all that the server said of rooms before."""
    tx.execute(delete(ServerRoom).where(ServerRoom.server == server))
    names = [field.name for field in pb.RoomState.DESCRIPTOR.fields]
    rows = [
        {name: getattr(room, name) for name in names} | {"server": server, "updated_us": now_us}
        for room in rooms
    ]
    if rows:
        tx.execute(insert(ServerRoom), rows)
