"""What the journal costs: one host, with it and without it, on SQLite and on PostgreSQL.

    python scripts/bench_journal.py [--tables 100] [--seconds 6] [--json FILE]

The host runs in this process with everything but its network: tables, rules, journal, outbox.
Players act by the rules' default action, so that little but the host is measured. `most`: as
fast as the host answers. `paced`: 500 actions a second in all by a timetable; a latency counts
from the moment an action was due. Both ways in turn, round by round, medians of the rounds.
Targets: with the journal at least 75 % of the actions per second, p99 at most 10 ms later.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from paiju.cli.databases import OwnPostgres
from paiju.service import logs
from paiju.service.ids import new_op
from paiju.service.process import tune_gc
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2
from tests.unit.tables.host_rig import Rig

RATE = 500.0
LEAST_RATIO = 0.75
MOST_LATER_MS = 10.0
ROUNDS = 3
SEATS = 3


class Link:
    """A gateway's stream: answers go to who waits for them, the rest nowhere."""

    gateway = "bench"
    closed = False

    def __init__(self) -> None:
        self.waiting: dict[int, asyncio.Future[host_pb2.HostAnswer]] = {}

    def send(self, event: bytes) -> None:
        told = host_pb2.HostEvent.FromString(event)
        if told.HasField("answer"):
            future = self.waiting.pop(told.answer.id, None)
            if future is not None:
                future.set_result(told.answer)


@dataclass
class Players:
    """Of one table."""

    rig: Rig
    link: Link
    first: int
    number: Any
    ref: common_pb2.TableRef = field(default_factory=common_pb2.TableRef)
    latencies: list[float] = field(default_factory=list)

    async def ask(self, player: int, **body: Any) -> host_pb2.HostAnswer:
        number = next(self.number)
        future = self.link.waiting[number] = asyncio.get_running_loop().create_future()
        command = host_pb2.HostCommand(
            id=number,
            player=player,
            session_epoch=1,
            connection=1,
            name=f"p{player}",
            op=new_op(),
            **body,
        )
        self.rig.host.handle(self.link, command)  # type: ignore[arg-type]
        return await future

    async def sit(self) -> None:
        for player in range(self.first, self.first + SEATS):
            join = hall_pb2.QuickJoin(room=self.rig.room.id)
            self.ref = (await self.ask(player, quick_join=join)).seated.table
        await self._ready()

    async def _ready(self) -> None:
        for player in self._seated():
            await self.ask(player, ready=hall_pb2.Ready(table=self.ref))

    def _seated(self) -> list[int]:
        return [seat.player for seat in self.rig.table(self.ref).seats]

    async def act(self, due: float) -> None:
        """One action; due: when it was to be sent."""
        table = self.rig.table(self.ref)
        if table.hand is None:
            await self._ready()
        hand = table.hand
        seat = hand.state.to_act()[0]
        # Somebody must call, or the hand is over before it was played.
        legal = [hand.game.format(a) for a in hand.state.legal_actions(seat)[:4]]
        calls = [line for line in legal if line == "call 3"]
        line = calls[0] if calls else hand.game.format(hand.state.default_action(seat))
        act = hall_pb2.Act(
            table=self.ref, action=line, hand=hand.number, decided_on=table.stream.seq
        )
        answer = await self.ask(table.seats[seat].player, act=act)
        if not answer.HasField("acted"):
            raise RuntimeError(f"{line}: {answer}")
        self.latencies.append(time.perf_counter() - due)


async def measure(url: str, *, journaled: bool, tables: int, seconds: float) -> dict[str, float]:
    """actions/s as fast as it goes, CPU per action then (both threads); p50, p99 (ms) at RATE."""
    rig = Rig(url, journaled=journaled, spacing_ms=4.0, max_tables=tables + 8, stall_s=60.0)
    link, number = Link(), iter(range(1, 2**60))
    rig.host.link_opened(link)  # type: ignore[arg-type]
    groups = [Players(rig, link, 1 + SEATS * n, number) for n in range(tables)]
    for group in groups:
        await group.sit()
    tune_gc()
    try:
        until, cpu = time.perf_counter() + seconds, time.process_time()
        await asyncio.gather(*(_fast(group, until) for group in groups))
        acted = sum(len(group.latencies) for group in groups)
        cpu_ms = 1000 * (time.process_time() - cpu) / acted
        for group in groups:
            group.latencies.clear()
        begun = time.perf_counter()
        await asyncio.gather(
            *(
                _paced(group, begun + n / RATE, tables / RATE, begun + seconds)
                for n, group in enumerate(groups)
            )
        )
        latencies = sorted(one for group in groups for one in group.latencies)
        return {
            "most": acted / seconds,
            "cpu_ms": cpu_ms,
            "p50": _ms(latencies, 0.5),
            "p99": _ms(latencies, 0.99),
        }
    finally:
        await rig.kill()


async def _fast(group: Players, until: float) -> None:
    while time.perf_counter() < until:
        await group.act(time.perf_counter())


async def _paced(group: Players, due: float, every: float, until: float) -> None:
    while due < until:
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        await group.act(due)
        due += every


def _ms(ordered: Sequence[float], q: float) -> float:
    return 1000 * ordered[max(0, math.ceil(q * len(ordered)) - 1)]


async def compare(urls: Sequence[str], *, tables: int, seconds: float) -> dict[str, Any]:
    """With and without in turn, once per URL: each round has a fresh database."""
    found: dict[bool, list[dict[str, float]]] = {False: [], True: []}
    for number, url in enumerate(urls):
        for journaled in (True, False) if number % 2 else (False, True):
            found[journaled].append(
                await measure(url, journaled=journaled, tables=tables, seconds=seconds)
            )
    without, with_it = (
        {name: round(statistics.median(one[name] for one in rounds), 2) for name in rounds[0]}
        for rounds in (found[False], found[True])
    )
    ratio = with_it["most"] / without["most"]
    later = with_it["p99"] - without["p99"]
    return {
        "without": without,
        "with": with_it,
        "ratio": round(ratio, 3),
        "p99_later_ms": round(later, 2),
        "held": ratio >= LEAST_RATIO and later <= MOST_LATER_MS,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--json", metavar="FILE")
    given = parser.parse_args()
    logs.configure("bench", level="ERROR")
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        postgres = OwnPostgres(Path(folder))
        postgres.start()
        try:
            urls = {
                "sqlite": [f"sqlite:///{folder}/journal{n}.sqlite3" for n in range(ROUNDS)],
                "postgresql": [postgres.more(f"journal{n}") for n in range(ROUNDS)],
            }
            result = {
                name: asyncio.run(compare(of, tables=given.tables, seconds=given.seconds))
                for name, of in urls.items()
            }
        finally:
            postgres.stop()
    for name, one in result.items():
        _say(name, one)
    _print(f"load average when it began: {load:.1f}")
    if given.json:
        Path(given.json).write_text(json.dumps({"load": load, **result}) + "\n", "utf-8")
    return 0 if all(one["held"] for one in result.values()) else 1


def _say(name: str, one: dict[str, Any]) -> None:
    for way in ("without", "with"):
        got = one[way]
        _print(
            f"{name:<11} {way:<8} {got['most']:6.0f} actions/s at most, "
            f"{got['cpu_ms']:.3f} ms of CPU each; "
            f"at {RATE:.0f}/s p50 {got['p50']:.2f} ms, p99 {got['p99']:.2f} ms"
        )
    _print(
        f"{name:<11} {one['ratio']:.1%} of the actions, p99 {one['p99_later_ms']:+.2f} ms: "
        f"{'holds' if one['held'] else 'DOES NOT HOLD'}"
    )


def _print(line: str) -> None:
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
