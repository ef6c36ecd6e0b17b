"""Two Ray nodes on this machine: tables on one, all players through the other's gateway."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hall_client.bots.mind import GameMind
from hall_client.load.driver import Driver, LoadPlan
from paiju.rules.registry import Registry
from paiju.wire.server_keys import ServerKeys, decode

ROOT = Path(__file__).resolve().parent.parent.parent
START_WITHIN_S = 90.0


class Program:
    """One of our programs as a process, ready when its state file is there."""

    def __init__(self, module: str, folder: Path, state: str, **settings: object) -> None:
        self._state = folder / state
        folder.mkdir(exist_ok=True)
        self._log = (folder / f"{module}.log").open("w+")
        environment = {f"PAIJU_{name.upper()}": str(value) for name, value in settings.items()}
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
            stdout=self._log,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
        )

    def state(self) -> dict[str, Any]:
        deadline = time.monotonic() + START_WITHIN_S
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            if self._state.exists():
                found: dict[str, Any] = json.loads(self._state.read_text())
                return found
            time.sleep(0.05)
        self._log.seek(0)
        raise AssertionError(f"{self._state.name} did not appear:\n{self._log.read()[-3000:]}")

    def end(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        finally:
            self._log.close()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    running: list[Program] = []

    def begin(module: str, name: str, state: str, **settings: object) -> Program:
        program = Program(module, tmp_path / name, state, **settings)
        running.append(program)
        return program

    yield begin
    for program in reversed(running):
        program.end()


def test_a_table_lives_on_one_node_and_its_players_come_through_another(
    start: Callable[..., Program], tmp_path: Path
) -> None:
    folders = {name: tmp_path / name for name in ("data", "a", "b")}
    for folder in folders.values():
        folder.mkdir()
    (folders["a"] / "cell-secret").write_bytes(secrets.token_bytes(32))
    (folders["a"] / "ray-token").write_text(secrets.token_hex(32))
    data = start(
        "data_server",
        "data",
        "data-server.json",
        data_dir=folders["data"],
        data_listen="127.0.0.1:0",
        data_admin_listen="127.0.0.1:0",
        data_metrics_listen="127.0.0.1:0",
    ).state()
    ServerKeys.generate().save(folders["a"] / "seal-keys.json")
    common: dict[str, object] = {
        "cell": "c",
        "data_servers": data["address"],
        "cluster_token_file": folders["data"] / "cluster-token",
        "cell_secret_file": folders["a"] / "cell-secret",
        "ray_token_file": folders["a"] / "ray-token",
        "seal_keys_file": folders["a"] / "seal-keys.json",
        "tcp_host": "127.0.0.1",
        "drain_s": 2,
    }
    head = start(
        "game_server", "a", "game-server.json", server="a", data_dir=folders["a"], **common
    ).state()
    joined = start(
        "game_server",
        "b",
        "game-server.json",
        server="b",
        data_dir=folders["b"],
        ray_address=head["ray_address"],
        node_ip="127.0.0.2",
        hosts=0,
        **common,
    ).state()
    assert list(head["hosts"]) == ["a-0"]
    assert joined["hosts"] == {}

    registry = Registry.default()
    plan = LoadPlan(
        gateways=joined["gateways"],
        server_keys=[decode(key) for key in joined["server_keys"]],
        room="doudizhu.novice",
        players=6,
        hands=4,
        drops=1,
        seed=1,
        drop_rate=0.1,
        deadline_s=90,
    )
    result = asyncio.run(Driver(plan, make_mind=lambda _: GameMind(registry)).run())
    assert result.errors == []
    assert result.hands >= 4
    assert result.view_mismatches == 0
