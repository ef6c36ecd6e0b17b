"""Three machines, two of which share a journal: one is cut off in mid-hand, and comes back.

It can still reach the journal, so its host would go on alone: only the fence keeps it from that.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from sqlalchemy import create_engine

from hall_client.bots.mind import GameMind
from hall_client.load.books import read_books
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.evidence import ActionLog, compare, read_records
from paiju.rules.registry import Registry
from paiju.wire.server_keys import ServerKeys
from tests.cluster.machines import Machine, Network, allowed

pytestmark = pytest.mark.skipif(not allowed(), reason="needs the right to make network namespaces")
REGISTRY = Registry.default()
TAKEN_WITHIN_S = 75.0
"""Five times the promise, because others work beside."""


def start(a: Machine, b: Machine, c: Machine, journal_url: str) -> dict[str, list[str]]:
    """A: data server; B: head of the cell; C: joins it. Gateways of B and C."""
    a.start(
        *("data-server", "--data-dir", str(a.folder)),
        *("--listen", f"{a.address}:7410", "--metrics-listen", f"{a.address}:7412"),
        state="data-server.json",
    )
    shutil.copy(a.folder / "cluster-token", b.folder)
    game_server(a, b, journal_url, "--ray-port", "7900")
    for secret in ("cell-secret", "ray-token", "seal-keys.json", "journal-key", "cluster-token"):
        shutil.copy(b.folder / secret, c.folder)
    game_server(
        *(a, c, journal_url, "--ray-address", f"{b.address}:7900"),
        *("--cell-secret-file", str(c.folder / "cell-secret")),
        *("--ray-token-file", str(c.folder / "ray-token")),
        *("--seal-keys-file", str(c.folder / "seal-keys.json")),
    )
    return {machine.name: [f"{machine.address}:7700"] for machine in (b, c)}


def game_server(a: Machine, machine: Machine, journal_url: str, *more: str) -> None:
    machine.start(
        *("game-server", "--server", f"gs-{machine.name}"),
        *("--data-dir", str(machine.folder), "--data-servers", f"{a.address}:7410"),
        *("--node-ip", machine.address, "--listen-host", "0.0.0.0", "--listen-port", "7700"),
        *("--metrics-host", machine.address, "--metrics-port", "7790"),
        *("--journal-url", journal_url),
        *more,
        state="game-server.json",
    )


def runs(a: Machine, host: str) -> sqlite3.Row:
    """What the registry says of it; read where it lies, for a command takes seconds."""
    file = sqlite3.connect(f"file:{a.folder / 'hall.sqlite3'}?mode=ro", uri=True)
    with contextlib.closing(file) as registry:
        registry.row_factory = sqlite3.Row
        return registry.execute("SELECT * FROM host WHERE host = ?", (host,)).fetchone()


async def until(condition: Callable[[], bool], within_s: float, what: str) -> None:
    end = time.monotonic() + within_s
    while not await asyncio.to_thread(condition):
        assert time.monotonic() < end, what
        await asyncio.sleep(0.2)


@pytest.mark.timeout(900)
def test_a_machine_that_is_cut_off_loses_its_tables_and_writes_nothing(
    tmp_path: Path, journal_url: str
) -> None:
    with Network() as network:
        a, b, c = (network.machine(name, tmp_path) for name in "abc")
        gateways = start(a, b, c, journal_url)
        asyncio.run(play(a, b, c, gateways))
        assert "even" in a.run("admin", "ledger", "--data-dir", str(a.folder))


async def play(a: Machine, b: Machine, c: Machine, gateways: dict[str, list[str]]) -> None:
    log = ActionLog()
    plan = LoadPlan(
        gateways=[*gateways["c"], *gateways["b"]],  # the first bot opens the shard on C
        server_keys=ServerKeys.load(b.folder / "seal-keys.json").public,
        room="doudizhu.novice",
        players=6,
        hands=10**9,
        drops=0,
        drop_rate=0.0,
        seed=1,
        think_s=(0.05, 0.25),
        deadline_s=600,
    )
    driver = Driver(plan, make_mind=lambda _: GameMind(REGISTRY), log=log)
    playing = asyncio.ensure_future(driver.run())
    await until(lambda: len(driver.finished()) >= 2, 60, "no hand has ended")
    await until(lambda: runs(a, "gs-c-0")["tables"] >= 1, 30, "no table is there")
    first = runs(a, "gs-c-0")
    assert first["server"] == "gs-c"

    old = json.loads((c.folder / "game-server.json").read_text())["processes"]
    c.cut()
    await until(lambda: runs(a, "gs-c-0")["server"] == "gs-b", TAKEN_WITHIN_S, "not taken over")
    taken = runs(a, "gs-c-0")
    assert int(taken["epoch"]) > int(first["epoch"]) and taken["home"] == "gs-c"
    hands = len(driver.finished())
    await until(lambda: len(driver.finished()) > hands + 2, 60, "nobody plays")

    # The old host can reach the journal, finds that it was replaced, and ends; the node of Ray
    # above it lives. C has no data server to begin anew.
    await until(lambda: not psutil.pid_exists(old["gs-c-0"]), 60, "the old host is not fenced")
    assert psutil.pid_exists(old["ray"])
    c.mend()
    await until(lambda: runs(a, "gs-c-0")["server"] == "gs-c", 120, "not home again")
    home = runs(a, "gs-c-0")
    assert int(home["epoch"]) > int(taken["epoch"])
    hands = len(driver.finished())
    await until(lambda: len(driver.finished()) > hands + 2, 60, "nobody plays at home")
    driver.enough()
    result = await playing
    assert result.errors == [] and result.view_mismatches == 0 and result.voided == 0

    engine = create_engine(f"sqlite:///{a.folder / 'hall.sqlite3'}")
    try:
        await until(lambda: read_books(engine).settlements >= result.hands, 30, "not booked")
        verdict = compare(log, read_records(engine))
        assert verdict.acknowledged > 0 and verdict.lost == [] and verdict.double == []
        books = read_books(engine)
        assert (books.escrow, books.open_sittings, books.voided) == (0, 0, 0)
    finally:
        engine.dispose()
