"""Thousands of seeded worlds: in none of them anything of docs/contracts is broken."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from data_server import registry as data_registry
from data_server.store import settlements as data_settlements
from game_server.gateway import gateway as gateway_module
from game_server.gateway import main as gateway_main
from game_server.tables import process
from hall_client import client as hall_client
from tests.sim import books, bot, client, gateway, hall, host
from tests.sim.host import Parts
from tests.sim.plants import PLANTS, Plant
from tests.sim.sweep import march, sweep, told
from tests.sim.world import Kinds

pytestmark = pytest.mark.timeout(1200)  # of a machine that has much else to do

SEEDS = 2000
PORTION = 500
"""Of them in one test, so that two workers share them."""
FIGURE_S = 60.0
"""Of all of them, on a quiet core."""
FOUND_WITHIN = 500


@pytest.mark.parametrize("first", range(0, SEEDS, PORTION))
def test_no_seed_fails(first: int) -> None:
    begun = time.process_time()
    bad = sweep(range(first, first + PORTION))
    seconds = time.process_time() - begun
    assert not bad, "\n".join(map(told, bad))
    assert seconds < 5 * FIGURE_S * PORTION / SEEDS


@pytest.mark.parametrize("plant", PLANTS, ids=lambda plant: plant.name)
def test_a_planted_fault_is_found(plant: Plant) -> None:
    with plant.planted():
        bad = sweep(range(FOUND_WITHIN), kinds=plant.kinds, stop_at_first=True)
    assert bad, f"{plant.name}: not found within {FOUND_WITHIN} seeds"


def test_a_seed_is_the_same_world_in_every_interpreter() -> None:
    program = (
        "from tests.sim.sweep import sweep\n"
        "sweep(range(40), on_result=lambda r: print(r.seed, r.digest))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert len(outputs.pop().splitlines()) == 40


def test_the_classes_that_are_simulated_are_those_that_the_processes_import() -> None:
    parts, kinds = Parts(), Kinds()
    assert parts.table_host is process.TableHost
    assert parts.journal is process.Journal
    assert parts.outbox is process.Outbox
    assert parts.cashier is process.Cashier
    assert parts.recovery is process.Recovery
    assert parts.contact is process.Contact
    for name in ("HostCalls", "IdStock", "LinkServer", "Retention", "Sealer", "epochs"):
        assert getattr(host, name) is getattr(process, name), name
    assert kinds.gateway is gateway_main.Gateway
    assert gateway.Connection is gateway_module.Connection
    assert client.Core is hall_client.Core
    assert bot.TableMirror is sys.modules["hall_client.table"].TableMirror
    assert hall.Leases is data_registry.Leases
    assert books.ledger is data_settlements.ledger


def test_a_long_run_goes_on_where_it_was_broken_off(tmp_path: Path) -> None:
    notes, said = tmp_path / "notes", []
    assert march(0, 20, jobs=1, notes=notes, say=said.append) == []
    assert notes.read_text() == "0:20\n"
    notes.write_text("0:250\tseed 7: it failed\n")
    said.clear()
    wrong = march(0, 260, jobs=1, notes=notes, say=said.append)
    assert wrong == ["seed 7: it failed"], "what failed before is not forgotten"
    assert len(said) == 1 and said[0].startswith("250:260")


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_no_seed_of_a_hundred_thousand_fails(capfd: pytest.CaptureFixture[str]) -> None:
    """`PAIJU_SIM_NOTES` names a file: what is done stands in it, and a second run goes on there.
    Not after a change of the code, for the file does not know of it.
    """
    given = os.environ.get("PAIJU_SIM_NOTES")
    notes = Path(given) if given else None
    with capfd.disabled():
        wrong = march(SEEDS, SEEDS + 100_000, jobs=os.cpu_count() or 1, notes=notes)
    assert not wrong, "\n".join(wrong)
