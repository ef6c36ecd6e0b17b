"""Things killed and cut under play, by the command that operators have.

In CI the short forms: a host on SQLite, and all of them in turn on PostgreSQL with the journals in
it, too. In soak each alone, on both, and at full length.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.command import paiju

NOTHING_LOST = {
    "lost_actions": 0,
    "double_actions": 0,
    "voided": 0,
    "stuck_seats": 0,
    "not_recovered": 0,
    "view_mismatches": 0,
    "errors": 0,
}


def _chaos(folder: Path, scenario: str, *more: str, timeout_s: float = 240) -> dict[str, Any]:
    out = folder / "out.json"
    paiju("chaos", scenario, "--json", str(out), *more, timeout_s=timeout_s)
    figures: dict[str, Any] = json.loads(out.read_text("utf-8"))
    assert figures["scenario"] == scenario
    assert {name: figures[name] for name in NOTHING_LOST} == NOTHING_LOST
    assert figures["ledger"] == {"sum": 0, "unbalanced": 0, "escrow": 0}
    assert figures["blows"] >= 1
    assert figures["acknowledged_actions"] > 0
    assert figures["recovered_ms"]["samples"] > 0
    return figures


@pytest.mark.parametrize(
    ("scenario", "within_ms"),
    # Twice the promise: others may work beside.
    [
        ("host", 12_000),
        pytest.param("gateway", 6_000, marks=pytest.mark.soak),
        pytest.param("data-server", 15_000, marks=pytest.mark.soak),
    ],
)
def test_nothing_is_lost(tmp_path: Path, scenario: str, within_ms: float) -> None:
    figures = _chaos(tmp_path, scenario, "--players", "12", "--seconds", "10", "--every", "1")
    assert figures["recovered_ms"]["max"] <= within_ms


# Five times what was measured, or what is promised where that is more.
WITHIN_MS = {
    "host": 30_000,
    "gateway": 15_000,
    "data-server": 50_000,
    "database": 50_000,
    "partition": 50_000,
    "freeze": 15_000,
    "poison": 55_000,
}


@pytest.mark.timeout(960)
def test_nothing_is_lost_whatever_is_struck_next(tmp_path: Path) -> None:
    figures = _chaos(
        tmp_path,
        *("all-in-turn", "--players", "12", "--seconds", "12", "--every", "1", "--down", "1.5"),
        *("--database", "postgresql", "--shared-journal"),
        timeout_s=900,
    )
    assert figures["each"].keys() >= WITHIN_MS.keys()
    for scenario, within_ms in WITHIN_MS.items():
        assert figures["each"][scenario]["samples"] > 0
        assert figures["each"][scenario]["max"] <= within_ms, scenario
    assert figures["poisoned"]["void"] == 4


@pytest.mark.soak
@pytest.mark.parametrize("more", [(), ("--database", "postgresql", "--shared-journal")])
@pytest.mark.parametrize(
    ("scenario", "down", "within_ms"),
    [
        ("gateway", "0", 3_000),
        ("data-server", "60", 10_000),
        ("database", "60", 10_000),
        ("partition", "8", 10_000),  # a seat waits ten seconds for who is away
        ("freeze", "30", 5_000),
        ("poison", "0", 11_000),
    ],
)
def test_the_figures_are_reached(
    tmp_path: Path, scenario: str, down: str, within_ms: float, more: tuple[str, ...]
) -> None:
    figures = _chaos(
        tmp_path,
        *(scenario, "--players", "30", "--seconds", "120", "--every", "5", "--down", down),
        *("--think", "1", *more),
        timeout_s=900,
    )
    assert figures["recovered_ms"]["max"] <= within_ms


@pytest.mark.soak
@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_host_with_two_hundred_players(tmp_path: Path, database: str) -> None:
    figures = _chaos(
        tmp_path,
        *("host", "--players", "200", "--seconds", "120", "--every", "10", "--think", "2"),
        *("--database", database),
    )
    assert figures["blows"] >= 5
    assert figures["recovered_ms"]["p50"] <= 3_000
    assert figures["recovered_ms"]["max"] <= 6_000
