"""Ids: 64-bit numbers that nobody else gets, taken from the database in blocks.

Owner of the current block: this process; what is left of it is lost when it ends.
"""

from __future__ import annotations

import asyncio

from sqlalchemy import update
from sqlalchemy.engine import Connection

from data_server.store.database import Database
from data_server.store.tables import IdBlock

BLOCK = 1024


class Ids:
    def __init__(self, database: Database) -> None:
        self.database = database
        self._next = 0
        self._end = 0
        self._turn = asyncio.Lock()

    async def take(self, count: int) -> range:
        """Fresh ids in a row. Call it outside of transactions: it may need one itself."""
        async with self._turn:
            if self._end - self._next < count:
                self._next = await self.allocate(max(count, BLOCK))
                self._end = self._next + max(count, BLOCK)
            first = self._next
            self._next += count
        return range(first, first + count)

    async def one(self) -> int:
        return (await self.take(1))[0]

    async def allocate(self, count: int) -> int:
        """The first of `count` ids that are the caller's, straight from the database."""

        def work(tx: Connection) -> int:
            after = tx.scalar(
                update(IdBlock)
                .where(IdBlock.name == "ids")
                .values(next_id=IdBlock.next_id + count)
                .returning(IdBlock.next_id)
            )
            assert after is not None
            return int(after) - count

        return await self.database.write(work)
