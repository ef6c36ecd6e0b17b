"""Accounts, sessions, and apart from them what identifies a person."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "player",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.String(length=200), nullable=False),
        sa.Column("name_key", sa.String(length=400), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("frozen_until_us", sa.BigInteger(), server_default="0", nullable=False),
        sa.CheckConstraint("kind IN ('guest', 'member')", name="ck_player_kind"),
        sa.PrimaryKeyConstraint("id", name="pk_player"),
        sa.UniqueConstraint("name_key", name="uq_player_name_key"),
    )
    op.create_table(
        "credential",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("password_hash", sa.String(length=200), nullable=False),
        sa.Column("changed_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_credential_player_id"),
        sa.PrimaryKeyConstraint("player_id", name="pk_credential"),
    )
    op.create_table(
        "device",
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("locale", sa.String(length=16), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_device_player_id"),
        sa.PrimaryKeyConstraint("secret_hash", name="pk_device"),
    )
    op.create_index("ix_device_player_id", "device", ["player_id"], unique=False)
    op.create_table(
        "player_address",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("address", sa.String(length=64), nullable=False),
        sa.Column("first_us", sa.BigInteger(), nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_player_address_player_id"),
        sa.PrimaryKeyConstraint("player_id", "address", name="pk_player_address"),
    )
    op.create_index("ix_player_address_last_us", "player_address", ["last_us"], unique=False)
    op.create_table(
        "player_session",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("live", sa.Boolean(), nullable=False),
        sa.Column("refresh_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("refresh_expires_us", sa.BigInteger(), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("gateway", sa.String(length=200), nullable=False),
        sa.Column("opened_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_player_session_player_id"),
        sa.PrimaryKeyConstraint("player_id", name="pk_player_session"),
    )
    op.create_table(
        "relief",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.String(length=10), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entry_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_relief_player_id"),
        sa.PrimaryKeyConstraint("player_id", "day", "number", name="pk_relief"),
    )


def downgrade() -> None:
    op.drop_table("relief")
    op.drop_table("player_session")
    op.drop_table("player_address")
    op.drop_table("device")
    op.drop_table("credential")
    op.drop_table("player")
