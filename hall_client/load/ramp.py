"""`paiju load ramp`: more and more actions a second until something gives way; and what did."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from hall_client.load.machine import Look, spent
from hall_client.load.players import PlayersPlan, PlayersRun, Runner, Standing, Step
from hall_client.load.target import Target
from hall_client.load.timings import Timings
from hall_client.load.traffic import Pace

BUSY = 0.9
"""Cores of one process of a role that works alone: more is not to be had."""
REACHED = 0.9
"""A step that comes to less than this part of its rate has missed it."""
_SETTLE_S = 2.0


@dataclass(frozen=True, kw_only=True)
class RampPlan:
    """From `first` actions a second on by `factor`, `step_s` each, until p99 is above `p99_ms`,
    something is refused, the rate is not reached, or `most` is."""

    first: float
    factor: float = 1.3
    step_s: float = 10.0
    p99_ms: float = 100.0
    most: float = 1e6


class RampRunner(Runner):
    """Runs the ramp in what is otherwise the measured time."""

    def __init__(
        self,
        plan: PlayersPlan,
        target: Target,
        *,
        ramp: RampPlan,
        report: Callable[[Standing], None] = lambda _: None,
    ) -> None:
        super().__init__(plan, target, report=report)
        self.ramp = ramp

    async def hold(self, seconds: float) -> None:
        wanted = self.ramp.first
        while not self.stopped:
            step = await self._step(wanted)
            self._run.steps.append(step)
            if step.limit or wanted >= self.ramp.most:
                return
            wanted = min(self.ramp.most, wanted * self.ramp.factor)

    async def _step(self, wanted: float) -> Step:
        pace = Pace.of_tables(self.plan.tables, wanted)
        self.crew.say({"do": "pace", "think_s": list(pace.think_s), "every_s": pace.every_s})
        await self.wait(_SETTLE_S + pace.every_s)
        before, begun = self.watch.look(memory=False), time.monotonic()
        load_cpu, errors = self._run.series.cpu_s, sum(self._run.series.errors.values())
        await self.wait(self.ramp.step_s)
        seconds = time.monotonic() - begun
        cpu = _cores(before, self.watch.look(memory=False), seconds)
        cpu["load"] = round((self._run.series.cpu_s - load_cpu) / seconds, 3)
        actions_per_s, timings = _between(self._run, begun, time.monotonic())
        step = Step(
            wanted_per_s=round(wanted, 1),
            actions_per_s=round(actions_per_s, 1),
            latency_ms=timings.summary(),
            errors=sum(self._run.series.errors.values()) - errors,
            cpu=cpu,
        )
        limit = "" if self.stopped else self._limit(step)
        return replace(step, limit=limit)

    def _limit(self, step: Step) -> str:
        """What gave way, and who was busy then; "" while all is well."""
        ramp = self.ramp
        if step.errors:
            reasons = ", ".join(name for name, _ in self._run.series.errors.most_common(2))
            what = f"{step.errors} errors ({reasons})"
        elif step.latency_ms["p99"] > ramp.p99_ms:
            what = f"p99 {step.latency_ms['p99']} ms is above {ramp.p99_ms:g} ms"
        elif step.actions_per_s < REACHED * step.wanted_per_s:
            what = f"{step.actions_per_s} of {step.wanted_per_s} actions/s were reached"
        else:
            return ""
        return f"{what}; {busy(step.cpu, self.numbers())}"

    def numbers(self) -> dict[str, int]:
        """How many processes each role has."""
        return {**self.watch.numbers(), "load": self.plan.processes}


def busy(cpu: dict[str, float], numbers: dict[str, int]) -> str:
    """Who had no CPU left: a process has one core at most."""
    full = [role for role, cores in cpu.items() if cores >= BUSY * numbers.get(role, 1)]
    if full == ["load"]:
        return "the load generator itself was busy: use more --processes or another machine"
    if full:
        return "busy: " + ", ".join(
            f"{role} ({cpu[role]:.2f} cores of {numbers.get(role, 1)})" for role in full
        )
    used = sum(cpu.values())
    most = max(cpu, key=lambda role: cpu[role], default="load")
    return f"no process was full, {used:.1f} cores were used in all, most by {most}"


def _cores(before: Look, after: Look, seconds: float) -> dict[str, float]:
    return {role: round(cpu / seconds, 3) for role, cpu in spent(before, after).items()}


def _between(run: PlayersRun, begin: float, end: float) -> tuple[float, Timings]:
    """Actions a second and latencies, of the whole seconds between two moments."""
    timings, actions = Timings(), 0
    first, last = (int(at - run.series.begun) for at in (begin, end))
    for number in range(first + 1, last + 1):
        second = run.series.seconds.get(number)
        if second is not None:
            timings.add(second.timings)
            actions += second.actions
    return actions / max(1, last - first), timings
