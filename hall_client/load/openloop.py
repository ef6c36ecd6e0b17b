"""Calls by a timetable, whatever becomes of the calls before: an open loop.

A call's latency counts from the moment at which it was due. So a stall is seen by every call
that should have been made meanwhile, and nothing has to be corrected afterwards. Calls that
would pile up beyond a bound are not made: they count as errors, which is what they are.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from hall_client.load.timings import Timings

Call = Callable[[int], Awaitable[None]]
"""The n-th call of a kind; raises what went wrong."""
MOST_WAITING = 2_000


class Failed(Exception):
    """A call was refused or failed; its text is the reason, good for counting."""


@dataclass(frozen=True)
class Kind:
    """per_s: calls a second; 0: `at_once` callers that call again as soon as they are answered (a
    closed loop: it finds the most that is possible, and says nothing of stalls)."""

    call: Call
    per_s: float
    at_once: int = 1


@dataclass
class Count:
    done: int = 0
    timings: Timings = field(default_factory=Timings)
    errors: Counter[str] = field(default_factory=Counter)

    @property
    def failed(self) -> int:
        return sum(self.errors.values())


class Loop:
    """`run` once for the warm-up and once to measure; `counts` begin anew with each."""

    def __init__(self, kinds: Mapping[str, Kind], stopped: asyncio.Event) -> None:
        self.counts: dict[str, Count] = {}
        self.seconds = 0.0
        self.over_time: list[dict[str, Any]] = []
        self._kinds = kinds
        self._stopped = stopped
        self._numbers = {name: 0 for name in kinds}
        self._waiting: set[asyncio.Task[None]] = set()
        self._second = Count()

    async def run(self, seconds: float, *, each: Callable[[float], None] = lambda _: None) -> None:
        """each: called every second with the seconds that have passed."""
        self.counts = {name: Count() for name in self._kinds}
        self.over_time, self._second = [], Count()
        begun = time.monotonic()
        until = begun + seconds
        tasks = [
            asyncio.create_task(self._kind(name, begun, until))
            for name, kind in self._kinds.items()
            if kind.per_s > 0 or kind.at_once > 0
        ]
        watching = asyncio.create_task(self._watch(begun, each))
        try:
            await asyncio.gather(*tasks)
            self.seconds = time.monotonic() - begun
            if self._waiting:
                await asyncio.wait(self._waiting, timeout=10.0)
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def _kind(self, name: str, begun: float, until: float) -> None:
        kind = self._kinds[name]
        if kind.per_s > 0:
            await self._open(name, kind, begun, until)
        else:
            await asyncio.gather(*(self._closed(name, kind, until) for _ in range(kind.at_once)))

    async def _open(self, name: str, kind: Kind, begun: float, until: float) -> None:
        number = 0
        while (due := begun + number / kind.per_s) < until and not self._stopped.is_set():
            wait = due - time.monotonic()
            if wait > 0:
                await asyncio.sleep(wait)
            if len(self._waiting) < MOST_WAITING:
                task = asyncio.create_task(self._one(name, kind, due))
                self._waiting.add(task)
                task.add_done_callback(self._waiting.discard)
            else:
                self._fail(name, "not made: too many are waiting")
            number += 1

    async def _closed(self, name: str, kind: Kind, until: float) -> None:
        while time.monotonic() < until and not self._stopped.is_set():
            await self._one(name, kind, time.monotonic())

    async def _one(self, name: str, kind: Kind, due: float) -> None:
        number = self._numbers[name]
        self._numbers[name] += 1
        try:
            await kind.call(number)
        except Failed as failed:
            self._fail(name, str(failed))
            await asyncio.sleep(0)  # a closed loop of failures must not hold the others up
        else:
            taken = time.monotonic() - due
            for count in (self.counts[name], self._second):
                count.done += 1
                count.timings.record(taken)

    def _fail(self, name: str, reason: str) -> None:
        for count in (self.counts[name], self._second):
            count.errors[reason] += 1

    async def _watch(self, begun: float, each: Callable[[float], None]) -> None:
        number = 0
        while True:
            number += 1
            await asyncio.sleep(max(0.0, begun + number - time.monotonic()))
            seen, self._second = self._second, Count()
            self.over_time.append(
                {
                    "second": number - 1,
                    "operations": seen.done,
                    "errors": seen.failed,
                    "latency_ms": seen.timings.summary(),
                }
            )
            each(time.monotonic() - begun)

    def together(self) -> Count:
        """All kinds."""
        whole = Count()
        for count in self.counts.values():
            whole.done += count.done
            whole.timings.add(count.timings)
            whole.errors.update(count.errors)
        return whole
