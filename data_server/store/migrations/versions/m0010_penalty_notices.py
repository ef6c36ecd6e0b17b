"""Penalties that their players have not heard of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "penalty_notice",
        sa.Column("penalty_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["penalty_id"], ["penalty.id"], name="fk_penalty_notice_penalty_id_penalty"
        ),
        sa.PrimaryKeyConstraint("penalty_id", name="pk_penalty_notice"),
    )
    op.create_index("ix_penalty_notice_player_id", "penalty_notice", ["player_id"], unique=False)


def downgrade() -> None:
    op.drop_table("penalty_notice")
