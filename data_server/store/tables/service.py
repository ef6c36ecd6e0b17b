"""Bookkeeping of the service itself: operations, id blocks, audit."""

from __future__ import annotations

from sqlalchemy import LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data_server.store.tables.base import Base, Big, Serial, Us


class Operation(Base):
    """An operation that took effect, with its answer, kept 48 hours."""

    __tablename__ = "operation"

    op: Mapped[bytes] = mapped_column(LargeBinary(16), primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    body_hash: Mapped[bytes] = mapped_column(LargeBinary(32))  # keyed
    answer: Mapped[bytes] = mapped_column(LargeBinary)  # sealed
    created_us: Mapped[Us] = mapped_column(index=True)


class IdBlock(Base):
    """The next id that nobody has."""

    __tablename__ = "id_block"

    name: Mapped[str] = mapped_column(String(16), primary_key=True)
    next_id: Mapped[Big]


class Restore(Base):
    """When the database was put back from a copy, and the last ledger entry in that."""

    __tablename__ = "restore"

    restored_us: Mapped[Us] = mapped_column(primary_key=True, autoincrement=False)
    last_us: Mapped[Us]


class AuditRow(Base):
    """What an operator changed. Append only: triggers refuse UPDATE and DELETE."""

    __tablename__ = "audit"

    id: Mapped[Serial]
    time_us: Mapped[Us]
    who: Mapped[str] = mapped_column(String(100))
    what: Mapped[str] = mapped_column(String(100))
    target: Mapped[str] = mapped_column(String(200))
    why: Mapped[str] = mapped_column(Text)
    before: Mapped[str] = mapped_column(Text)
    after: Mapped[str] = mapped_column(Text)
