"""Reports, penalties and the policy between them; the first rules."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_HOUR, _DAY, _WEEK = 3600, 86_400, 604_800

# Somebody between player and server can break a seal, so a broken one only warns.
_FIRST_RULES = [
    ("vault", 1, _DAY, "warn", 0),
    ("vault", 3, _DAY, "fine", 500),
    ("vault", 10, _WEEK, "freeze", 24),
    ("bad_seal", 20, _HOUR, "warn", 0),
    ("forged_frame", 3, _HOUR, "warn", 0),
    ("forged_frame", 20, _DAY, "freeze", 24),
    ("impossible_clock", 3, _DAY, "warn", 0),
    ("impossible_clock", 10, _WEEK, "freeze", 24),
    ("flood", 5, _HOUR, "warn", 0),
    ("flood", 30, _DAY, "freeze", 1),
]

# What was reported and decided never changes; its free text is emptied after a time.
_REPORT_FIXED = (
    "id, op, source, kind, player_id, reporter, session_epoch, server, gateway, table_id, "
    "evidence_hash, counted, action, reason, created_us"
)


def _report() -> None:
    op.create_table(
        "report",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("op", sa.LargeBinary(length=16), nullable=False),
        sa.Column("source", sa.String(length=8), nullable=False),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("reporter", sa.BigInteger(), nullable=False),
        sa.Column("session_epoch", sa.BigInteger(), nullable=False),
        sa.Column("server", sa.String(length=200), nullable=False),
        sa.Column("gateway", sa.String(length=200), nullable=False),
        sa.Column("table_id", sa.BigInteger(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("evidence", sa.LargeBinary(), nullable=False),
        sa.Column("evidence_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("counted", sa.Boolean(), nullable=False),
        sa.Column("action", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
        sa.UniqueConstraint("op", name="uq_report_op"),
    )
    op.create_index(
        "ix_report_player_id_kind_created_us", "report", ["player_id", "kind", "created_us"]
    )
    op.create_index("ix_report_reporter_created_us", "report", ["reporter", "created_us"])
    op.create_index("ix_report_created_us", "report", ["created_us"])


def _penalties() -> None:
    op.create_table(
        "penalty",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("player_id", sa.BigInteger(), nullable=False),
        sa.Column("report_id", sa.BigInteger(), nullable=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("rule_count", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=8), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.Column("taken", sa.BigInteger(), nullable=False),
        sa.Column("house_id", sa.BigInteger(), nullable=True),
        sa.Column("until_us", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("action IN ('warn','fine','freeze','ban')", name="ck_penalty_action"),
        sa.CheckConstraint("taken >= 0", name="ck_penalty_taken"),
        sa.ForeignKeyConstraint(["house_id"], ["account.id"], name="fk_penalty_house_id"),
        sa.ForeignKeyConstraint(["player_id"], ["player.id"], name="fk_penalty_player_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_penalty_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_penalty"),
    )
    op.create_index("ix_penalty_player_id", "penalty", ["player_id"])
    op.create_index("ix_penalty_report_id", "penalty", ["report_id"])
    op.create_table(
        "penalty_step",
        sa.Column("penalty_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("step", sa.String(length=8), nullable=False),
        sa.Column("who", sa.String(length=100), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("step IN ('appeal','uphold','lift')", name="ck_penalty_step_step"),
        sa.ForeignKeyConstraint(["penalty_id"], ["penalty.id"], name="fk_penalty_step_penalty_id"),
        sa.PrimaryKeyConstraint("penalty_id", "step", name="pk_penalty_step"),
    )
    rules = op.create_table(
        "policy_rule",
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("count", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("window_s", sa.Integer(), nullable=False),
        sa.Column("action", sa.String(length=8), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "count", name="pk_policy_rule"),
    )
    names = ("kind", "count", "window_s", "action", "amount")
    op.bulk_insert(rules, [dict(zip(names, rule, strict=True)) for rule in _FIRST_RULES])


def _guards(sqlite: bool) -> None:
    for table, columns in (
        ("report", _REPORT_FIXED),
        ("penalty", ""),
        ("penalty_step", ""),
    ):
        update = f"UPDATE OF {columns}" if columns else "UPDATE"
        if sqlite:
            for verb, name in ((update, "update"), ("DELETE", "delete")):
                op.execute(
                    f"CREATE TRIGGER {table}_fixed_{name} BEFORE {verb} ON {table} BEGIN "
                    "SELECT RAISE(ABORT, 'rows of this table are never changed'); END"
                )
        else:
            op.execute(
                f"CREATE TRIGGER {table}_fixed BEFORE {update} OR DELETE ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION paiju_fixed()"
            )


def upgrade() -> None:
    _report()
    _penalties()
    op.execute(
        "INSERT INTO report (id, op, source, kind, player_id, reporter, session_epoch, server, "
        "gateway, table_id, detail, evidence, evidence_hash, counted, action, reason, created_us) "
        "SELECT (SELECT next_id FROM id_block WHERE name = 'ids') "
        "+ ROW_NUMBER() OVER (ORDER BY created_us, op), op, 'player', kind, player_id, reporter, "
        "0, server, '', table_id, detail, "
        + ("CAST(evidence AS BLOB)" if _is_sqlite() else "CONVERT_TO(evidence, 'UTF8')")
        + ", "
        + ("x''" if _is_sqlite() else "''::bytea")
        + (", 0" if _is_sqlite() else ", false")
        + ", 'none', '', created_us FROM player_report"
    )
    op.execute(
        "UPDATE id_block SET next_id = next_id + 1 + (SELECT COUNT(*) FROM player_report) "
        "WHERE name = 'ids'"
    )
    op.drop_table("player_report")
    _guards(_is_sqlite())


def _is_sqlite() -> bool:
    return bool(op.get_bind().dialect.name == "sqlite")


def downgrade() -> None:
    for table in ("policy_rule", "penalty_step", "penalty", "report"):
        op.drop_table(table)
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
