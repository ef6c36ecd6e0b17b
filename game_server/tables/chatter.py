"""How much may be said at a table: each seat for itself, all spectators together.

Whoever sits there reads every line, and his connection carries it: without a limit a few
strangers could talk somebody with a slow connection out of a running hand. Pure; one per table.
"""

from __future__ import annotations

from game_server.bucket import Bucket
from paiju.service.refusals import Refused

BURST = 6.0
PER_S = 1.0


class Chatter:
    def __init__(self, *, seats: int, now: float) -> None:
        self._buckets = [Bucket(burst=BURST, per_s=PER_S, now=now) for _ in range(seats + 1)]

    def admit(self, seat: int | None, now: float) -> None:
        """One line of that seat, None: of a spectator. Raises Refused(TOO_FAST). now: seconds."""
        bucket = self._buckets[-1 if seat is None else seat]
        if not bucket.take(1, now):
            raise Refused("TOO_FAST", retry_after_ms=bucket.wait_ms(1, now))
