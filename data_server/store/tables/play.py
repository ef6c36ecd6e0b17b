"""What happens at tables: sittings, settlements, records, and who may write for them."""

from __future__ import annotations

from sqlalchemy import ForeignKey, LargeBinary, SmallInteger, String, text
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import Index

from data_server.store.tables.base import Base, Big, Id, Us

_OPEN = text("closed_us = 0")


class Sitting(Base):
    """A player on a seat, from sitting down to standing up; holds the stake's account."""

    __tablename__ = "sitting"
    __table_args__ = (
        Index(
            "uq_sitting_open_seat",
            "table_id",
            "seat",
            unique=True,
            sqlite_where=_OPEN,
            postgresql_where=_OPEN,
        ),
        Index(
            "uq_sitting_open_player",
            "table_id",
            "player_id",
            unique=True,
            sqlite_where=_OPEN,
            postgresql_where=_OPEN,
        ),
        Index("ix_sitting_player", "player_id", sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index("ix_sitting_player_opened", "player_id", "opened_us"),
        Index("ix_sitting_host", "host", sqlite_where=_OPEN, postgresql_where=_OPEN),
        Index(
            "ix_sitting_pot",
            "table_id",
            sqlite_where=text("pot_paid <> 0"),
            postgresql_where=text("pot_paid <> 0"),
        ),
    )

    id: Mapped[Id]
    table_id: Mapped[Big]
    room: Mapped[str] = mapped_column(String(100))
    shard: Mapped[int]
    seat: Mapped[int]
    player_id: Mapped[Big] = mapped_column(ForeignKey("player.id"))
    host: Mapped[str] = mapped_column(String(200))
    currency: Mapped[int] = mapped_column(SmallInteger)
    rule_set: Mapped[str] = mapped_column(String(100))
    # escrow of the sitting (coin) or score account of the player
    account_id: Mapped[Big] = mapped_column(ForeignKey("account.id"))
    # what this sitting has paid into the table's pot since the pot was last empty
    pot_paid: Mapped[Big] = mapped_column(server_default="0")
    opened_us: Mapped[Us]
    closed_us: Mapped[Us] = mapped_column(server_default="0")


class Settled(Base):
    """A settled hand. The key decides which of several calls books it."""

    __tablename__ = "settlement"

    table_id: Mapped[Id]
    hand: Mapped[Id]
    entry_id: Mapped[Big] = mapped_column(ForeignKey("journal_entry.id"))
    body_hash: Mapped[bytes] = mapped_column(LargeBinary(32))
    result: Mapped[str] = mapped_column(String(32))
    host: Mapped[str] = mapped_column(String(200))
    epoch: Mapped[Big]
    settled_us: Mapped[Us]


class HandRecord(Base):
    __tablename__ = "hand_record"
    __table_args__ = (Index("ix_hand_record_ended_us", "ended_us"),)

    table_id: Mapped[Id]
    hand: Mapped[Id]
    game: Mapped[str] = mapped_column(String(100))
    rule_set: Mapped[str] = mapped_column(String(100))
    record: Mapped[bytes] = mapped_column(LargeBinary)
    ended_us: Mapped[Us]


class RefusedHand(Base):
    """A settlement that the ledger did not take, as it was sent, for an operator to look at."""

    __tablename__ = "refused_hand"

    table_id: Mapped[Id]
    hand: Mapped[Id]
    host: Mapped[str] = mapped_column(String(200))
    code: Mapped[str] = mapped_column(String(64))
    settlement: Mapped[bytes] = mapped_column(LargeBinary)
    refused_us: Mapped[Us]


class HostFence(Base):
    """The highest epoch seen of each host. Transactions that write for a host hold the row."""

    __tablename__ = "host_fence"

    host: Mapped[str] = mapped_column(String(200), primary_key=True)
    epoch: Mapped[Big]
