"""Hands that the ledger refused: kept as they were sent, until they are booked or void."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import exists, insert, select
from sqlalchemy.engine import Connection

from data_server.store.tables import RefusedHand, Settled
from paiju.wire.v1 import data_pb2

Key = tuple[int, int]
_DECIDED = exists().where(
    Settled.table_id == RefusedHand.table_id, Settled.hand == RefusedHand.hand
)
"""Booked after all, or void by now: the key of the settlement decides."""


def note(
    tx: Connection,
    refused: Mapping[Key, tuple[str, data_pb2.Settlement]],
    *,
    host: str,
    now_us: int,
) -> None:
    """Key -> code and settlement, of which the first refusal is kept."""
    tables = {table for table, _ in refused}
    rows = tx.execute(
        select(RefusedHand.table_id, RefusedHand.hand).where(RefusedHand.table_id.in_(tables))
    )
    known = {(row.table_id, row.hand) for row in rows}
    fresh = [
        {
            "table_id": table,
            "hand": hand,
            "host": host,
            "code": code[:64],
            "settlement": message.SerializeToString(),
            "refused_us": now_us,
        }
        for (table, hand), (code, message) in refused.items()
        if (table, hand) not in known
    ]
    if fresh:
        tx.execute(insert(RefusedHand), fresh)


def waiting(tx: Connection) -> list[Any]:
    """Rows of hands that nobody has decided about, the oldest first."""
    query = select(RefusedHand.__table__).where(~_DECIDED).order_by(RefusedHand.refused_us)
    return list(tx.execute(query))


def held(tx: Connection, key: Key) -> Any | None:
    """The row of such a hand, held until the transaction ends; None when there is none."""
    query = (
        select(RefusedHand.__table__)
        .where(RefusedHand.table_id == key[0], RefusedHand.hand == key[1], ~_DECIDED)
        .with_for_update()
    )
    return tx.execute(query).one_or_none()
