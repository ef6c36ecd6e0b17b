"""Rows of game servers and table hosts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, insert, select, update
from sqlalchemy.engine import Connection

from data_server.store.tables import GameServer, Host
from paiju.wire.v1 import data_pb2

Row = Any  # a row of one of the two tables
MOST_ADDRESS_CHARS = 200  # of its column


@dataclass(frozen=True, slots=True)
class Beats:
    """What leases are watched by: the newest sign of life of each."""

    servers: Mapping[str, int]
    hosts: Mapping[str, int]
    draining: frozenset[str]
    lease_epochs: Mapping[str, int]
    rolls: Mapping[str, int]
    """Server -> the last roll that an operator has asked for."""


def beats(tx: Connection) -> Beats:
    columns = GameServer.__table__.c
    wanted = (columns.server, columns.beat, columns.draining, columns.lease_epoch, columns.roll)
    servers = (tx.execute(select(*wanted))).all()
    hosts = (tx.execute(select(Host.host, Host.beat))).all()
    return Beats(
        {row.server: row.beat for row in servers},
        {row.host: row.beat for row in hosts},
        frozenset(row.server for row in servers if row.draining),
        {row.server: row.lease_epoch for row in servers},
        {row.server: row.roll for row in servers if row.roll},
    )


def joined(address: str, web: Iterable[str]) -> str:
    """As the column `address` has them: the programs' address, then, after spaces, those of
    browsers as far as there is room."""
    found = address
    for more in web:
        if len(found) + 1 + len(more) <= MOST_ADDRESS_CHARS and " " not in more:
            found += f" {more}"
    return found


def addresses_of(row: Any) -> tuple[str, list[str]]:
    """The programs' address of a game server, and those of browsers."""
    address, *web = str(row.address).split(" ")
    return address, web


def put_server(
    tx: Connection, request: data_pb2.RegisterServerRequest, *, now_us: int
) -> tuple[int, int]:
    """Write the server down under a new lease epoch; returns (lease epoch, beat)."""
    row = (
        tx.execute(
            select(GameServer.lease_epoch, GameServer.beat)
            .where(GameServer.server == request.server)
            .with_for_update()
        )
    ).one_or_none()
    values: dict[str, Any] = {
        "cell": request.cell,
        "address": joined(request.address, request.web_addresses),
        "build": request.build,
        "games": json.dumps(sorted(request.games)),
        "max_players": request.max_players,
        "players": 0,
        "last_seen_us": now_us,
    }
    if row is None:
        values |= {"lease_epoch": 1, "beat": 1, "draining": False}
        tx.execute(insert(GameServer).values(server=request.server, **values))
        return 1, 1
    values |= {"lease_epoch": row.lease_epoch + 1, "beat": row.beat + 1}
    tx.execute(update(GameServer).where(GameServer.server == request.server).values(**values))
    return row.lease_epoch + 1, row.beat + 1


def put_host(tx: Connection, request: data_pb2.RegisterHostRequest, epoch: int) -> int:
    """Write the host down under its new epoch; returns its beat."""
    home = request.home or request.server
    values: dict[str, Any] = {
        "home": home,
        "journal": request.journal,
        "epoch": epoch,
        "server": request.server,
        "cell": request.cell,
        "unix_path": request.unix_path,
        "tcp_address": request.tcp_address,
        "machine": request.machine,
        "games": json.dumps(sorted(request.games)),
        "max_tables": request.max_tables,
        "tables": 0,
        "players": 0,
    }
    if home == request.server:
        values["keeper"] = ""
    name = request.host.host
    beat = tx.scalar(
        update(Host)
        .where(Host.host == name)
        .values(beat=Host.beat + 1, **values)
        .returning(Host.beat)
    )
    if beat is None:
        beat = 1
        tx.execute(insert(Host).values(host=name, beat=beat, **values))
    return beat


def lease_epoch(tx: Connection, server: str, *, hold: bool = False) -> int | None:
    """hold: nobody raises it until the transaction ends."""
    query = select(GameServer.lease_epoch).where(GameServer.server == server)
    return tx.scalar(query.with_for_update(read=True) if hold else query)


def write_beats(
    tx: Connection,
    servers: Sequence[Mapping[str, Any]],
    hosts: Sequence[Mapping[str, Any]],
) -> None:
    """Heartbeats of the last moment, in one transaction; keys with a leading `_` find rows."""
    if servers:
        tx.execute(
            update(GameServer)
            .where(
                GameServer.server == bindparam("_server"),
                GameServer.lease_epoch == bindparam("_lease_epoch"),
            )
            .values(
                beat=GameServer.beat + 1,
                players=bindparam("_players"),
                rolled=bindparam("_rolled"),
                rolling=bindparam("_rolling"),
                last_seen_us=bindparam("_now_us"),
            ),
            servers,
        )
    if hosts:
        tx.execute(
            update(Host)
            .where(Host.host == bindparam("_host"), Host.epoch == bindparam("_epoch"))
            .values(beat=Host.beat + 1, tables=bindparam("_tables"), players=bindparam("_players")),
            hosts,
        )


def all_servers(tx: Connection) -> Sequence[Any]:
    return (tx.execute(select(GameServer.__table__).order_by(GameServer.server))).all()


def all_hosts(tx: Connection, *, name: str = "") -> Sequence[Any]:
    """name: only that one."""
    query = select(Host.__table__).order_by(Host.host)
    return tx.execute(query.where(Host.host == name) if name else query).all()


def next_roll(tx: Connection, server: str) -> int | None:
    """The number of a new roll; None when there is no such server."""
    roll: int | None = tx.scalar(
        update(GameServer)
        .where(GameServer.server == server)
        .values(roll=GameServer.roll + 1)
        .returning(GameServer.roll)
    )
    return roll


def set_draining(tx: Connection, server: str, on: bool) -> bool | None:
    """What it was before; None when there is no such server."""
    before = tx.scalar(
        select(GameServer.draining).where(GameServer.server == server).with_for_update()
    )
    if before is not None:
        tx.execute(update(GameServer).where(GameServer.server == server).values(draining=on))
    return before
