"""A stock of table ids, taken from the data server in blocks before they are needed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

BLOCK = 5_000
LOW = 1_000

Allocate = Callable[[data_pb2.AllocateIdsRequest], Awaitable[data_pb2.AllocateIdsReply]]


class IdStock:
    """`next` never waits; when the stock is empty it is Refused(RETRY)."""

    def __init__(self, allocate: Allocate) -> None:
        self._allocate = allocate
        self._next = 0
        self._end = 0
        self._later: tuple[int, int] | None = None  # the block after this one
        self._low = asyncio.Event()

    def next(self) -> int:
        if self._next == self._end:
            if self._later is None:
                raise Refused("RETRY", retry_after_ms=1000)
            self._next, self._end = self._later
            self._later = None
        if self._end - self._next < LOW and self._later is None:
            self._low.set()
        self._next += 1
        return self._next - 1

    async def fill(self) -> None:
        """Fetch one block."""
        reply = await self._allocate(data_pb2.AllocateIdsRequest(count=BLOCK))
        block = (reply.first, reply.first + reply.count)
        if self._next == self._end:
            self._next, self._end = block
        else:
            self._later = block

    async def keep_filled(self) -> None:
        """For ever: fetch the next block when the stock runs low."""
        while True:
            await self._low.wait()
            self._low.clear()
            try:
                await self.fill()
            except Refused:
                await asyncio.sleep(1)
                self._low.set()
