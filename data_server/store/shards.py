"""Rows of room shards: which host owns which shard of which room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import RoomShard
from paiju.wire.v1 import data_pb2


def message(row: Any) -> data_pb2.Shard:
    return data_pb2.Shard(
        room=row.room,
        number=row.number,
        host=row.host,
        epoch=row.epoch,
        players=row.players,
        tables=row.tables,
        free_seats=row.free_seats,
    )


def of_room(tx: Connection, room: str) -> Sequence[Any]:
    """The shards of a room, or all of them for an empty name."""
    query = select(RoomShard.__table__).order_by(RoomShard.room, RoomShard.number)
    if room:
        query = query.where(RoomShard.room == room)
    return (tx.execute(query)).all()


def of_host(tx: Connection, host: str) -> Sequence[Any]:
    query = select(RoomShard.__table__).where(RoomShard.host == host)
    return (tx.execute(query.order_by(RoomShard.room, RoomShard.number))).all()


def one(tx: Connection, room: str, number: int) -> Any | None:
    """The row, locked."""
    return (
        tx.execute(
            select(RoomShard.__table__)
            .where(RoomShard.room == room, RoomShard.number == number)
            .with_for_update()
        )
    ).one_or_none()


def count_by_host(tx: Connection) -> dict[str, int]:
    rows = tx.execute(select(RoomShard.host, func.count().label("shards")).group_by(RoomShard.host))
    return {row.host: row.shards for row in rows}


def create(tx: Connection, *, room: str, number: int, game: str, host: str, epoch: int) -> None:
    tx.execute(
        insert(RoomShard).values(
            room=room,
            number=number,
            game=game,
            host=host,
            epoch=epoch,
            tables=0,
            players=0,
            free_seats=0,
        )
    )


def move(tx: Connection, *, room: str, number: int, host: str, epoch: int) -> None:
    """Give the shard to another host: it begins there without tables."""
    tx.execute(
        update(RoomShard)
        .where(RoomShard.room == room, RoomShard.number == number)
        .values(host=host, epoch=epoch, tables=0, players=0, free_seats=0)
    )


def keep(tx: Connection, host: str, epoch: int) -> None:
    """A host begins a new epoch and keeps its shards."""
    tx.execute(update(RoomShard).where(RoomShard.host == host).values(epoch=epoch))


def write_counts(tx: Connection, counts: Sequence[Mapping[str, Any]]) -> None:
    """Counts from heartbeats; only the owner's count."""
    if counts:
        tx.execute(
            update(RoomShard)
            .where(
                RoomShard.room == bindparam("_room"),
                RoomShard.number == bindparam("_number"),
                RoomShard.host == bindparam("_host"),
                RoomShard.epoch == bindparam("_epoch"),
            )
            .values(
                tables=bindparam("_tables"),
                players=bindparam("_players"),
                free_seats=bindparam("_free_seats"),
            ),
            counts,
        )
