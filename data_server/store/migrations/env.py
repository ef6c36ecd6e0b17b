"""Alembic's entry point; always runs on the connection that store/migrate.py passes in."""

from __future__ import annotations

from alembic import context

from data_server.store.tables import Base

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, transactional_ddl=False)
context.run_migrations()
