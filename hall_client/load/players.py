"""`paiju load players`: real clients that come, sit down and play, and what that cost.

    arriving -> warm-up -> measuring -> leaving

Arrivals follow a timetable whatever the hall does (open loop). At a table the next action waits
for the one before, as in the game; latencies are corrected for what a stall kept from being
sent (timings.py). What went wrong while arriving counts as an error; speeds and latencies are
those of the measured time alone.
"""

from __future__ import annotations

import asyncio
import enum
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from hall_client.load.crew import Crew
from hall_client.load.machine import Look, Watch, spent
from hall_client.load.series import Series
from hall_client.load.target import Target
from hall_client.load.traffic import Pace
from hall_client.load.worker import Report, WorkerPlan
from paiju.wire.server_keys import encode

MODULE = "hall_client.load.worker"
SETTLE_S = 20.0
"""When all should have come and nobody has sat down for so long, the run goes on without them."""
_LOOK_S = 0.2


class Phase(enum.Enum):
    ARRIVING = "arriving"
    WARM_UP = "warming up"
    MEASURING = "measuring"
    LEAVING = "leaving"


@dataclass(frozen=True, kw_only=True)
class PlayersPlan:
    """rooms: room -> players (seating.allot). seats: of a table of each room. actions_per_s: of all
    together; 0: as fast as allowed. processes: of load."""

    rooms: dict[str, int]
    seats: dict[str, int]
    seconds: float
    warm_up_s: float
    actions_per_s: float
    arrivals_per_s: float
    processes: int
    seed: int
    bots: bool = False

    @property
    def players(self) -> int:
        return sum(self.rooms.values())

    @property
    def tables(self) -> int:
        return sum(number // self.seats[room] for room, number in self.rooms.items())


@dataclass(frozen=True)
class Standing:
    """Where a run stands. latency_ms: of the measured time so far."""

    phase: Phase
    connected: int
    seated: int
    actions: int
    errors: int
    passed_s: float
    p99_ms: float


@dataclass
class PlayersRun:
    """What came of it. `before`, `begin`, `end`: looks at the hall's processes without players,
    when the measuring began, and when it ended. seconds: measured; less than asked for when it
    was interrupted."""

    plan: PlayersPlan
    series: Series
    before: Look
    begin: Look | None = None
    end: Look | None = None
    seconds: float = 0.0
    connected: int = 0
    seated: int = 0
    load_cpu_s: float = 0.0
    interrupted: bool = False
    seed: int = 0
    steps: list[Step] = field(default_factory=list)

    def cpu_s(self) -> dict[str, float]:
        """CPU seconds by role in the measured time."""
        return spent(self.begin, self.end) if self.begin and self.end else {}


@dataclass(frozen=True)
class Step:
    """One rate of a ramp."""

    wanted_per_s: float
    actions_per_s: float
    latency_ms: dict[str, float]
    errors: int
    cpu: dict[str, float]
    """Cores by role, the load itself as "load"."""
    limit: str = ""
    """What was reached here, in words."""


class Runner:
    """`run` once; `stop` from a signal handler ends it early and keeps what was measured."""

    def __init__(
        self,
        plan: PlayersPlan,
        target: Target,
        *,
        report: Callable[[Standing], None] = lambda _: None,
    ) -> None:
        self.plan = plan
        self.watch = Watch(target.processes)
        self._target = target
        self._told = report
        self._stopped = asyncio.Event()
        self._phase = Phase.ARRIVING
        self._measured_from = 0.0
        self._cpu: Look | None = None

    def stop(self) -> None:
        self._stopped.set()

    async def run(self) -> PlayersRun:
        """Raises WorkerDied."""
        run = PlayersRun(
            self.plan, Series(time.monotonic()), self.watch.look(), seed=self.plan.seed
        )
        self._run = run
        begin = time.monotonic() + 1.0 + 0.5 * self.plan.processes  # until all have started
        async with Crew(MODULE, self._plans(begin), self._heard) as self.crew:
            await self._arrive(begin)
            self._phase = Phase.WARM_UP
            await self.wait(self.plan.warm_up_s)
            await self.measure(run)
            self._phase = Phase.LEAVING
            run.interrupted = self._stopped.is_set()
            self._tell()
        return run

    async def measure(self, run: PlayersRun) -> None:
        """The time that counts."""
        self._phase = Phase.MEASURING
        self._measured_from = time.monotonic()
        run.begin, load_cpu = self.watch.look(), run.series.cpu_s
        self.crew.say({"do": "measure"})
        await self.hold(self.plan.seconds)
        run.seconds = time.monotonic() - self._measured_from
        run.end = self.watch.look()
        run.connected, run.seated = run.series.connected, run.series.seated
        await self._pause()
        run.load_cpu_s = run.series.cpu_s - load_cpu

    async def hold(self, seconds: float) -> None:
        """What happens in the measured time; a ramp does more in it."""
        await self.wait(seconds)

    async def wait(self, seconds: float) -> None:
        """So long, or until it was stopped."""
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self._stopped.is_set():
            self.crew.check()
            self._tell()
            await asyncio.sleep(min(_LOOK_S, max(0.0, until - time.monotonic())))

    @property
    def stopped(self) -> bool:
        return self._stopped.is_set()

    async def _pause(self) -> None:
        """The last figures of the measured time are on their way."""
        self.crew.say({"do": "pause"})
        heard = self._reports
        for _ in range(25):
            if self._reports >= heard + self.plan.processes:
                return
            await asyncio.sleep(0.1)

    async def _arrive(self, begin: float) -> None:
        """Until all sit, or nothing more comes of it."""
        last = begin + self.plan.players / self.plan.arrivals_per_s + SETTLE_S
        most = 0
        while not self._stopped.is_set() and time.monotonic() < last:
            self.crew.check()
            self._tell()
            sitting = self._run.series.seated
            if sitting >= self.plan.players:
                return
            if sitting > most:
                most, last = sitting, max(last, time.monotonic() + SETTLE_S)
            await asyncio.sleep(_LOOK_S)

    # ---- what the processes do and tell ----------------------------------------------------

    _reports = 0

    def _heard(self, process: int, line: bytes) -> None:
        report = msgspec.json.decode(line, type=Report)
        self._run.series.add(process, report)
        self._reports += 1
        now = self.watch.look(memory=False) if process == 0 else None
        if now is not None:
            if self._cpu is not None:
                self._run.series.second(report.at).cpu = spent(self._cpu, now)
            self._cpu = now

    def _plans(self, begin: float) -> Sequence[WorkerPlan]:
        plan = self.plan
        pace = Pace.of_tables(plan.tables, plan.actions_per_s)
        rooms = _mixed(plan.rooms, plan.seats)
        run = secrets.token_hex(8)
        return [
            WorkerPlan(
                gateways=list(self._target.gateways),
                server_keys=[encode(key) for key in self._target.server_keys],
                ca=self._target.tls.ca.decode("ascii", "ignore"),
                tls_name=self._target.tls.name,
                players=rooms[number :: plan.processes],
                seed=plan.seed,
                run=run,
                begin=begin,
                arrivals_per_s=plan.arrivals_per_s,
                think_s=pace.think_s,
                every_s=pace.every_s,
                bots=plan.bots,
            )
            for number in range(plan.processes)
        ]

    def _tell(self) -> None:
        series = self._run.series
        measuring = self._phase is Phase.MEASURING
        passed = time.monotonic() - self._measured_from if measuring else 0.0
        self._told(
            Standing(
                phase=self._phase,
                connected=series.connected,
                seated=series.seated,
                actions=series.actions,
                errors=sum(series.errors.values()),
                passed_s=passed,
                p99_ms=series.timings.summary()["p99"],
            )
        )


def _mixed(rooms: dict[str, int], seats: dict[str, int]) -> list[tuple[int, str]]:
    """(number, room) of each player, table after table through all rooms in turn, so that tables
    fill up as people arrive."""
    left, order = dict(rooms), []
    while any(left.values()):
        for room, number in left.items():
            some = min(number, seats[room])
            order += [room] * some
            left[room] -= some
    return list(enumerate(order))
