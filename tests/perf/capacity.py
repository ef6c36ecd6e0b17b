"""A game server as queues: what its cores do with actions that cost what was measured.

Each action goes through the gateway of its player, the table host (loop, then the journal's
thread, which takes all that waits in one commit and pauses between two), and back through the
gateways of all who see it. Processes are single servers with a queue; cores are shared, so a
process that has work may have to wait for a core. Virtual time, seeded, no I/O: a second of
2,000 actions takes about a tenth of a second. Costs are given in microseconds of CPU.
"""

from __future__ import annotations

import heapq
import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

SPACING_S = 0.004
"""Least time between two commits (`Journal`, spacing_ms)."""


@dataclass(frozen=True, kw_only=True)
class Costs:
    """CPU of one action, microseconds. in_/out: of a gateway, for the command and for one of the
    `seats` frames. journal: of one action in a commit; commit: of each commit beside that."""

    in_us: float
    out_us: float
    host_us: float
    journal_us: float
    commit_us: float
    seats: int = 4

    @property
    def action_us(self) -> float:
        """All of it, a commit shared by the actions that 4 ms bring at 2,000 a second."""
        together = max(1.0, 2000 * SPACING_S)
        out = self.seats * self.out_us
        return self.in_us + out + self.host_us + self.journal_us + self.commit_us / together


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a game server is made of. load_us: of the load generator per action, which shares the
    cores when it runs on the machine, too."""

    cores: int = 2
    gateways: int = 2
    hosts: int = 1
    load_us: float = 0.0


@dataclass
class _Process:
    """A single server: its work waits in a queue."""

    queue: deque[tuple[float, Callable[[], None]]] = field(default_factory=deque)
    busy: bool = False


class Simulation:
    """Run once: `run(rate, seconds)` gives the latencies in seconds."""

    def __init__(self, costs: Costs, machine: Machine, *, seed: int = 7) -> None:
        self._costs = costs
        self._random = random.Random(seed)
        self._machine = machine
        self._now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._cores = machine.cores
        self._runnable: deque[_Process] = deque()
        self._gateways = [_Process() for _ in range(machine.gateways)]
        self._hosts = [_Process() for _ in range(machine.hosts)]
        self._writers = [_Process() for _ in range(machine.hosts)]
        self._load = _Process()
        self._unwritten: list[list[Callable[[], None]]] = [[] for _ in range(machine.hosts)]
        self._written_at = [-1.0] * machine.hosts
        self._writing = [False] * machine.hosts
        self.latencies: list[float] = []
        self.cpu_s = 0.0

    def run(self, rate: float, seconds: float) -> list[float]:
        """Actions arrive at random (Poisson); those that began in the time are counted."""
        due = self._random.expovariate(rate)
        while due < seconds:
            self._at(due, self._begin)
            due += self._random.expovariate(rate)
        while self._events:
            self._now, _, happen = heapq.heappop(self._events)
            happen()
        return self.latencies

    # ---- an action's way -------------------------------------------------------------------

    def _begin(self) -> None:
        begun = self._now
        gateway = self._random.choice(self._gateways)
        host = self._random.randrange(self._machine.hosts)
        if self._machine.load_us:
            self._do(self._load, self._machine.load_us, lambda: None)
        self._do(gateway, self._costs.in_us, lambda: self._step(host, begun))

    def _step(self, host: int, begun: float) -> None:
        self._do(self._hosts[host], self._costs.host_us, lambda: self._submit(host, begun))

    def _submit(self, host: int, begun: float) -> None:
        self._unwritten[host].append(lambda: self._show(begun))
        self._write(host)

    def _write(self, host: int) -> None:
        """All that waits, in one commit, unless one runs or has just ended."""
        if self._writing[host] or not self._unwritten[host]:
            return
        self._writing[host] = True
        wait = max(0.0, self._written_at[host] + SPACING_S - self._now)
        self._at(self._now + wait, lambda: self._commit(host))

    def _commit(self, host: int) -> None:
        batch, self._unwritten[host] = self._unwritten[host], []
        self._written_at[host] = self._now
        cost = self._costs.commit_us + self._costs.journal_us * len(batch)

        def written() -> None:
            self._writing[host] = False
            for show in batch:
                show()
            self._write(host)

        self._do(self._writers[host], cost, written)

    def _show(self, begun: float) -> None:
        """To all at the table; the action is over when the last one has it."""
        left = self._costs.seats

        def shown() -> None:
            nonlocal left
            left -= 1
            if not left:
                self.latencies.append(self._now - begun)

        for _ in range(self._costs.seats):
            self._do(self._random.choice(self._gateways), self._costs.out_us, shown)

    # ---- processes and cores ---------------------------------------------------------------

    def _do(self, process: _Process, us: float, then: Callable[[], None]) -> None:
        process.queue.append((us / 1e6, then))
        if not process.busy:
            process.busy = True
            self._runnable.append(process)
            self._schedule()

    def _schedule(self) -> None:
        while self._cores and self._runnable:
            self._cores -= 1
            process = self._runnable.popleft()
            seconds, then = process.queue.popleft()
            self.cpu_s += seconds
            self._at(self._now + seconds, lambda p=process, t=then: self._done(p, t))  # type: ignore[misc]

    def _done(self, process: _Process, then: Callable[[], None]) -> None:
        self._cores += 1
        if process.queue:
            self._runnable.append(process)
        else:
            process.busy = False
        then()
        self._schedule()

    def _at(self, when: float, happen: Callable[[], None]) -> None:
        self._count += 1
        heapq.heappush(self._events, (when, self._count, happen))


def quantile(values: list[float], q: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(q * len(ordered)))]


def most_per_s(costs: Costs, machine: Machine, *, p99_s: float = 0.1, seconds: float = 2) -> float:
    """The highest rate (to 5 %) whose p99 stays below."""
    high = machine.cores * 1e6 / costs.action_us * 1.1
    low = high / 16
    while high / low > 1.05:
        middle = (low * high) ** 0.5
        latencies = Simulation(costs, machine).run(middle, seconds)
        if quantile(latencies, 0.99) <= p99_s:
            low = middle
        else:
            high = middle
    return low
