"""Ledger, sittings, settlements, operations, audit; the first id."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def _only(condition: str) -> dict[str, Any]:
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(condition)}


_OPEN = _only("closed_us = 0")
_PAID = _only("pot_paid <> 0")


def upgrade() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("currency", sa.SmallInteger(), nullable=False),
        sa.Column("owner", sa.BigInteger(), nullable=False),
        sa.Column("rule_set", sa.String(length=100), server_default="", nullable=False),
        sa.Column("balance", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("floor", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('wallet','score','escrow','pot','house','mint')", name="ck_account_kind"
        ),
        sa.CheckConstraint(
            "balance BETWEEN -9000000000000000 AND 9000000000000000", name="ck_account_range"
        ),
        sa.CheckConstraint("currency IN (1, 2)", name="ck_account_currency"),
        sa.CheckConstraint("floor IS NULL OR balance >= floor", name="ck_account_floor"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint(
            "owner", "kind", "currency", "rule_set", name="uq_account_owner_kind_currency_rule_set"
        ),
    )
    op.create_table(
        "journal_entry",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("currency", sa.SmallInteger(), nullable=False),
        sa.Column("reason", sa.String(length=200), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_journal_entry"),
    )
    op.create_table(
        "posting",
        sa.Column("entry_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "amount <> 0 AND amount BETWEEN -9000000000000000 AND 9000000000000000",
            name="ck_posting_amount",
        ),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_posting_account_id"),
        sa.ForeignKeyConstraint(
            ["entry_id"],
            ["journal_entry.id"],
            name="fk_posting_entry_id",
            initially="DEFERRED",
            deferrable=True,
        ),
        sa.PrimaryKeyConstraint("entry_id", "account_id", name="pk_posting"),
    )
    op.create_index("ix_posting_account_id", "posting", ["account_id"], unique=False)
    op.create_table(
        "sitting",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("room", sa.String(length=100), nullable=False),
        sa.Column("shard", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("currency", sa.SmallInteger(), nullable=False),
        sa.Column("rule_set", sa.String(length=100), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("pot_paid", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("opened_us", sa.BigInteger(), nullable=False),
        sa.Column("closed_us", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_sitting_account_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_sitting_player_id"),
        sa.PrimaryKeyConstraint("id", name="pk_sitting"),
    )
    op.create_index("ix_sitting_host", "sitting", ["host"], unique=False, **_OPEN)
    op.create_index("ix_sitting_player", "sitting", ["player_id"], unique=False, **_OPEN)
    op.create_index("ix_sitting_pot", "sitting", ["table_id"], unique=False, **_PAID)
    op.create_index(
        "uq_sitting_open_player", "sitting", ["table_id", "player_id"], unique=True, **_OPEN
    )
    op.create_index("uq_sitting_open_seat", "sitting", ["table_id", "seat"], unique=True, **_OPEN)
    op.create_table(
        "settlement",
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hand", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("result", sa.String(length=32), nullable=False),
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("settled_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["entry_id"], ["journal_entry.id"], name="fk_settlement_entry_id"),
        sa.PrimaryKeyConstraint("table_id", "hand", name="pk_settlement"),
    )
    op.create_table(
        "hand_record",
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hand", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=100), nullable=False),
        sa.Column("rule_set", sa.String(length=100), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.Column("ended_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hand", name="pk_hand_record"),
    )
    op.create_index("ix_hand_record_ended_us", "hand_record", ["ended_us"], unique=False)
    op.create_table(
        "host_fence",
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("host", name="pk_host_fence"),
    )
    op.create_table(
        "operation",
        sa.Column("op", sa.LargeBinary(length=16), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("body_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("op", name="pk_operation"),
    )
    op.create_index("ix_operation_created_us", "operation", ["created_us"], unique=False)
    op.create_table(
        "id_block",
        sa.Column("name", sa.String(length=16), nullable=False),
        sa.Column("next_id", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_id_block"),
    )
    op.create_table(
        "audit",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("time_us", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("what", sa.String(length=100), nullable=False),
        sa.Column("target", sa.String(length=200), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.execute("INSERT INTO id_block (name, next_id) VALUES ('ids', 1000)")


def downgrade() -> None:
    op.drop_table("audit")
    op.drop_table("id_block")
    op.drop_table("operation")
    op.drop_table("host_fence")
    op.drop_table("hand_record")
    op.drop_table("settlement")
    op.drop_table("sitting")
    op.drop_table("posting")
    op.drop_table("journal_entry")
    op.drop_table("account")
