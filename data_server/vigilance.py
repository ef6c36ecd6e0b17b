"""Looking for collusion: what the RPC `FindCollusion` does. It reads and changes nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from sqlalchemy.engine import Connection

from data_server.backoffice import DEFAULT_ROWS, MAX_ROWS
from data_server.collusion import suspects
from data_server.collusion.hands import Hand, hand_of
from data_server.store import hands
from data_server.store.database import Database
from paiju.rules import record as records
from paiju.wire.v1 import data_pb2

log = structlog.get_logger()

DAYS_30_US = 30 * 86_400 * 10**6
MOST_HANDS = 50_000  # about 0.1 ms and 2 kB each


@dataclass(frozen=True, kw_only=True)
class Vigilance:
    database: Database
    clock: Callable[[], int]
    most_hands: int = MOST_HANDS

    async def find(self, request: data_pb2.CollusionRequest) -> data_pb2.CollusionReply:
        since_us = request.since_us or self.clock() - DAYS_30_US

        def look(tx: Connection) -> list[tuple[str, bytes]]:
            return hands.since(tx, since_us, limit=self.most_hands + 1)

        rows = await self.database.read(look)
        truncated = len(rows) > self.most_hands
        read = await asyncio.to_thread(_read, rows[-self.most_hands :])
        players = {player for hand in read for player in hand.nets}
        address = await self.database.read(lambda tx: hands.sharing_an_address(tx, players))
        found = await asyncio.to_thread(suspects.find, read, same_address=address)
        limit = min(request.limit or DEFAULT_ROWS, MAX_ROWS)
        return data_pb2.CollusionReply(
            pairs=[_message(suspicion) for suspicion in found.suspicions[:limit]],
            hands=len(read),
            players=found.players,
            pairs_seen=found.pairs,
            since_us=since_us,
            truncated=truncated,
        )


def _read(rows: list[tuple[str, bytes]]) -> list[Hand]:
    """Hands whose record can be read; others are left out and counted in the log."""
    read, unreadable = [], 0
    for rule_set, data in rows:
        try:
            read.append(hand_of(records.decode(data), pool=rule_set))
        except ValueError:
            unreadable += 1
    if unreadable:
        log.warning("collusion.unreadable", hands=unreadable)
    return read


def _message(suspicion: suspects.Suspicion) -> data_pb2.Suspicion:
    first, second = suspicion.pair
    return data_pb2.Suspicion(
        first=first,
        second=second,
        hands=suspicion.hands,
        meetings=suspicion.meetings,
        meetings_expected=suspicion.meetings_expected,
        meetings_p=suspicion.meetings_p,
        flow=suspicion.flow,
        flow_p=suspicion.flow_p,
        soft_passes=suspicion.soft_passes,
        soft_expected=suspicion.soft_expected,
        soft_p=suspicion.soft_p,
        same_address=suspicion.same_address,
        signals=suspicion.signals,
        score=suspicion.score,
    )
