"""What a player was not told yet: penalties, until his client says that he has seen them.

A notice is written with its penalty, in one transaction, and goes when it was heard or when the
penalty was lifted. It may be told more than once; it is never lost.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select
from sqlalchemy.engine import Connection

from data_server.store.tables import Penalty, PenaltyNotice
from paiju.wire.v1 import hall_pb2

MOST = 10
"""Told at once; the rest when these were heard."""


def add(tx: Connection, penalty: int, player: int) -> None:
    tx.execute(insert(PenaltyNotice).values(penalty_id=penalty, player_id=player))


def forget(tx: Connection, penalty: int, *, player: int | None = None) -> None:
    """Nothing to tell any more. player: only when it is his."""
    gone = delete(PenaltyNotice).where(PenaltyNotice.penalty_id == penalty)
    if player is not None:
        gone = gone.where(PenaltyNotice.player_id == player)
    tx.execute(gone)


def unheard(tx: Connection, player: int) -> Sequence[hall_pb2.PenaltyNotice]:
    """Oldest first, without sentences."""
    rows = tx.execute(
        select(Penalty.__table__)
        .join(PenaltyNotice, PenaltyNotice.penalty_id == Penalty.id)
        .where(PenaltyNotice.player_id == player)
        .order_by(Penalty.created_us, Penalty.id)
        .limit(MOST)
    )
    return [
        hall_pb2.PenaltyNotice(
            id=row.id,
            action=row.action,
            amount=row.amount,
            taken=row.taken,
            until_us=row.until_us,
            kind=row.kind,
            # What the policy counted is said by the kind; a person gives a reason.
            reason=row.reason if row.kind == "operator" else "",
            time_us=row.created_us,
        )
        for row in rows
    ]
