"""Accounts and sessions. What identifies a person is apart, in persons.py."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from data_server.store.tables.base import Base, Big, Id, Us


class Player(Base):
    __tablename__ = "player"
    __table_args__ = (CheckConstraint("kind IN ('guest', 'member')", name="kind"),)

    id: Mapped[Id]
    kind: Mapped[str] = mapped_column(String(8))
    name: Mapped[str] = mapped_column(String(200))
    name_key: Mapped[str] = mapped_column(String(400), unique=True)  # case-folded
    created_us: Mapped[Us]
    frozen_until_us: Mapped[Us] = mapped_column(server_default="0")


class Credential(Base):
    __tablename__ = "credential"

    player_id: Mapped[Id] = mapped_column(ForeignKey("player.id"))
    password_hash: Mapped[str] = mapped_column(String(200))
    changed_us: Mapped[Us]


class PlayerSession(Base):
    """The one session of a player. A higher epoch replaces the session before."""

    __tablename__ = "player_session"

    player_id: Mapped[Id] = mapped_column(ForeignKey("player.id"))
    epoch: Mapped[Big]
    live: Mapped[bool]
    refresh_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32))
    refresh_expires_us: Mapped[Us]
    server: Mapped[str] = mapped_column(String(200))
    gateway: Mapped[str] = mapped_column(String(200))
    opened_us: Mapped[Us]


class LoginLock(Base):
    """Failed logins of an account, an address or a pair of both; see store/locks.py."""

    __tablename__ = "login_lock"

    key: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    failed: Mapped[int]
    last_us: Mapped[Us] = mapped_column(index=True)
    until_us: Mapped[Us]


class Relief(Base):
    """Points given to a player who had almost none: the key bounds how often a day."""

    __tablename__ = "relief"

    player_id: Mapped[Id] = mapped_column(ForeignKey("player.id"))
    day: Mapped[str] = mapped_column(String(10), primary_key=True)  # in the hall's time zone
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    entry_id: Mapped[Big]
