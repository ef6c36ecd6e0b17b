"""Registry of servers, hosts and shards; presence, reports, session events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_SERIAL = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "game_server",
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("cell", sa.String(length=100), nullable=False),
        sa.Column("address", sa.String(length=200), nullable=False),
        sa.Column("build", sa.String(length=100), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("max_players", sa.Integer(), nullable=False),
        sa.Column("players", sa.Integer(), server_default="0", nullable=False),
        sa.Column("lease_epoch", sa.BigInteger(), nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.Column("draining", sa.Boolean(), nullable=False),
        sa.Column("last_seen_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("server", name="pk_game_server"),
    )
    op.create_table(
        "host",
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("cell", sa.String(length=100), nullable=False),
        sa.Column("unix_path", sa.String(length=200), nullable=False),
        sa.Column("tcp_address", sa.String(length=200), nullable=False),
        sa.Column("machine", sa.String(length=200), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("max_tables", sa.Integer(), nullable=False),
        sa.Column("tables", sa.Integer(), server_default="0", nullable=False),
        sa.Column("players", sa.Integer(), server_default="0", nullable=False),
        sa.Column("beat", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("host", name="pk_host"),
    )
    op.create_index("ix_host_server", "host", ["server"], unique=False)
    op.create_table(
        "room_shard",
        sa.Column("room", sa.String(length=100), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("game", sa.String(length=100), nullable=False),
        sa.Column("host", sa.String(length=200), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("tables", sa.Integer(), server_default="0", nullable=False),
        sa.Column("players", sa.Integer(), server_default="0", nullable=False),
        sa.Column("free_seats", sa.Integer(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("room", "number", name="pk_room_shard"),
    )
    op.create_index("ix_room_shard_host", "room_shard", ["host"], unique=False)
    op.create_table(
        "presence",
        sa.Column("player_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("session_epoch", sa.BigInteger(), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("gateway", sa.String(length=200), nullable=False),
        sa.Column("since_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name="pk_presence"),
    )
    op.create_index("ix_presence_server", "presence", ["server"], unique=False)
    op.create_table(
        "player_report",
        sa.Column("op", sa.LargeBinary(length=16), nullable=False),
        sa.Column("reporter", sa.BigInteger(), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("op", name="pk_player_report"),
    )
    op.create_index("ix_player_report_player_id", "player_report", ["player_id"], unique=False)
    op.create_table(
        "session_event",
        sa.Column("id", _SERIAL, autoincrement=True, nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("below_epoch", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_session_event"),
    )
    op.create_index("ix_session_event_created_us", "session_event", ["created_us"], unique=False)


def downgrade() -> None:
    op.drop_table("session_event")
    op.drop_table("player_report")
    op.drop_table("presence")
    op.drop_table("room_shard")
    op.drop_table("host")
    op.drop_table("game_server")
