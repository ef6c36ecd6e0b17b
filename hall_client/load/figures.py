"""The figures of a run: what goes into its JSON, and from there into table and page."""

from __future__ import annotations

import platform
import time
from typing import Any

import psutil

from hall_client.load.machine import PLAYING
from hall_client.load.players import PlayersRun

MOST_REASONS = 20


def of_players(run: PlayersRun) -> dict[str, Any]:
    """Milliseconds, kilobytes (1,000 bytes), CPU seconds. What cannot be known (processes of
    another machine) is null."""
    series, seconds = run.series, max(run.seconds, 1e-9)
    cpu = run.cpu_s()
    playing = sum(cpu.get(role, 0.0) for role in PLAYING)
    known = bool(cpu)
    return {
        "players": run.plan.players,
        "connected": run.connected,
        "seated": run.seated,
        "seconds": round(run.seconds, 3),
        "interrupted": run.interrupted,
        "actions": series.actions,
        "actions_per_s": round(series.actions / seconds, 1),
        "deliveries_per_s": round(series.deliveries / seconds, 1),
        "latency_ms": series.timings.summary(),
        "latency_ms_uncorrected": series.timings.summary_as_seen(),
        "latency_samples": series.timings.count,
        "errors": sum(series.errors.values()),
        "error_reasons": dict(series.errors.most_common(MOST_REASONS)),
        "refused": dict(series.refused.most_common(MOST_REASONS)),
        "server_cpu_s_per_1k_actions": round(1000 * playing / series.actions, 4)
        if known and series.actions
        else None,
        "kb_per_player": _kb_per_player(run),
        "roles": _roles(run),
        "load": {
            "processes": run.plan.processes,
            "cpu_s": round(run.load_cpu_s, 3),
            "cores": round(run.load_cpu_s / seconds, 3),
        },
        "rooms": run.plan.rooms,
        "wanted_actions_per_s": run.plan.actions_per_s or None,
        "seed": run.seed,
        "machine": machine(),
        "curve": series.timings.curve(),
        "over_time": series.points(),
    }


def machine() -> dict[str, Any]:
    """Where and when, because a figure without them says nothing."""
    return {
        "cores": psutil.cpu_count(),
        "memory_gib": round(psutil.virtual_memory().total / 2**30, 1),
        "python": platform.python_version(),
        "system": platform.platform(),
        "load_average": psutil.getloadavg()[0],
        "time": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
    }


def _kb_per_player(run: PlayersRun) -> float | None:
    """What gateways and hosts have grown by, shared over the connected players."""
    if run.end is None or not run.connected or not run.end.kib:
        return None
    grown = sum(run.end.kib.get(role, 0.0) - run.before.kib.get(role, 0.0) for role in PLAYING)
    return round(grown * 1.024 / run.connected, 1)


def _roles(run: PlayersRun) -> dict[str, dict[str, float]]:
    """Per role of the hall: CPU seconds, cores, memory and its growth."""
    if run.end is None:
        return {}
    seconds = max(run.seconds, 1e-9)
    return {
        role: {
            "cpu_s": cpu,
            "cores": round(cpu / seconds, 3),
            "mb": round(run.end.kib.get(role, 0.0) * 1.024 / 1000, 1),
            "grown_mb": round(
                (run.end.kib.get(role, 0.0) - run.before.kib.get(role, 0.0)) * 1.024 / 1000, 1
            ),
        }
        for role, cpu in run.cpu_s().items()
    }
