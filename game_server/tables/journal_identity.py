"""Whether two hosts could go on with each other's tables: the same journal, the same key.

Two addresses may mean one database and one address two (127.0.0.1), so the database itself
holds a number that was drawn when it was made. A file on one machine is nobody else's.
"""

from __future__ import annotations

import hashlib
import secrets

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from game_server.tables.journal_store import patiently

PATIENCE_S = 30.0
_schema = sa.MetaData()
_identity = sa.Table(
    "journal_identity",
    _schema,
    sa.Column("one", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("drawn", sa.String(64), nullable=False),
)


def shared_journal(engine: sa.Engine, key: bytes) -> str:
    """64 characters, equal for hosts with this database and this key; "" when it is one
    machine's own. DBAPIError."""
    if engine.dialect.name == "sqlite":
        return ""
    drawn = patiently(lambda: _drawn(engine), PATIENCE_S)
    return hashlib.sha256(drawn.encode("ascii") + key).hexdigest()


def _drawn(engine: sa.Engine) -> str:
    _schema.create_all(engine)
    with engine.begin() as connection:
        connection.execute(
            postgresql.insert(_identity)
            .values(one=1, drawn=secrets.token_hex(32))
            .on_conflict_do_nothing()
        )
        drawn: str = connection.execute(sa.select(_identity.c.drawn)).scalar_one()
    return drawn
