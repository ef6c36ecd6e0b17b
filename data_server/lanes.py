"""Lanes: a bounded queue per kind of call, so that one kind never starves another.

Owner: the process. A call waits for its lane (and may be cancelled there), then runs to its
end whatever its caller does: a transaction is never cut in the middle, and the pool keeps
its connection. What does not fit into the queue is refused at once with a time to wait.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from data_server.errors import Overloaded, Unreachable

T = TypeVar("T")

SHORTEST_WAIT_MS = 50
LONGEST_WAIT_MS = 10_000
_LEARN = 0.05


class Lane:
    def __init__(self, name: str, *, at_once: int, waiting: int) -> None:
        self.name = name
        self.at_once = at_once
        self.limit = waiting
        self.refused = 0
        self.working = 0
        self.queued = 0
        self._slots = asyncio.Semaphore(at_once)
        self._mean_s = 0.01  # of a call, moving
        self._tasks: set[asyncio.Task[object]] = set()
        self._closed = False

    async def run(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work` when its turn comes. Overloaded: it was not begun."""
        if self._closed:
            raise Unreachable("draining", retry_after_ms=500)
        if self._slots.locked() and self.queued >= self.limit:
            self.refused += 1
            raise Overloaded(f"{self.name}: queue full", retry_after_ms=self._wait_ms())
        self.queued += 1
        try:
            await self._slots.acquire()
        finally:
            self.queued -= 1
        task = asyncio.ensure_future(self._work(work))
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return await asyncio.shield(task)

    async def _work(self, work: Callable[[], Awaitable[T]]) -> T:
        begun = time.monotonic()
        self.working += 1
        try:
            return await work()
        finally:
            self.working -= 1
            self._slots.release()
            self._mean_s += _LEARN * (time.monotonic() - begun - self._mean_s)

    def _done(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # its caller may be gone; it was seen

    def _wait_ms(self) -> int:
        turns = (self.queued + 1) / self.at_once
        wait = int(1000 * turns * self._mean_s)
        return min(max(wait, SHORTEST_WAIT_MS), LONGEST_WAIT_MS)

    async def drain(self) -> None:
        """Take no more calls; returns when those at work are done."""
        self._closed = True
        while self._tasks:
            await asyncio.wait(self._tasks)
