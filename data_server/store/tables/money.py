"""The ledger: accounts with balances, entries with postings.

What the database itself enforces (triggers are in the second migration):
* a balance never falls below its account's floor, and |amount| <= 9*10^15;
* a balance changes by a posting only: inserting a posting moves the balance;
* the postings of an entry are inserted first and sealed by the entry's own row: it is
  refused unless they sum to zero in one currency, no posting can be added afterwards, and no
  posting can be committed without its entry;
* entries and postings are never changed nor deleted.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, SmallInteger, String
from sqlalchemy.orm import Mapped, mapped_column
from sqlalchemy.schema import Index, UniqueConstraint

from data_server.store.tables.base import MAX_AMOUNT, Base, Big, Id, Us


class Account(Base):
    __tablename__ = "account"
    __table_args__ = (
        UniqueConstraint("owner", "kind", "currency", "rule_set"),
        CheckConstraint("kind IN ('wallet','score','escrow','pot','house','mint')", name="kind"),
        CheckConstraint("currency IN (1, 2)", name="currency"),
        CheckConstraint("floor IS NULL OR balance >= floor", name="floor"),
        CheckConstraint(f"balance BETWEEN -{MAX_AMOUNT} AND {MAX_AMOUNT}", name="range"),
    )

    id: Mapped[Id]
    kind: Mapped[str] = mapped_column(String(8))
    currency: Mapped[int] = mapped_column(SmallInteger)
    # wallet, score: the player; escrow: the sitting; pot: the table; house: its number; mint: 0
    owner: Mapped[Big]
    rule_set: Mapped[str] = mapped_column(String(100), server_default="")
    balance: Mapped[Big] = mapped_column(server_default="0")
    floor: Mapped[int | None] = mapped_column(BigInteger)  # NULL: none


class Entry(Base):
    """One change of balances, in one currency. Seals its postings."""

    __tablename__ = "journal_entry"

    id: Mapped[Id]
    kind: Mapped[str] = mapped_column(String(16))
    currency: Mapped[int] = mapped_column(SmallInteger)
    reason: Mapped[str] = mapped_column(String(200))
    created_us: Mapped[Us]


class Posting(Base):
    __tablename__ = "posting"
    __table_args__ = (
        CheckConstraint(
            f"amount <> 0 AND amount BETWEEN -{MAX_AMOUNT} AND {MAX_AMOUNT}", name="amount"
        ),
        Index("ix_posting_account_id", "account_id"),
    )

    entry_id: Mapped[Id] = mapped_column(
        ForeignKey("journal_entry.id", deferrable=True, initially="DEFERRED")
    )
    account_id: Mapped[Id] = mapped_column(ForeignKey("account.id"))
    amount: Mapped[Big]
