"""Records of hands, read back for those who look for collusion."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations

from sqlalchemy import select
from sqlalchemy.engine import Connection

from data_server.store.locks import prefix
from data_server.store.tables import HandRecord, PlayerAddress

CROWD = 4  # an address that more accounts use is a cafe's or a school's
_CHUNK = 500


def since(tx: Connection, since_us: int, *, limit: int) -> list[tuple[str, bytes]]:
    """(rule set, record) of the newest hands, at most `limit`, in the order of their ends."""
    rows = tx.execute(
        select(HandRecord.rule_set, HandRecord.record)
        .where(HandRecord.ended_us >= since_us)
        .order_by(HandRecord.ended_us.desc(), HandRecord.table_id, HandRecord.hand)
        .limit(limit)
    )
    return [(row.rule_set, row.record) for row in rows][::-1]


def sharing_an_address(tx: Connection, players: Iterable[int]) -> set[tuple[int, int]]:
    """Pairs of these players (lower id first) that came from an address few others use."""
    at: dict[str, set[int]] = defaultdict(set)
    ids = sorted(set(players))
    for start in range(0, len(ids), _CHUNK):
        rows = tx.execute(
            select(PlayerAddress.player_id, PlayerAddress.address).where(
                PlayerAddress.player_id.in_(ids[start : start + _CHUNK])
            )
        )
        for row in rows:
            at[prefix(row.address)].add(row.player_id)
    crowds = Counter({place: len(found) for place, found in at.items()})
    return {
        pair
        for place, found in at.items()
        if crowds[place] <= CROWD
        for pair in combinations(sorted(found), 2)
    }
