"""What identifies a person or a device. Emptied when an account is deleted, never joined
with the ledger, and kept for a limited time."""

from __future__ import annotations

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from data_server.store.tables.base import Base, Big, Id, Us


class Device(Base):
    """A device that opens a guest account: the hash of the secret it keeps."""

    __tablename__ = "device"

    secret_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    player_id: Mapped[Big] = mapped_column(ForeignKey("player.id"), index=True)
    locale: Mapped[str] = mapped_column(String(16))
    created_us: Mapped[Us]
    last_us: Mapped[Us]


class PlayerAddress(Base):
    __tablename__ = "player_address"

    player_id: Mapped[Id] = mapped_column(ForeignKey("player.id"))
    address: Mapped[str] = mapped_column(String(64), primary_key=True)
    first_us: Mapped[Us]
    last_us: Mapped[Us] = mapped_column(index=True)
