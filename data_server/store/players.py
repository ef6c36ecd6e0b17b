"""Accounts of players: making, finding, passwords, devices."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import insert, select, update
from sqlalchemy.engine import Connection

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


def create(tx: Connection, new: NewPlayer, *, mint: int, start_grant: int, now_us: int) -> Known:
    """Account, wallet and start grant. Refused NAME_TAKEN."""
    player, account, entry = new.ids
    if tx.scalar(select(Player.id).where(Player.name_key == new.key)) is not None:
        raise Refused("NAME_TAKEN")
    tx.execute(
        insert(Player).values(
            id=player,
            kind="guest" if new.guest else "member",
            name=new.name,
            name_key=new.key,
            created_us=now_us,
            frozen_until_us=0,
        )
    )
    books.create(tx, account, kind="wallet", owner=player)
    if start_grant:
        moves = ledger.grant(mint=mint, wallet=Held(account, 0), amount=start_grant)
        books.post(tx, [books.NewEntry(entry, "grant", COIN, "start", moves)], now_us=now_us)
    return Known(player, new.name, new.guest)


def by_id(tx: Connection, player: int) -> Known | None:
    return _one(tx, Player.id == player)


def by_key(tx: Connection, key: str) -> Known | None:
    return _one(tx, Player.name_key == key)


def credentials(tx: Connection, key: str) -> tuple[Known | None, str | None]:
    """Account and password hash by name, in one statement whether they exist or not."""
    row = tx.execute(
        select(Player.id, Player.name, Player.kind, Credential.password_hash)
        .outerjoin(Credential, Credential.player_id == Player.id)
        .where(Player.name_key == key)
    ).one_or_none()
    if row is None:
        return None, None
    return Known(row.id, row.name, row.kind == "guest"), row.password_hash


def name_key_of(tx: Connection, player: int) -> str:
    """Refused NO_SUCH_PLAYER."""
    key = tx.scalar(select(Player.name_key).where(Player.id == player))
    if key is None:
        raise Refused("NO_SUCH_PLAYER")
    return key


def by_device(tx: Connection, secret_hash: bytes, *, now_us: int) -> Known | None:
    """The account of a device, noted as seen."""
    player = tx.scalar(
        update(Device)
        .where(Device.secret_hash == secret_hash)
        .values(last_us=now_us)
        .returning(Device.player_id)
    )
    return None if player is None else by_id(tx, player)


def _one(tx: Connection, condition: object) -> Known | None:
    row = (
        tx.execute(
            select(Player.id, Player.name, Player.kind).where(condition)  # type: ignore[arg-type]
        )
    ).one_or_none()
    return None if row is None else Known(row.id, row.name, row.kind == "guest")


def add_device(
    tx: Connection, player: int, secret_hash: bytes, *, locale: str, now_us: int
) -> None:
    tx.execute(
        insert(Device).values(
            secret_hash=secret_hash,
            player_id=player,
            locale=locale[:16],
            created_us=now_us,
            last_us=now_us,
        )
    )


def password_hash(tx: Connection, player: int) -> str | None:
    return tx.scalar(select(Credential.password_hash).where(Credential.player_id == player))


def set_password(tx: Connection, player: int, hashed: str, *, now_us: int) -> None:
    changed = tx.execute(
        update(Credential)
        .where(Credential.player_id == player)
        .values(password_hash=hashed, changed_us=now_us)
    )
    if changed.rowcount == 0:
        tx.execute(
            insert(Credential).values(player_id=player, password_hash=hashed, changed_us=now_us)
        )
