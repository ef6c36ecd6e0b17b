"""Who came and went, told to the data server in batches.

Only the newest change of a player counts. A batch that could not be told is kept and goes
with the next one, unless something newer is known by then. Lost when the gateway dies: the
data server then forgets the gateway with the server's lease.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

MAX_BATCH = 500

Tell = Callable[[data_pb2.PresenceRequest], Awaitable[object]]


class Presence:
    def __init__(self, tell: Tell, *, server: str, gateway: str, every_s: float = 0.25) -> None:
        self._tell = tell
        self._server = server
        self._gateway = gateway
        self._every_s = every_s
        self._changes: dict[int, tuple[int, bool]] = {}
        self._some = asyncio.Event()

    def changed(self, player: int, epoch: int, *, online: bool) -> None:
        """Not for an epoch lower than one that waits: the newer session decides."""
        waiting = self._changes.get(player)
        if waiting is None or epoch >= waiting[0]:
            self._changes[player] = (epoch, online)
            self._some.set()

    async def run(self) -> None:
        """For ever: tell what has changed."""
        while True:
            await self._some.wait()
            await asyncio.sleep(self._every_s)
            await self.flush()

    async def flush(self) -> None:
        """Tell all that waits; what cannot be told goes on waiting."""
        while self._changes:
            batch = dict(list(self._changes.items())[:MAX_BATCH])
            for player in batch:
                del self._changes[player]
            request = data_pb2.PresenceRequest(
                server=self._server,
                gateway=self._gateway,
                changes=[
                    data_pb2.PresenceChange(player=player, session_epoch=epoch, online=online)
                    for player, (epoch, online) in batch.items()
                ],
            )
            try:
                await self._tell(request)
            except Refused:
                for player, (epoch, online) in batch.items():
                    newer = self._changes.get(player)
                    if newer is None or newer[0] < epoch:
                        self._changes[player] = (epoch, online)
                return  # `_some` stays set: tried again after the pause
        self._some.clear()
