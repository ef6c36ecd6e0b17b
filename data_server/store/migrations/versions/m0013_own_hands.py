"""A player's sittings by time: they lead to the hands that he has played."""

from __future__ import annotations

from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_sitting_player_opened", "sitting", ["player_id", "opened_us"])


def downgrade() -> None:
    op.drop_index("ix_sitting_player_opened", "sitting")
