"""Locked tables: who may sit down and look on at a table that somebody opened for friends.

The journal and the host's memory hold a digest of the key, bound to the table, never the key.
"""

from __future__ import annotations

import hashlib
import hmac

from game_server.bucket import Bucket
from paiju.service.refusals import Refused

KNOCKS, KNOCKS_PER_S = 30.0, 0.5
"""Keys that strangers may try at a table, all together: those that people make up are short."""
_LABEL = b"paiju table key v1"


def lock_of(table: int, key: str) -> str:
    """What is kept of a key; "" for none: the table is open to all."""
    if not key:
        return ""
    return hashlib.sha256(_LABEL + table.to_bytes(8, "big") + key.encode()).hexdigest()


class Lock:
    """Of one table. digest: from `lock_of`; "": the table is open, and the lock false."""

    def __init__(self, table: int, digest: str) -> None:
        self.digest = digest
        self._table = table
        self._guests: set[int] = set()
        self._knocks: Bucket | None = None

    def __bool__(self) -> bool:
        return bool(self.digest)

    def admit(self, player: int, key: str, *, now: float) -> None:
        """Once the key was said it need not be said again. Refused: TABLE_LOCKED; TOO_FAST when
        too many keys were tried. now: monotonic seconds.

        Not in the journal: after a restart of the host who only looks on says it again.
        """
        if not self.digest or player in self._guests:
            return
        if key:
            self._knock(now)
        if not hmac.compare_digest(self.digest, lock_of(self._table, key)):
            raise Refused("TABLE_LOCKED")
        self._guests.add(player)

    def _knock(self, now: float) -> None:
        if self._knocks is None:
            self._knocks = Bucket(burst=KNOCKS, per_s=KNOCKS_PER_S, now=now)
        if not self._knocks.take(1, now):
            raise Refused("TOO_FAST", retry_after_ms=self._knocks.wait_ms(1, now))
