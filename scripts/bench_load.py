"""The hall under load: everything of docs/performance.md's load table that eight minutes allow.

    python scripts/bench_load.py --json load.json --markdown load.md
    python scripts/bench_load.py --only players,tables --scale 0.05

Each part starts a fresh hall (`paiju up` in a folder that goes again) and uses `paiju load` on
it, as an operator would. Run it when nothing else does: the load shares the machine. `--scale`
makes players, rates and times smaller, to see whether everything still runs.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
READY_WITHIN_S = 120.0
PART_WITHIN_S = 400.0
COMMAND = (sys.executable, "-m", "paiju.cli.main")
Figures = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """holds: None where the target is a comparison that this machine alone cannot make."""

    what: str
    found: str
    target: str
    holds: bool | None


@dataclass(frozen=True)
class Part:
    """One command on a fresh hall (hall: whether it needs one), and what its figures say."""

    command: Sequence[str]
    rows: Callable[[Figures], list[Row]]
    hall: bool = True


class Scaled:
    def __init__(self, scale: float, hosts: int) -> None:
        self.scale = scale
        self.hosts = hosts

    def whole(self, number: float, least: int = 1) -> str:
        return str(max(least, round(number * self.scale)))

    def seconds(self, number: float) -> str:
        return str(max(3, round(number * max(self.scale, 0.1))))


def parts(by: Scaled) -> dict[str, Part]:
    whole, seconds = by.whole, by.seconds
    load = (*COMMAND, "load")
    ramp = (*load, "ramp", "--players", whole(600, 8), "--game", "doudizhu_4p")
    ramp += ("--first", whole(300, 5), "--factor", "1.35", "--step", seconds(6))
    ramp += ("--warm-up", "3", "--most", whole(12_000))
    login = (*load, "logins", "--seconds", seconds(8), "--warm-up", "2")
    return {
        "players": Part(
            (
                *(*load, "players", "--players", whole(2000, 8), "--rate", whole(500, 4)),
                *("--seconds", seconds(45), "--warm-up", seconds(8)),
            ),
            _players,
        ),
        "ramp-grpc": Part(ramp, lambda found: _ramp(found, "gRPC", whole(1800), 0.55)),
        "ramp-ws": Part(
            (*ramp, "--edge", "ws"), lambda found: _ramp(found, "WebSocket", whole(4000), 0.20)
        ),
        "logins-resume": Part(
            (*login, "--kind", "resume", "--accounts", whole(300, 20)),
            lambda found: _logins(found, "resume logins", 1000),
        ),
        "logins-password": Part(
            (*login, "--kind", "password", "--accounts", whole(60, 10)),
            lambda found: _logins(found, "password logins", 80),
        ),
        "logins-guests": Part(
            (*login, "--kind", "guests"),
            lambda found: _logins(found, "come, come again, leave (SQLite)", 1200),
        ),
        "nodes": Part(
            (
                *(*load, "nodes", "--nodes", whole(1000, 20), "--seconds", seconds(30)),
                *("--vanish", whole(100, 2)),
            ),
            _nodes,
        ),
        "tables": Part((sys.executable, "scripts/bench_tables.py"), _tables, hall=False),
        "budget": Part((sys.executable, "scripts/bench_budget.py"), _budget, hall=False),
    }


def _players(found: Figures) -> list[Row]:
    wanted, p99 = found["wanted_actions_per_s"], found["latency_ms"]["p99"]
    seated = found["seated"] == found["players"]
    kept = found["actions_per_s"] >= 0.95 * wanted
    held = p99 <= 50 and not found["errors"] and seated and kept
    cpu, kb = found["server_cpu_s_per_1k_actions"], found["kb_per_player"]
    return [
        Row(
            f"{found['players']} players at {wanted:g} actions/s, gRPC",
            f"{found['seated']} seated, {found['actions_per_s']}/s, p99 {p99} ms, "
            f"{found['errors']} errors",
            "all, p99 <= 50 ms, 0 errors",
            held,
        ),
        Row("server CPU per 1,000 actions then", f"{cpu} s", "see the ramps", None),
        Row("memory per player, gateways and hosts", f"{kb} kB", "<= 75 kB", kb <= 75),
    ]


def _ramp(found: Figures, edge: str, least: str, most_s: float) -> list[Row]:
    most, cpu = found["most_actions_per_s"], found["server_cpu_s_per_1k_actions"]
    return [
        Row(
            f"most actions/s at p99 <= 100 ms, doudizhu_4p, {edge}",
            f"{most:g} (then: {found['limit'] or 'no limit'})",
            f">= {least}",
            most >= float(least),
        ),
        Row(
            f"server CPU per 1,000 actions over that ramp, {edge}",
            f"{cpu} s",
            f"<= {most_s:.2f} s",
            cpu is not None and cpu <= most_s,
        ),
    ]


def _logins(found: Figures, what: str, least: float) -> list[Row]:
    per_s = found["operations_per_s"]
    text = f"{per_s}/s, p99 {found['latency_ms']['p99']} ms, {found['errors']} errors"
    return [Row(what, text, f">= {least:g}/s", per_s >= least and not found["errors"])]


def _nodes(found: Figures) -> list[Row]:
    cores, gone, lease = found["data_server_cores"], found["gone_after_s"], found["lease_s"]
    looks = found["kinds"].get("look_up") or found["kinds"].get("look-up") or {}
    p99 = looks.get("latency_ms", {}).get("p99")
    return [
        Row(
            f"{found['nodes']} simulated game servers: data server",
            f"{found['registered']} registered, {cores} cores, {found['errors']} errors",
            "<= 0.5 cores",
            cores <= 0.5 and not found["errors"],
        ),
        Row("a person's look-up, p99", f"{p99} ms", "<= 10 ms", p99 is not None and p99 <= 10),
        Row(
            f"{found['vanished']} that vanish are gone",
            f"after {gone} s",
            f"<= {2 * lease:g} s",
            gone is not None and gone <= 2 * lease,
        ),
    ]


def _tables(found: Figures) -> list[Row]:
    made, kb, idle = found["created_per_s"], found["kb"], found["idle_cores"]
    return [
        Row("tables made per second of CPU", f"{made}", ">= 2,000", made >= 2000),
        Row("memory of an empty table", f"{kb} kB", "<= 60 kB", kb <= 60),
        Row("5,000 idle tables", f"{100 * idle:.1f} % of a core", "<= 2 %", idle <= 0.02),
    ]


def _budget(found: Figures) -> list[Row]:
    budget = found["budget_us"]
    return [
        Row(f"CPU per action: {part}", f"{us} us", f"<= {budget[part]} us", us <= budget[part])
        for part, us in found["us_per_action"].items()
    ]


@contextmanager
def hall(hosts: int) -> Iterator[Path]:
    """A fresh one, and its folder."""
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as name:
        folder = Path(name)
        process = subprocess.Popen(
            [*COMMAND, "up", "--port", "0", "--hosts", str(hosts), "--data-dir", name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            cwd=ROOT,
        )
        try:
            until = time.monotonic() + READY_WITHIN_S
            while not (folder / "hall.json").exists():
                if process.poll() is not None or time.monotonic() > until:
                    raise SystemExit("the hall did not start")
                time.sleep(0.1)
            yield folder
        finally:
            process.send_signal(signal.SIGINT)
            process.wait(120)


def carry_out(name: str, part: Part, hosts: int) -> tuple[Figures | None, list[Row]]:
    """One part's figures; None and a row that says so when it did not end well."""

    def run(folder: Path | None) -> Figures | None:
        where = () if folder is None else ("--data-dir", str(folder))
        with tempfile.NamedTemporaryFile(suffix=".json") as file:
            done = subprocess.run(
                [*part.command, *where, "--json", file.name],
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=PART_WITHIN_S,
                check=False,
            )
            text = Path(file.name).read_text("utf-8")
        if not text:
            sys.stderr.write(done.stderr.decode(errors="replace")[-2000:])
            return None
        figures: Figures = json.loads(text)
        return figures

    if part.hall:
        with hall(hosts) as folder:
            figures = run(folder)
    else:
        figures = run(None)
    if figures is None:
        return None, [Row(name, "nothing was measured", "", False)]
    return figures, part.rows(figures)


def table(rows: Sequence[Row]) -> str:
    marks = {True: "holds", False: "**misses**", None: ""}
    lines = ["| what | found | target | |", "|---|---|---|---|"]
    lines += [f"| {row.what} | {row.found} | {row.target} | {marks[row.holds]} |" for row in rows]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="parts, with commas between them")
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--hosts", type=int, default=3, help="table hosts of the hall")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--markdown", metavar="FILE")
    given = parser.parse_args()
    known = parts(Scaled(given.scale, given.hosts))
    wanted = given.only.split(",") if given.only else list(known)
    if unknown := set(wanted) - known.keys():
        parser.error(f"no part {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(ROOT), os.environ.get("PYTHONPATH", "")))
    )
    load = os.getloadavg()[0]
    found, rows = {}, []
    for name in wanted:
        begun = time.monotonic()
        figures, told = carry_out(name, known[name], given.hosts)
        found[name] = figures
        rows += told
        print(f"{name}: {time.monotonic() - begun:.0f} s", file=sys.stderr)
    text = f"Load average when it began: {load:.1f}. Scale {given.scale:g}.\n\n{table(rows)}"
    if given.json:
        whole = {"load_average": load, "scale": given.scale, "parts": found}
        Path(given.json).write_text(json.dumps(whole), "utf-8")
    if given.markdown:
        Path(given.markdown).write_text(text, "utf-8")
    print(text)
    return 0 if all(row.holds is not False for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
