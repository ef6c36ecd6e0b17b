"""Soft locks of logins."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "login_lock",
        sa.Column("key", sa.LargeBinary(length=32), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("last_us", sa.BigInteger(), nullable=False),
        sa.Column("until_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_login_lock"),
    )
    op.create_index("ix_login_lock_last_us", "login_lock", ["last_us"], unique=False)


def downgrade() -> None:
    op.drop_table("login_lock")
