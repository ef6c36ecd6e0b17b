"""Game packages: the signed repository, plans, what servers have."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def _repository() -> None:
    changes = op.create_table(
        "package_change",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_package_change"),
    )
    op.bulk_insert(changes, [{"id": 1, "change": 0}])
    op.create_table(
        "package_file",
        sa.Column("path", sa.String(length=200), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("written_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("path", name="pk_package_file"),
    )
    op.create_table(
        "package_version",
        sa.Column("package", sa.String(length=40), nullable=False),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("author", sa.String(length=40), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("rule_sets", sa.Text(), nullable=False),
        sa.Column("yanked", sa.Boolean(), nullable=False),
        sa.Column("published_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("package", "version", name="pk_package_version"),
    )


def _plans() -> None:
    op.create_table(
        "package_plan",
        sa.Column("package", sa.String(length=40), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("staged", sa.String(length=20), nullable=False),
        sa.Column("percent", sa.Integer(), nullable=False),
        sa.Column("pinned", sa.Boolean(), nullable=False),
        sa.Column("minimum_client", sa.Integer(), nullable=False),
        sa.Column("previous", sa.String(length=20), nullable=False),
        sa.Column("change", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("package", "server", name="pk_package_plan"),
    )
    op.create_table(
        "server_game",
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("package", sa.String(length=40), nullable=False),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("faults", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("updated_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("server", "package", "version", name="pk_server_game"),
    )


def upgrade() -> None:
    _repository()
    _plans()


def downgrade() -> None:
    for table in (
        *("server_game", "package_plan", "package_version"),
        *("package_file", "package_change"),
    ):
        op.drop_table(table)
