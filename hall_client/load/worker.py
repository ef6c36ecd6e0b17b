"""One process of load: reads what it shall do from standard input, tells what it saw.

Each line is a JSON object. In: first a plan, then {"do": "measure" | "pause" | "leave"} or
{"do": "pace", "think_s": [low, high], "every_s": x}. Out: a report each second (`Report`).
It ends when its input ends, or when its parent dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import sys
import time
from collections.abc import Iterable
from typing import Any

import msgspec

from hall_client.bots.mind import GameMind, Mind, RandomMind
from hall_client.channels import ChannelPool
from hall_client.load.traffic import LoadPlayer, Pace, Tally, Ways
from hall_client.tls import Tls
from paiju.rules.registry import Registry
from paiju.service.process import die_with_parent, tune_gc
from paiju.wire.server_keys import decode

REPORT_S = 1.0
LEAVE_S = 20.0
_HURRY = Pace()


class WorkerPlan(msgspec.Struct, kw_only=True):
    """players: (number, room) of each; number / arrivals_per_s after `begin` (time.monotonic,
    equal in all processes of a machine) it comes. bots: play well instead of at random. ca,
    tls_name: as of `Tls`, for gateways by TLS."""

    gateways: list[str]
    server_keys: list[str]
    players: list[tuple[int, str]]
    seed: int
    run: str
    begin: float
    arrivals_per_s: float
    think_s: tuple[float, float]
    every_s: float
    bots: bool = False
    ca: str = ""
    tls_name: str = ""


class Report(msgspec.Struct, kw_only=True):
    """What happened since the last one. measured: within the time that counts. timings: None when
    there were no actions. left: all players are gone."""

    at: float
    measured: bool
    connected: int
    seated: int
    actions: int
    deliveries: int
    timings: list[str] | None
    errors: dict[str, int]
    refused: dict[str, int]
    cpu_s: float
    left: bool = False


class Worker:
    """Owner: the process's one event loop."""

    def __init__(self, plan: WorkerPlan) -> None:
        self._plan = plan
        self._registry = Registry.default()
        self._pool = ChannelPool(tls=Tls(ca=plan.ca.encode(), name=plan.tls_name))
        self._tally = Tally()
        self._pace = Pace(plan.think_s, plan.every_s)
        self._players: list[LoadPlayer] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._measuring = False
        self._leaving = asyncio.Event()

    async def run(self) -> None:
        arriving = asyncio.create_task(self._arrive())
        telling = asyncio.create_task(self._tell())
        listening = asyncio.create_task(self._listen())
        await self._leaving.wait()
        await _ended([arriving, listening])
        await self._leave()
        await _ended([telling])
        self._report(left=True)
        await self._pool.close()

    async def _arrive(self) -> None:
        plan = self._plan
        keys = tuple(decode(key) for key in plan.server_keys)
        ways = Ways(
            gateways=tuple(plan.gateways),
            server_keys=keys,
            pool=self._pool,
            run=plan.run,
            seed=plan.seed,
        )
        for number, room in plan.players:
            due = plan.begin + number / plan.arrivals_per_s
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            one = LoadPlayer(number, room, ways=ways, mind=self._mind(number), tally=self._tally)
            one.set_pace(self._pace)
            self._players.append(one)
            task = asyncio.create_task(one.run())
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        tune_gc()

    def _mind(self, number: int) -> Mind:
        if self._plan.bots:
            return GameMind(self._registry)
        choices = random.Random(f"{self._plan.seed}/{number}/mind")
        return RandomMind(self._registry, choices, eager=True)

    # ---- listening and telling -------------------------------------------------------------

    async def _listen(self) -> None:
        reader = asyncio.StreamReader()
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        while line := await reader.readline():
            self._obey(json.loads(line))
        self._leaving.set()  # nobody tells us anything any more

    def _obey(self, order: dict[str, Any]) -> None:
        what = order["do"]
        if what in ("measure", "pause"):
            self._report()  # what was before does not count with what comes
            self._measuring = what == "measure"
        elif what == "pace":
            self._set_pace(Pace(tuple(order["think_s"]), order["every_s"]))
        else:
            self._leaving.set()

    def _set_pace(self, pace: Pace) -> None:
        self._pace = pace
        for player in self._players:
            player.set_pace(pace)

    async def _tell(self) -> None:
        due = time.monotonic()
        while True:
            due += REPORT_S
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            self._report()

    def _report(self, *, left: bool = False) -> None:
        for player in self._players:
            player.count_complaints()
        seen = self._tally.take()
        report = Report(
            at=time.monotonic(),
            measured=self._measuring,
            connected=sum(player.connected for player in self._players),
            seated=sum(player.seated for player in self._players),
            actions=seen.actions,
            deliveries=seen.deliveries,
            timings=seen.timings.packed() if seen.actions else None,
            errors=dict(seen.errors),
            refused=dict(seen.refused),
            cpu_s=time.process_time(),
            left=left,
        )
        sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
        sys.stdout.buffer.flush()

    async def _leave(self) -> None:
        """Hands are played to their end quickly; who is not gone then is cut off."""
        self._measuring = False
        self._set_pace(_HURRY)
        for player in self._players:
            player.leave()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVE_S)
        await _ended(self._tasks)


async def _ended(tasks: Iterable[asyncio.Task[Any]]) -> None:
    for task in list(tasks):
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def main() -> None:
    die_with_parent()
    plan = msgspec.json.decode(sys.stdin.buffer.readline(), type=WorkerPlan)
    runner: Any = asyncio.run
    if plan.gateways[0].startswith("ws"):
        import uvloop

        runner = uvloop.run
    with contextlib.suppress(BrokenPipeError):
        runner(Worker(plan).run())


if __name__ == "__main__":
    main()
