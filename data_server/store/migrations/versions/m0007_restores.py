"""When the database was put back from a copy."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "restore",
        sa.Column("restored_us", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("restored_us", name="pk_restore"),
    )


def downgrade() -> None:
    op.drop_table("restore")
