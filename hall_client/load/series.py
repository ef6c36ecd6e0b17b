"""What all processes of a run told, second by second and in all."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hall_client.load.timings import Timings
from hall_client.load.worker import Report


@dataclass
class Second:
    """One second of a run, all processes together."""

    actions: int = 0
    deliveries: int = 0
    errors: int = 0
    timings: Timings = field(default_factory=Timings)
    cpu: dict[str, float] = field(default_factory=dict)
    """CPU seconds spent, by role."""


@dataclass
class Series:
    """begun: time.monotonic of second 0. The totals are those of the measured time alone."""

    begun: float
    seconds: dict[int, Second] = field(default_factory=dict)
    actions: int = 0
    deliveries: int = 0
    timings: Timings = field(default_factory=Timings)
    errors: Counter[str] = field(default_factory=Counter)
    """Of the whole run: who could not even come in is an error, too."""
    refused: Counter[str] = field(default_factory=Counter)
    _last: dict[int, Report] = field(default_factory=dict)

    def add(self, process: int, report: Report) -> None:
        self._last[process] = report
        second = self.second(report.at)
        second.actions += report.actions
        second.deliveries += report.deliveries
        second.errors += sum(report.errors.values())
        self.errors.update(report.errors)
        self.refused.update(report.refused)
        timings = Timings.unpacked(report.timings) if report.timings else None
        if timings is not None:
            second.timings.add(timings)
        if report.measured:
            self.actions += report.actions
            self.deliveries += report.deliveries
            if timings is not None:
                self.timings.add(timings)

    def second(self, at: float) -> Second:
        return self.seconds.setdefault(int(at - self.begun), Second())

    @property
    def connected(self) -> int:
        return sum(report.connected for report in self._last.values())

    @property
    def seated(self) -> int:
        return sum(report.seated for report in self._last.values())

    @property
    def cpu_s(self) -> float:
        """Of the load processes themselves."""
        return sum(report.cpu_s for report in self._last.values())

    def points(self) -> list[dict[str, Any]]:
        """For plots: a row per second."""
        return [
            {
                "second": number,
                "actions": second.actions,
                "deliveries": second.deliveries,
                "errors": second.errors,
                "latency_ms": second.timings.summary(),
                "cpu": second.cpu,
            }
            for number, second in sorted(self.seconds.items())
        ]
