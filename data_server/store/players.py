"""Accounts of players: making, finding, passwords, devices."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from data_server import ledger
from data_server.ledger import COIN, Held
from data_server.store import books
from data_server.store.tables import Credential, Device, Player
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2


@dataclass(frozen=True, slots=True)
class Known:
    """An account as the rest of the program sees it."""

    id: int
    name: str
    guest: bool

    def profile(self) -> common_pb2.Profile:
        return common_pb2.Profile(player=self.id, name=self.name, guest=self.guest)


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """ids: of the player, the wallet and the entry of the start grant."""

    ids: range
    name: str
    key: str
    guest: bool


async def create(
    tx: AsyncConnection, new: NewPlayer, *, mint: int, start_grant: int, now_us: int
) -> Known:
    """Account, wallet and start grant. Refused NAME_TAKEN."""
    player, account, entry = new.ids
    if await tx.scalar(select(Player.id).where(Player.name_key == new.key)) is not None:
        raise Refused("NAME_TAKEN")
    await tx.execute(
        insert(Player).values(
            id=player,
            kind="guest" if new.guest else "member",
            name=new.name,
            name_key=new.key,
            created_us=now_us,
            frozen_until_us=0,
        )
    )
    await books.create(tx, account, kind="wallet", owner=player)
    if start_grant:
        moves = ledger.grant(mint=mint, wallet=Held(account, 0), amount=start_grant)
        await books.post(tx, [books.NewEntry(entry, "grant", COIN, "start", moves)], now_us=now_us)
    return Known(player, new.name, new.guest)


async def by_id(tx: AsyncConnection, player: int) -> Known | None:
    return await _one(tx, Player.id == player)


async def by_key(tx: AsyncConnection, key: str) -> Known | None:
    return await _one(tx, Player.name_key == key)


async def by_device(tx: AsyncConnection, secret_hash: bytes, *, now_us: int) -> Known | None:
    """The account of a device, noted as seen."""
    player = await tx.scalar(
        update(Device)
        .where(Device.secret_hash == secret_hash)
        .values(last_us=now_us)
        .returning(Device.player_id)
    )
    return None if player is None else await by_id(tx, player)


async def _one(tx: AsyncConnection, condition: object) -> Known | None:
    row = (
        await tx.execute(
            select(Player.id, Player.name, Player.kind).where(condition)  # type: ignore[arg-type]
        )
    ).one_or_none()
    return None if row is None else Known(row.id, row.name, row.kind == "guest")


async def add_device(
    tx: AsyncConnection, player: int, secret_hash: bytes, *, locale: str, now_us: int
) -> None:
    await tx.execute(
        insert(Device).values(
            secret_hash=secret_hash,
            player_id=player,
            locale=locale[:16],
            created_us=now_us,
            last_us=now_us,
        )
    )


async def password_hash(tx: AsyncConnection, player: int) -> str | None:
    return await tx.scalar(select(Credential.password_hash).where(Credential.player_id == player))


async def set_password(tx: AsyncConnection, player: int, hashed: str, *, now_us: int) -> None:
    changed = await tx.execute(
        update(Credential)
        .where(Credential.player_id == player)
        .values(password_hash=hashed, changed_us=now_us)
    )
    if changed.rowcount == 0:
        await tx.execute(
            insert(Credential).values(player_id=player, password_hash=hashed, changed_us=now_us)
        )
