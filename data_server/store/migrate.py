"""Bring the schema of a database to the newest revision."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from data_server.store.database import Database

_FOLDER = Path(__file__).parent / "migrations"
_LOCK = 0x7061696A75  # "paiju": two programs never migrate one PostgreSQL at once


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_FOLDER))
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


async def revision(database: Database) -> str | None:
    """The revision a database is at; None when it has no tables of ours."""

    return await database.read(
        lambda connection: MigrationContext.configure(connection).get_current_revision()
    )


async def upgrade(database: Database) -> str:
    """Migrate to the newest revision, in one transaction, and return it."""

    def work(connection: Connection) -> None:
        if not database.is_sqlite:
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _LOCK})
        command.upgrade(_config(connection), "head")

    await database.write(work)
    return newest()
