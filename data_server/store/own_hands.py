"""Finished hands, for those who sat in them.

A record holds everything of its hand, what others had hidden included: it is told to those who
played it and to nobody else.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

from sqlalchemy import select
from sqlalchemy.engine import Connection

from data_server.store.tables import HandRecord, Player, Sitting
from paiju.rules import record as records
from paiju.rules.record import Record, RecordError
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2

PAGE: Final = 20
_SITTINGS: Final = 50
"""How far back one page looks, at most."""


def of_player(tx: Connection, player: int, *, before_us: int) -> hall_pb2.HandList:
    """The newest hands of the player that ended before that time, at most PAGE."""
    sittings = tx.execute(
        select(Sitting.table_id, Sitting.opened_us)
        .where(Sitting.player_id == player, Sitting.opened_us < before_us)
        .order_by(Sitting.opened_us.desc())
        .limit(_SITTINGS)
    ).all()
    if not sittings:
        return hall_pb2.HandList()
    # Below the oldest of these sittings there are others, which the next page looks at.
    since = sittings[-1].opened_us if len(sittings) == _SITTINGS else 0
    rows = tx.execute(
        select(HandRecord.table_id, HandRecord.hand, HandRecord.ended_us, HandRecord.record)
        .where(
            HandRecord.table_id.in_({row.table_id for row in sittings}),
            HandRecord.ended_us < before_us,
            HandRecord.ended_us >= since,
        )
        .order_by(HandRecord.ended_us.desc(), HandRecord.table_id, HandRecord.hand.desc())
        .limit(4 * PAGE)  # at some of these tables he sat only later
    ).all()
    found = []
    for row in rows:
        record = _read(row.record)
        if record is not None and str(player) in record.seats:
            found.append((row, record))
        if len(found) == PAGE:
            break
    names = _names(tx, [seat for _, record in found for seat in record.seats])
    full = len(found) == PAGE or len(rows) == 4 * PAGE
    last = (found[-1][0] if len(found) == PAGE else rows[-1]).ended_us if full else since
    return hall_pb2.HandList(
        hands=[
            hall_pb2.FinishedHand(
                table=row.table_id,
                hand=row.hand,
                game=record.game,
                ended_us=row.ended_us,
                result=record.outcome.result,
                seat=record.seats.index(str(player)),
                deltas=record.outcome.deltas,
                names=[names.get(seat, "") for seat in record.seats],
            )
            for row, record in found
        ],
        before_us=last,
    )


def one(tx: Connection, player: int, *, table: int, hand: int) -> hall_pb2.HandRecord:
    """Refused(NOT_YOUR_HAND) for whoever did not sit in it, as if there were none."""
    body = tx.scalar(
        select(HandRecord.record).where(HandRecord.table_id == table, HandRecord.hand == hand)
    )
    record = None if body is None else _read(body)
    if body is None or record is None or str(player) not in record.seats:
        raise Refused("NOT_YOUR_HAND")
    names = _names(tx, record.seats)
    return hall_pb2.HandRecord(
        record=zlib.compress(body, 9), names=[names.get(seat, "") for seat in record.seats]
    )


def _read(body: bytes) -> Record | None:
    """None for one that is not to be read: it is the host's, and not checked when it is booked."""
    try:
        return records.decode(body)
    except RecordError:
        return None


def _names(tx: Connection, seats: Sequence[str]) -> dict[str, str]:
    ids = {int(seat) for seat in seats}
    rows = tx.execute(select(Player.id, Player.name).where(Player.id.in_(ids)))
    return {str(row.id): row.name for row in rows}
