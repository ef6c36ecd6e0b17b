"""Hands that the ledger refused, and what an operator may do about them.

Their tables stand still: no hand begins there and no stake is returned. Made void, a hand is
booked as one in which nobody won or lost; its host learns that when it asks again, stands
everybody up with what the ledger says, and closes the table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy.engine import Connection

from data_server.backoffice import check_reason
from data_server.store import audits, refused_hands, settlements
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.operations import Operations
from paiju.rules import record as records
from paiju.rules.record import RecordedOutcome, RecordError
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class StoppedTables:
    database: Database
    ids: Ids
    operations: Operations
    clock: Callable[[], int]

    async def refused(self) -> data_pb2.RefusedHandsReply:
        rows = await self.database.read(refused_hands.waiting)
        return data_pb2.RefusedHandsReply(hands=[_told(r) for r in rows], now_us=self.clock())

    async def void(self, request: data_pb2.VoidHandRequest, *, who: str) -> data_pb2.Reply:
        check_reason(request.reason)
        entry = await self.ids.one()

        def work(tx: Connection) -> data_pb2.Reply:
            row = refused_hands.held(tx, (request.table, request.hand))
            if row is None:
                raise Refused("NO_SUCH_HAND")
            message = data_pb2.Settlement.FromString(row.settlement)
            now = self.clock()
            settlements.make_void(
                tx,
                settlements.Job(entry, settlements.hand_of(message), message),
                record=void_record(message.record),
                host=row.host,
                epoch=0,
                now_us=now,
            )
            audits.append(
                tx,
                who=who,
                what="void",
                target=f"table {request.table} hand {request.hand}",
                why=request.reason,
                before=f"{message.result}, refused: {row.code}",
                after="void",
                now_us=now,
            )
            return data_pb2.Reply()

        body = data_pb2.VoidHandRequest(
            table=request.table, hand=request.hand, reason=request.reason
        )
        return await self.operations.once(
            request.op, kind="VoidHand", body=body, answer=data_pb2.Reply, work=work
        )


def void_record(record: bytes) -> bytes:
    """The same hand without a result; what cannot be read stays as it is."""
    try:
        found = records.decode(record)
    except RecordError:
        return record
    outcome = RecordedOutcome.of(None, seats=len(found.seats))
    return records.encode(msgspec.structs.replace(found, outcome=outcome))


def _told(row: Any) -> data_pb2.RefusedHand:
    message = data_pb2.Settlement.FromString(row.settlement)
    return data_pb2.RefusedHand(
        table=message.table,
        hand=row.hand,
        host=row.host,
        code=row.code,
        refused_us=row.refused_us,
        players=[change.player for change in message.seats],
    )
