"""Short runs of `paiju load` against a hall of real processes: figures are there and add up.

No timing is asserted: machines that run tests are busy.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio
from typer.testing import CliRunner

from paiju.cli.load import app
from paiju.cli.local import LocalHall
from tests.acceptance.command import ROOT, run

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAYERS = 6
FIGURES = {
    *("players", "actions_per_s", "latency_ms", "errors", "server_cpu_s_per_1k_actions"),
    *("kb_per_player", "seated", "deliveries_per_s", "seconds"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    folder = tmp_path_factory.mktemp("hall")
    async with LocalHall(data_dir=folder):
        yield folder


async def _load(hall: Path, *arguments: str) -> dict[str, Any]:
    done = await asyncio.to_thread(
        run, "load", *arguments, "--data-dir", str(hall), "--json", "-", timeout_s=120
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


@pytest.mark.parametrize("edge", ["grpc", "ws"])
async def test_players_come_sit_and_play(hall: Path, tmp_path: Path, edge: str) -> None:
    page = tmp_path / "l.html"
    what = ["--players", str(PLAYERS), "--seconds", "1", "--warm-up", "0", "--processes", "2"]
    more = ["--rate", "20", "--edge", edge, "--html", str(page)]
    figures = await _load(hall, "players", *what, *more)
    assert figures.keys() >= FIGURES
    assert figures["players"] == figures["connected"] == figures["seated"] == PLAYERS
    assert figures["errors"] == 0, figures["error_reasons"]
    assert figures["actions"] > 0 and figures["deliveries_per_s"] > figures["actions_per_s"]
    latency = figures["latency_ms"]
    assert 0 < latency["p50"] <= latency["p99"] <= latency["max"]
    assert figures["roles"].keys() >= {"gateway", "host", "data-server", "ray", "supervisor"}
    assert figures["server_cpu_s_per_1k_actions"] > 0
    assert page.read_text("utf-8").count("<svg") >= 4


async def test_ctrl_c_keeps_what_was_measured(hall: Path, tmp_path: Path) -> None:
    out = tmp_path / "l.json"
    code, said = await asyncio.to_thread(_interrupted, hall, out)
    figures = json.loads(out.read_text())
    assert figures["interrupted"] and figures["seconds"] < 600, said
    assert code == (0 if figures["actions"] else 1), said


def _interrupted(hall: Path, out: Path) -> tuple[int, str]:
    """A run that gets SIGINT once its processes have come: exit code and last words."""
    arguments = ["players", "--players", "4", "--game", "doudizhu_4p", "--rate", "0"]
    command = [sys.executable, "-m", "paiju.cli.main", "load", *arguments, "--seconds", "600"]
    process = subprocess.Popen(
        [*command, "--warm-up", "0", "--data-dir", str(hall), "--json", str(out)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "200"},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    until = time.monotonic() + 60
    while not psutil.Process(process.pid).children() and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=90)
    return process.returncode, said


async def test_more_and_more_until_the_wish(hall: Path) -> None:
    what = ["--players", "6", "--first", "4", "--most", "4", "--step", "2"]
    figures = await _load(hall, "ramp", *what, "--warm-up", "0", "--p99", "60000")
    assert figures["steps"][0]["wanted_per_s"] == 4.0
    assert figures["steps"][0]["cpu"].keys() >= {"gateway", "host", "load"}
    assert "limit" in figures and "most_actions_per_s" in figures


async def test_game_servers_register_and_fall_silent(hall: Path) -> None:
    what = ["--nodes", "8", "--players", "12", "--seconds", "2", "--warm-up", "0.2"]
    figures = await _load(hall, "nodes", *what, "--settlements", "2", "--heartbeat", "1")
    assert figures["registered"] == 8 and figures["stakes_left"] == 0
    assert all(kind["per_s"] > 0 for kind in figures["kinds"].values()), figures["kinds"]
    late = ("settlement: no table", "not made")  # on a machine that is busy
    wrong = [why for why in figures["error_reasons"] if not why.startswith(late)]
    assert not wrong, figures["error_reasons"]
    assert figures["data_server_cores"] > 0
    ledger = await asyncio.to_thread(run, "admin", "ledger", "--data-dir", str(hall))
    assert ledger.returncode == 0, ledger.stdout


@pytest.mark.parametrize("kind", ["resume", "password"])
async def test_people_log_in(hall: Path, kind: str) -> None:
    what = ["--kind", kind, "--seconds", "1", "--warm-up", "0", "--accounts", "4"]
    figures = await _load(hall, "logins", *what, "--at-once", "2")
    assert figures["logins"] > 0 and figures["errors"] == 0, figures["error_reasons"]
    assert figures["data_server_cores"] > 0


async def test_what_cannot_be_is_a_sentence(hall: Path, tmp_path: Path) -> None:
    key = json.loads((hall / "hall.json").read_text())["server_keys"][0]
    where = ["--data-dir", str(hall)]
    for arguments, said in (
        (["players", "--address", "192.0.2.1:7700", "--server-key", key], "i-own-this-target"),
        (["players", "--address", "127.0.0.1:1", "--server-key", key], "Nobody answers"),
        (["players", "--data-dir", str(tmp_path)], "No hall runs"),
        (["nodes", "--data-dir", str(tmp_path)], "No data server runs"),
        (["players", *where, "--game", "chess"], "plays chess"),
        (["players", *where, "--html", "/proc/no/x.html"], "cannot be written"),
    ):
        done = await asyncio.to_thread(CliRunner().invoke, app, arguments)
        text = " ".join(done.stderr.split())
        assert done.exit_code in (1, 2) and said in text, text
        assert "Traceback" not in text and "Errno" not in text
