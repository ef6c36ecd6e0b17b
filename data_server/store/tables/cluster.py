"""The registry: game servers, table hosts, room shards, presence."""

from __future__ import annotations

from sqlalchemy import String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data_server.store.tables.base import Base, Big, Id, Serial, Us


class GameServer(Base):
    __tablename__ = "game_server"

    server: Mapped[str] = mapped_column(String(200), primary_key=True)
    cell: Mapped[str] = mapped_column(String(100))
    address: Mapped[str] = mapped_column(String(200))
    build: Mapped[str] = mapped_column(String(100))
    games: Mapped[str] = mapped_column(Text)  # JSON list
    max_players: Mapped[int]
    players: Mapped[int] = mapped_column(server_default="0")
    lease_epoch: Mapped[Big]
    beat: Mapped[Big]  # changes with every heartbeat: others see that it lives
    draining: Mapped[bool]
    last_seen_us: Mapped[Us]  # for people; leases run on monotonic clocks
    roll: Mapped[Big] = mapped_column(server_default="0")  # rolls that operators have asked for
    rolled: Mapped[Big] = mapped_column(server_default="0")  # of these, the last that is done
    rolling: Mapped[str] = mapped_column(String(200), server_default="")  # what it is at


class Host(Base):
    __tablename__ = "host"

    host: Mapped[str] = mapped_column(String(200), primary_key=True)
    epoch: Mapped[Big]
    server: Mapped[str] = mapped_column(String(200), index=True)
    cell: Mapped[str] = mapped_column(String(100))
    unix_path: Mapped[str] = mapped_column(String(200))
    tcp_address: Mapped[str] = mapped_column(String(200))
    machine: Mapped[str] = mapped_column(String(200))
    games: Mapped[str] = mapped_column(Text)  # JSON list
    max_tables: Mapped[int]
    tables: Mapped[int] = mapped_column(server_default="0")
    players: Mapped[int] = mapped_column(server_default="0")
    beat: Mapped[Big]
    home: Mapped[str] = mapped_column(String(200), server_default="")  # whose host it is
    keeper: Mapped[str] = mapped_column(String(200), server_default="")  # who runs it meanwhile
    journal: Mapped[str] = mapped_column(String(64), server_default="")  # empty: not shared


class RoomShard(Base):
    __tablename__ = "room_shard"

    room: Mapped[str] = mapped_column(String(100), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    game: Mapped[str] = mapped_column(String(100))
    host: Mapped[str] = mapped_column(String(200), index=True)
    epoch: Mapped[Big]
    tables: Mapped[int] = mapped_column(server_default="0")
    players: Mapped[int] = mapped_column(server_default="0")
    free_seats: Mapped[int] = mapped_column(server_default="0")


class Presence(Base):
    __tablename__ = "presence"

    player_id: Mapped[Id]
    session_epoch: Mapped[Big]
    server: Mapped[str] = mapped_column(String(200), index=True)
    gateway: Mapped[str] = mapped_column(String(200))
    since_us: Mapped[Us]


class SessionEvent(Base):
    """Tells the data server that a game server follows which sessions have ended."""

    __tablename__ = "session_event"

    id: Mapped[Serial]
    server: Mapped[str] = mapped_column(String(200))
    player_id: Mapped[Big]
    below_epoch: Mapped[Big]
    reason: Mapped[str] = mapped_column(String(16))
    created_us: Mapped[Us] = mapped_column(index=True)
