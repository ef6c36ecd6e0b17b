"""Hands that the ledger refused, until an operator has looked at them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "refused_hand",
        sa.Column("table_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hand", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("host", sa.String(200), nullable=False),
        sa.Column("code", sa.String(64), nullable=False),
        sa.Column("settlement", sa.LargeBinary(), nullable=False),
        sa.Column("refused_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "hand", name="pk_refused_hand"),
    )


def downgrade() -> None:
    op.drop_table("refused_hand")
