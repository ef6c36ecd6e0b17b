"""`paiju demo` against real processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from paiju.cli import demo
from tests.integration.hall_client.mini_hall import MiniHall


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> typer.Typer:
    def mini(folder: Path, *, database: str, gateways: int, hosts: int) -> MiniHall:
        return MiniHall(folder, gateways=gateways)

    monkeypatch.setattr(demo, "_local_hall", mini)
    app = typer.Typer()
    app.command()(demo.demo)
    return app


def test_the_figures_are_what_the_database_says_and_every_promise_holds(app: typer.Typer) -> None:
    asked = ["--players", "9", "--hands", "10", "--seed", "3", "--think", "0.1"]
    asked += ["--json", "-"]
    done = CliRunner().invoke(app, asked)
    assert done.stdout, (done.stderr, done.exception)
    figures = json.loads(done.stdout)
    assert done.exit_code == 0, figures["broken"]
    assert figures["hands"] >= 10 and figures["voided"] == 0
    assert figures["resumes"] >= 10 and figures["view_mismatches"] == 0
    assert figures["records_verified"] == figures["settlements"] == figures["hands"]
    assert figures["ledger"] == {"sum": 0, "unbalanced": 0, "escrow": 0, "open_sittings": 0}
    assert figures["latency_samples"] == figures["actions"] > 0
    assert set(figures["latency_ms"]) == {"p50", "p99", "max"}
    assert figures["errors"] == 0 and figures["table_hosts"] == 1
    assert "Every promise held." in done.stderr


def test_an_unknown_room_is_said_in_a_sentence(app: typer.Typer) -> None:
    done = CliRunner().invoke(app, ["--game", "mahjong"])
    assert done.exit_code == 2
    assert "no game mahjong" in done.stderr and "doudizhu" in done.stderr


def test_help_has_an_example(app: typer.Typer) -> None:
    assert "Example" in CliRunner().invoke(app, ["--help"]).stdout
