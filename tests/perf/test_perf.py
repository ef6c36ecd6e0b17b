"""What the benchmarks measure with works, and the model of capacity says what queues must say.

Short forms without time limits in CI; figures against targets are soak.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.perf.capacity import Costs, Machine, Simulation, most_per_s, quantile
from tests.perf.edging import Edging
from tests.perf.hopping import Hopping
from tests.perf.hosting import SEATS, Playing, Spent

ROOT = Path(__file__).resolve().parents[2]
COSTS = Costs(in_us=60, out_us=20, host_us=250, journal_us=20, commit_us=200)
HEAVY = Costs(in_us=600, out_us=200, host_us=2500, journal_us=200, commit_us=2000)
"""Ten times as much of everything: a tenth of the events says the same."""


async def test_what_a_host_sends_goes_through_hop_and_sessions(tmp_path: Path) -> None:
    """The parts of the budget in one: each command is answered, each player gets his frames."""
    playing = Playing(f"sqlite:///{tmp_path}/journal.sqlite3", tables=3)
    await playing.sit()
    spent = Spent()
    rounds = [await playing.round(3, spent) for _ in range(6)]
    await playing.close()
    assert spent.actions > 0
    assert spent.loop > 0
    assert spent.journal > 0

    hopping = Hopping(tmp_path)
    await hopping.open()
    for one in rounds:
        await hopping.play(one)  # ends when every event has come
    await hopping.close()
    assert hopping.actions == spent.actions

    edging = Edging()
    await edging.enter(3 * SEATS)
    edging.follow(rounds)
    for one in rounds:
        edging.play(one)
    await edging.close()
    assert edging.actions == spent.actions
    assert edging.frames >= SEATS * spent.actions, "everybody at the table sees each action"


def test_an_idle_machine_adds_nothing_to_the_work() -> None:
    latencies = Simulation(COSTS, Machine(cores=8, gateways=4, hosts=2)).run(10, 20)
    alone = 60 + 250 + 20 + 200 + 20
    assert len(latencies) > 100
    assert alone / 1e6 <= quantile(latencies, 0.5) <= (alone + 3 * 20) / 1e6


def test_the_same_seed_is_the_same_run() -> None:
    runs = [Simulation(COSTS, Machine(), seed=3).run(300, 2) for _ in range(2)]
    assert runs[0] == runs[1]


def test_no_more_goes_through_than_the_busiest_part_can_do() -> None:
    """One host: its loop. With enough hosts and gateways: the cores."""
    one = most_per_s(HEAVY, Machine(cores=8, gateways=8, hosts=1), p99_s=0.3)
    assert 0.8 * 1e6 / HEAVY.host_us <= one <= 1.2 * 1e6 / HEAVY.host_us
    cores = most_per_s(HEAVY, Machine(cores=2, gateways=4, hosts=4), p99_s=0.3)
    assert cores <= 1.2 * 2 * 1e6 / HEAVY.action_us
    shared = most_per_s(HEAVY, Machine(cores=2, gateways=4, hosts=4, load_us=4000), p99_s=0.3)
    assert shared < 0.8 * cores, "a load on the same machine takes its share"


def test_the_cpu_of_a_run_is_that_of_its_actions() -> None:
    simulation = Simulation(COSTS, Machine())
    latencies = simulation.run(1500, 3)
    assert simulation.cpu_s / len(latencies) == pytest.approx(COSTS.action_us / 1e6, rel=0.15)


def test_the_benchmark_of_tables_measures() -> None:
    """Without targets: a busy machine must not fail it."""
    done = subprocess.run(
        [
            sys.executable,
            "scripts/bench_tables.py",
            "--tables",
            "600",
            "--idle",
            "1",
            "--json",
            "-",
        ],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    found = json.loads(done.stdout)
    assert found["created_per_s"] > 0, found
    assert 1 < found["kb"] <= 60, found
    assert found["idle_cores"] >= 0, found


@pytest.mark.soak
def test_tables_are_made_fast_weigh_little_and_cost_nothing_while_idle() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/bench_tables.py", "--json", "-"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    found = json.loads(done.stdout)
    assert found["kb"] <= 60, found
    assert found["created_per_s"] >= 2000, found
    assert found["idle_cores"] <= 0.02, found
