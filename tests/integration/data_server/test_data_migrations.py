"""Migrations: from nothing to the newest schema, which is the models' schema, and back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect
from typer import Typer
from typer.testing import CliRunner

from data_server.store import migrate
from data_server.store.database import Database
from data_server.store.tables import Base
from paiju.cli import data


def _difference(connection: Any) -> list[Any]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    return list(compare_metadata(context, Base.metadata))


async def test_up_from_empty_is_what_the_models_say(database_url: str) -> None:
    database = Database(database_url, pool=2)
    assert await migrate.revision(database) is None
    await asyncio.gather(*(migrate.upgrade(database) for _ in range(2)))
    assert await migrate.revision(database) == migrate.newest()
    assert await database.read(_difference) == []
    await database.close()


async def test_every_migration_can_be_taken_back(database_url: str) -> None:
    database = Database(database_url, pool=2)
    await migrate.upgrade(database)

    def down(connection: Any) -> list[str]:
        command.downgrade(migrate._config(connection), "base")
        return inspect(connection).get_table_names()

    left = await database.write(down)
    assert left == ["alembic_version"]
    await migrate.upgrade(database)
    await database.close()


async def test_a_server_does_not_run_on_another_schema(start: Any, postgres_url: str) -> None:
    with pytest.raises(ValueError, match="run `paiju migrate`"):
        await start(database_url=postgres_url, auto_migrate=None)


def test_the_command(tmp_path: Path) -> None:
    app = Typer()
    app.command("migrate")(data.migrate)
    app.command("data-server")(data.data_server)
    runner = CliRunner()
    done = runner.invoke(app, ["migrate", "--data-dir", str(tmp_path / "hall")])
    assert done.exit_code == 0 and migrate.newest() in done.output
    assert (tmp_path / "hall" / "hall.sqlite3").exists()
    wrong = runner.invoke(app, ["migrate", "--database-url", "mysql://x"])
    assert wrong.exit_code == 2 and "sqlite:///FILE" in wrong.stderr
    nobody = "postgresql+psycopg://nobody@127.0.0.1:1/x"
    gone = runner.invoke(app, ["migrate", "--database-url", nobody])
    assert gone.exit_code == 1 and gone.stderr.count("\n") == 1
    for name in ("migrate", "data-server"):
        assert f"Example: paiju {name}" in runner.invoke(app, [name, "--help"]).output
