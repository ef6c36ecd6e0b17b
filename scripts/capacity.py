"""What a game server and a whole hall carry, by the measured costs: docs/capacity.md's tables.

    python scripts/bench_load.py --json load.json
    python scripts/capacity.py load.json

Takes the CPU of gateways and hosts per action from a ramp, the journal's from the budget, and
lets `tests/perf/capacity.py` simulate the queues between them. Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.perf.capacity import Costs, Machine, most_per_s  # noqa: E402

HUMAN_PER_S = 0.25
"""Actions of one player (`paiju load players`)."""
IN_SHARE = 0.3
"""Of a gateway's CPU per action, the command; the rest are the frames to all at the table."""
PLAYERS, SERVERS = 2_000_000, 1_000
DATA_CORE_SHARE = 0.7
"""A core that is fuller makes callers wait."""


def costs_of(ramp: Mapping[str, Any], budget: Mapping[str, Any]) -> Costs:
    """Raises KeyError, ZeroDivisionError when the figures are not those of a ramp on this
    machine."""
    actions = ramp["actions"]
    gateway = 1e6 * ramp["roles"]["gateway"]["cpu_s"] / actions
    host = 1e6 * ramp["roles"]["host"]["cpu_s"] / actions
    journal = budget["us_per_action"]["journal"]
    return Costs(
        in_us=IN_SHARE * gateway,
        out_us=(1 - IN_SHARE) * gateway / 4,
        host_us=max(1.0, host - journal),
        journal_us=journal / 2,
        commit_us=journal / 2 * 8,  # the budget's rounds have eight actions
    )


def load_us(ramp: Mapping[str, Any]) -> float:
    """CPU of the load itself per action: it shares the machine."""
    return 1e6 * float(ramp["load"]["cpu_s"]) / float(ramp["actions"])


def report(parts: Mapping[str, Any]) -> str:
    lines = ["| edge | gateway us | host us | of it journal | together s per 1,000 |"]
    lines += ["|---|---:|---:|---:|---:|"]
    found = {}
    for edge, name in (("gRPC", "ramp-grpc"), ("WebSocket", "ramp-ws")):
        if not parts.get(name) or not parts.get("budget"):
            continue
        costs = found[edge] = costs_of(parts[name], parts["budget"])
        journal = costs.journal_us + costs.commit_us / 8
        gateway = costs.in_us + 4 * costs.out_us
        together = (gateway + costs.host_us + journal) / 1000
        lines.append(
            f"| {edge} | {gateway:.0f} | {costs.host_us + journal:.0f} | {journal:.0f} "
            f"| {together:.3f} |"
        )
    if not found:
        raise SystemExit("there is no ramp and no budget in these figures")
    lines += ["", "| machine | edge | most actions/s at p99 <= 100 ms | players at 0.25 each |"]
    lines += ["|---|---|---:|---:|"]
    for edge, costs in found.items():
        shared = load_us(parts["ramp-grpc" if edge == "gRPC" else "ramp-ws"])
        machines = {
            "2 cores, load on them": Machine(cores=2, gateways=2, hosts=3, load_us=shared),
            "2 cores": Machine(cores=2, gateways=2, hosts=3),
            "8 cores": Machine(cores=8, gateways=5, hosts=8),
        }
        for name, machine in machines.items():
            most = most_per_s(costs, machine, seconds=2)
            lines.append(f"| {name} | {edge} | {most:,.0f} | {most / HUMAN_PER_S:,.0f} |")
    if nodes := parts.get("nodes"):
        cores = nodes["data_server_cores"]
        each = cores / nodes["nodes"] if nodes["nodes"] else 0.0
        lines += ["", "| data servers | |", "|---|---|"]
        lines.append(f"| cores for {nodes['nodes']} game servers, as simulated | {cores} |")
        lines.append(f"| game servers per core kept at 70 % | {DATA_CORE_SHARE / each:,.0f} |")
        lines.append(f"| cores for {SERVERS:,} game servers, {PLAYERS:,} players | "
                     f"{SERVERS * each / DATA_CORE_SHARE:.1f} |")  # fmt: skip
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figures", type=Path, help="what bench_load.py wrote with --json")
    given = parser.parse_args()
    print(report(json.loads(given.figures.read_text("utf-8"))["parts"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
