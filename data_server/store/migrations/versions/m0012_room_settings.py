"""Settings of rooms, and what game servers say of rooms."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "room_setting",
        sa.Column("room", sa.String(length=100), nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("values", sa.Text(), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("set_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("room", "number", name="pk_room_setting"),
    )
    op.create_table(
        "server_room",
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("room", sa.String(length=100), nullable=False),
        sa.Column("package", sa.String(length=40), nullable=False),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("preset", sa.Text(), nullable=False),
        sa.Column("schema", sa.Text(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("refused", sa.Text(), nullable=False),
        sa.Column("updated_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("server", "room", name="pk_server_room"),
    )


def downgrade() -> None:
    op.drop_table("server_room")
    op.drop_table("room_setting")
