"""CPU and memory of a hall's processes, by role; of processes of this machine only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psutil

GATEWAY, HOST, DATA, RAY, SUPERVISOR = "gateway", "host", "data-server", "ray", "supervisor"
PLAYING = (GATEWAY, HOST)
"""The roles whose cost grows with actions and players."""


def role_of(name: str) -> str:
    """The role of a process, from the name that the hall's state files give it."""
    if "/gateway-" in name or name.startswith("gateway"):
        return GATEWAY
    return name if name in (DATA, RAY, SUPERVISOR) else HOST


@dataclass(frozen=True)
class Look:
    """cpu_s: user and system time since each process began. kib: memory, shared pages divided
    among those who share them (PSS) where the system tells, else resident (RSS)."""

    cpu_s: Mapping[str, float]
    kib: Mapping[str, float]


@dataclass
class Watch:
    """Looks at processes by name -> pid; below Ray everything counts as Ray, but not hosts."""

    processes: Mapping[str, int]
    _seen: dict[int, float] = field(default_factory=dict)

    def look(self, *, memory: bool = True) -> Look:
        """memory: not every second, for the kernel stops a process while it counts its pages."""
        cpu: dict[str, float] = defaultdict(float)
        kib: dict[str, float] = defaultdict(float)
        known = set(self.processes.values())
        for name, pid in self.processes.items():
            role = role_of(name)
            for one in self._family(pid, known) if role == RAY else [pid]:
                cpu[role] += self._cpu_s(one)
                kib[role] += memory_kib(one) if memory else 0.0
        return Look(dict(cpu), dict(kib))

    def numbers(self) -> dict[str, int]:
        """How many processes each role has."""
        return dict(Counter(role_of(name) for name in self.processes))

    def _family(self, pid: int, known: set[int]) -> list[int]:
        try:
            below = psutil.Process(pid).children(recursive=True)
        except psutil.Error:
            return [pid]
        return [pid, *(child.pid for child in below if child.pid not in known)]

    def _cpu_s(self, pid: int) -> float:
        """What a process that has ended used stays counted."""
        try:
            times = psutil.Process(pid).cpu_times()
        except psutil.Error:
            return self._seen.get(pid, 0.0)
        self._seen[pid] = times.user + times.system
        return self._seen[pid]


def memory_kib(pid: int) -> float:
    """0 when the process is gone."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines():
            if line.startswith("Pss:"):
                return float(line.split()[1])
    except OSError:
        pass  # not ours to read, or no such kernel
    try:
        return float(psutil.Process(pid).memory_info().rss) / 1024
    except psutil.Error:
        return 0.0


def spent(before: Look, after: Look) -> dict[str, float]:
    """CPU seconds by role between two looks."""
    return {role: round(cpu - before.cpu_s.get(role, 0.0), 3) for role, cpu in after.cpu_s.items()}
