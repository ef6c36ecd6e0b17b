"""Audit rows: appended in the transaction of what they tell, never changed."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import insert, select
from sqlalchemy.engine import Connection

from data_server.store.tables import AuditRow
from paiju.wire.v1 import data_pb2


def append(
    tx: Connection,
    *,
    who: str,
    what: str,
    target: str,
    why: str,
    before: Any,
    after: Any,
    now_us: int,
) -> None:
    """before and after: values that JSON can hold."""
    tx.execute(
        insert(AuditRow).values(
            time_us=now_us,
            who=who,
            what=what,
            target=target,
            why=why,
            before=json.dumps(before, ensure_ascii=False),
            after=json.dumps(after, ensure_ascii=False),
        )
    )


def newest(tx: Connection, *, before: int, limit: int) -> list[data_pb2.AuditRow]:
    """Newest first; before: only ids below it, 0 for all."""
    query = select(AuditRow.__table__).order_by(AuditRow.id.desc()).limit(limit)
    if before:
        query = query.where(AuditRow.id < before)
    return [data_pb2.AuditRow(**row._mapping) for row in tx.execute(query)]
