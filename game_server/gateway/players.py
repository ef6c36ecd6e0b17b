"""Who is here: one live connection per player, the newest.

Owner: the gateway's loop. A connection is removed only by itself: a late end of an older one
never touches the newer. `below` remembers what the data server has ended, so that a ticket of
an ended session is refused here even before a host would.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

from game_server.gateway.player import Pair

C = TypeVar("C")

_REMEMBERED = 50_000


class Players(Generic[C]):
    def __init__(self) -> None:
        self._live: dict[int, tuple[Pair, C]] = {}
        self._below: OrderedDict[int, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._live)

    def __iter__(self) -> Iterator[C]:
        return iter([connection for _, connection in self._live.values()])

    def get(self, player: int) -> C | None:
        found = self._live.get(player)
        return None if found is None else found[1]

    def is_stale(self, player: int, pair: Pair, connection: C) -> bool:
        """Whether a newer session of the player is known: the pair may not open."""
        if pair[0] < self._below.get(player, 0):
            return True
        found = self._live.get(player)
        return found is not None and found[1] is not connection and found[0] > pair

    def claim(self, player: int, pair: Pair, connection: C) -> C | None:
        """Make it the live one; the connection that it replaces. Not for a stale pair."""
        found = self._live.get(player)
        self._live[player] = (pair, connection)
        return None if found is None or found[1] is connection else found[1]

    def release(self, player: int, connection: C) -> bool:
        """The connection is over. False: another one is live, nothing was removed."""
        found = self._live.get(player)
        if found is None or found[1] is not connection:
            return False
        del self._live[player]
        return True

    def end_below(self, player: int, epoch: int) -> C | None:
        """Sessions below `epoch` are over; the live connection, to be looked at."""
        self._below[player] = max(epoch, self._below.pop(player, 0))
        while len(self._below) > _REMEMBERED:
            self._below.popitem(last=False)
        return self.get(player)
