"""Hosts of lost machines run elsewhere; an operator rolls a server."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_HOST = (("home", 200), ("keeper", 200), ("journal", 64))


def upgrade() -> None:
    for name, length in _HOST:
        op.add_column(
            "host", sa.Column(name, sa.String(length=length), server_default="", nullable=False)
        )
    for name in ("roll", "rolled"):
        op.add_column(
            "game_server", sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)
        )
    op.add_column(
        "game_server",
        sa.Column("rolling", sa.String(length=200), server_default="", nullable=False),
    )


def downgrade() -> None:
    for name, _ in _HOST:
        op.drop_column("host", name)
    for name in ("roll", "rolled", "rolling"):
        op.drop_column("game_server", name)
