"""Guards: the ledger's rules and the audit's append-only rule, enforced by the database."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_FIXED = ("journal_entry", "posting", "settlement", "audit")

_NOT_ZERO = """(SELECT COALESCE(SUM(amount), 0) FROM posting WHERE entry_id = NEW.id) <> 0"""
_MIXED = """EXISTS (
    SELECT 1 FROM posting JOIN account ON account.id = posting.account_id
    WHERE posting.entry_id = NEW.id AND account.currency <> NEW.currency)"""
_SEALED = "EXISTS (SELECT 1 FROM journal_entry WHERE id = NEW.entry_id)"
_MOVE = "UPDATE account SET balance = balance + NEW.amount WHERE id = NEW.account_id"


def _postgresql() -> None:
    refuse = "RAISE EXCEPTION '{}' USING ERRCODE = 'check_violation'"
    for name, body in {
        "paiju_seal": f"""
            IF {_NOT_ZERO} THEN {refuse.format("an entry does not sum to zero")}; END IF;
            IF {_MIXED} THEN {refuse.format("an entry has one currency")}; END IF;
            RETURN NEW;""",
        "paiju_post": f"""
            IF {_SEALED} THEN {refuse.format("the entry is sealed")}; END IF;
            {_MOVE};
            RETURN NEW;""",
        "paiju_fixed": f"{refuse.format('rows of this table are never changed')};",
    }.items():
        op.execute(
            f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
        )
    op.execute(
        "CREATE TRIGGER journal_entry_seal BEFORE INSERT ON journal_entry "
        "FOR EACH ROW EXECUTE FUNCTION paiju_seal()"
    )
    op.execute(
        "CREATE TRIGGER posting_move BEFORE INSERT ON posting "
        "FOR EACH ROW EXECUTE FUNCTION paiju_post()"
    )
    for table in _FIXED:
        op.execute(
            f"CREATE TRIGGER {table}_fixed BEFORE UPDATE OR DELETE ON {table} "
            "FOR EACH ROW EXECUTE FUNCTION paiju_fixed()"
        )


def _sqlite() -> None:
    op.execute(
        "CREATE TRIGGER journal_entry_seal BEFORE INSERT ON journal_entry BEGIN "
        f"SELECT RAISE(ABORT, 'an entry does not sum to zero') WHERE {_NOT_ZERO}; "
        f"SELECT RAISE(ABORT, 'an entry has one currency') WHERE {_MIXED}; END"
    )
    op.execute(
        "CREATE TRIGGER posting_move BEFORE INSERT ON posting BEGIN "
        f"SELECT RAISE(ABORT, 'the entry is sealed') WHERE {_SEALED}; "
        f"{_MOVE}; END"
    )
    for table in _FIXED:
        for verb in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_fixed_{verb.lower()} BEFORE {verb} ON {table} BEGIN "
                "SELECT RAISE(ABORT, 'rows of this table are never changed'); END"
            )


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _sqlite()
    else:
        _postgresql()


def downgrade() -> None:
    sqlite = op.get_bind().dialect.name == "sqlite"
    for trigger, table in [("journal_entry_seal", "journal_entry"), ("posting_move", "posting")]:
        op.execute(f"DROP TRIGGER {trigger}" + ("" if sqlite else f" ON {table}"))
    for table in _FIXED:
        if sqlite:
            op.execute(f"DROP TRIGGER {table}_fixed_update")
            op.execute(f"DROP TRIGGER {table}_fixed_delete")
        else:
            op.execute(f"DROP TRIGGER {table}_fixed ON {table}")
    if not sqlite:
        for name in ("paiju_seal", "paiju_post", "paiju_fixed"):
            op.execute(f"DROP FUNCTION {name}()")
