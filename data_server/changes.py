"""That something about game packages has changed, pushed to those who follow.

Owner: the process. A number only says that there is something newer to ask for; numbers may be
skipped and nothing is lost with the stream, because followers ask now and then anyway.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator


class Changes:
    def __init__(self) -> None:
        self.newest = 0
        self._following = 0
        self._told = asyncio.Event()  # of the next change; set and replaced by it
        self._closed = False

    def count(self) -> int:
        return self._following

    def tell(self, number: int) -> None:
        """After the commit, or when another data server's change is seen."""
        if number > self.newest:
            self.newest = number
            self._wake()

    async def follow(self) -> AsyncGenerator[int, None]:
        """The newest number, then each newer one, until the caller stops or the process drains."""
        seen = -1
        self._following += 1
        try:
            while not self._closed:
                told = self._told
                if self.newest > seen:
                    seen = self.newest
                    yield seen
                else:
                    await told.wait()
        finally:
            self._following -= 1

    def close(self) -> None:
        """End all streams: followers go to another data server."""
        self._closed = True
        self._wake()

    def _wake(self) -> None:
        told, self._told = self._told, asyncio.Event()
        told.set()
