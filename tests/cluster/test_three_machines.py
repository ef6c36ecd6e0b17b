"""The way of docs/operations.md to three machines: play across them, lose one, empty one."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hall_client import Tls
from hall_client.bots.mind import GameMind
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.result import LoadResult
from paiju.cli.admin import app as admin
from paiju.rules.registry import Registry
from paiju.wire.server_keys import ServerKeys
from tests.cluster.machines import Machine, Network, allowed

pytestmark = pytest.mark.skipif(not allowed(), reason="needs the right to make network namespaces")
REGISTRY = Registry.default()


class Cluster:
    """A: data server. B: game server and head of Ray. C: game server that joined B's cell."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.a, self.b, self.c = (network.machine(name, folder) for name in "abc")
        self.authority = folder / "authority"
        self._make_certificates()
        self.a.start(
            *("data-server", "--data-dir", str(self.a.folder)),
            *self.peer(self.a, "data-a"),
            *("--listen", f"{self.a.address}:7410"),
            *("--metrics-listen", f"{self.a.address}:7412"),
            state="data-server.json",
        )
        shutil.copy(self.a.folder / "cluster-token", self.b.folder)
        self.gateways = {"b": self.game_server(self.b, "--ray-port", "7900")}
        for secret in ("cell-secret", "ray-token", "seal-keys.json"):
            shutil.copy(self.b.folder / secret, self.c.folder)
        shutil.copy(self.a.folder / "cluster-token", self.c.folder)
        self.gateways["c"] = self.game_server(
            self.c,
            *("--ray-address", f"{self.b.address}:7900"),
            *("--cell-secret-file", str(self.c.folder / "cell-secret")),
            *("--ray-token-file", str(self.c.folder / "ray-token")),
            *("--seal-keys-file", str(self.c.folder / "seal-keys.json")),
        )

    def _make_certificates(self) -> None:
        """On the operator's machine, which needs no network; each gets its own files."""

        def make(*arguments: str) -> None:
            given = ["certificates", *arguments, "--dir", str(self.authority)]
            result = CliRunner().invoke(admin, given)
            assert result.exit_code == 0, result.output

        make("init", "--cell", "cell-1")
        here_too = ["--address", self.a.address, "--address", "127.0.0.1"]
        edges = [a for m in (self.b, self.c) for a in ("--address", m.address)]
        for role, name, addresses, machines in (
            ("data-server", "data-a", here_too, [self.a]),
            ("game-server", "gs-b", ["--address", self.b.address], [self.b]),
            ("game-server", "gs-c", ["--address", self.c.address], [self.c]),
            ("players", "edge", edges, [self.b, self.c]),
            ("operator", "ann", [], [self.a]),
        ):
            make("issue", "--role", role, "--name", name, *addresses)
            for machine in machines:
                for file in (f"{name}.pem", f"{name}-key.pem", "ca.pem"):
                    shutil.copy(self.authority / file, machine.folder)
        self.a.settings = {
            "PAIJU_PEER_CERTIFICATE": str(self.a.folder / "ann.pem"),
            "PAIJU_PEER_KEY": str(self.a.folder / "ann-key.pem"),
            "PAIJU_PEER_CA": str(self.a.folder / "ca.pem"),
        }

    def peer(self, machine: Machine, name: str) -> tuple[str, ...]:
        return (
            *("--peer-certificate", str(machine.folder / f"{name}.pem")),
            *("--peer-key", str(machine.folder / f"{name}-key.pem")),
            *("--peer-ca", str(machine.folder / "ca.pem")),
        )

    def game_server(self, machine: Machine, *more: str) -> list[str]:
        machine.start(
            *("game-server", "--server", f"gs-{machine.name}"),
            *("--data-dir", str(machine.folder), "--data-servers", f"{self.a.address}:7410"),
            *("--node-ip", machine.address, "--listen-host", "0.0.0.0", "--listen-port", "7700"),
            *("--metrics-host", machine.address, "--metrics-port", "7790"),
            *self.peer(machine, f"gs-{machine.name}"),
            *("--edge-tls", "--tls-certificate", str(machine.folder / "edge.pem")),
            *("--tls-key", str(machine.folder / "edge-key.pem")),
            *more,
            state="game-server.json",
        )
        return [f"grpcs://{machine.address}:7700"]

    def nodes(self) -> dict:
        shown: dict = json.loads(self.a.run("admin", "nodes", "--json", "-", *self.admin()))
        return shown

    def admin(self) -> tuple[str, ...]:
        return ("--data-dir", str(self.a.folder))

    def play(self, *gateways: str, players: int = 6, hands: int = 4) -> LoadResult:
        plan = LoadPlan(
            gateways=gateways,
            server_keys=ServerKeys.load(self.b.folder / "seal-keys.json").public,
            room="doudizhu.novice",
            players=players,
            hands=hands,
            drops=1,
            seed=1,
            drop_rate=0.1,
            deadline_s=90,
            tls=Tls.load(self.authority / "ca.pem"),
        )
        return asyncio.run(Driver(plan, make_mind=lambda _: GameMind(REGISTRY)).run())


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with Network() as network:
        yield Cluster(network, tmp_path)


def test_play_across_machines_then_empty_one_and_lose_another(cluster: Cluster) -> None:
    assert {node["server"] for node in cluster.nodes()["nodes"]} == {"gs-b", "gs-c"}
    both = [*cluster.gateways["b"], *cluster.gateways["c"]]
    result = cluster.play(*both)
    assert result.errors == [] and result.view_mismatches == 0 and result.hands >= 4

    # Nothing that others reach is open, and nothing runs out.
    # A is no machine of the cell, and yet it reaches Ray: the doctor minds until that is closed.
    checks = _checks(cluster, code=1)
    assert [check["name"] for check in checks.values() if not check["ok"]] == ["Ray's ports"]
    assert f"{cluster.b.address}:7900 can be reached" in checks["Ray's ports"]["detail"]
    if shutil.which("nft") is not None:
        cluster.b.close(7900, except_for=(cluster.b.address, cluster.c.address))
        checks = _checks(cluster, code=0)
    assert checks["clocks of machines"]["detail"].startswith("2 within")
    assert checks["listeners without TLS"]["ok"] and checks["certificates"]["ok"]
    assert checks["listeners without TLS"]["detail"] == "5 others reach"

    # Emptied: C takes no new tables any more; its gateway sends players elsewhere.
    cluster.a.run("admin", "drain", "gs-c", "--reason", "test", *cluster.admin())
    until = time.monotonic() + 30
    while not _host(cluster, "gs-c")["draining"]:
        assert time.monotonic() < until
        time.sleep(0.2)
    result = cluster.play(*both)
    assert result.errors == [] and result.hands >= 4
    assert _host(cluster, "gs-c")["tables"] == 0

    # Lost: C's cable is pulled. B goes on; C is shown as gone when its lease is over.
    cluster.c.cut()
    result = cluster.play(*cluster.gateways["b"])
    assert result.errors == [] and result.hands >= 4
    until = time.monotonic() + 60
    while _node(cluster, "gs-c")["alive"]:
        assert time.monotonic() < until
        time.sleep(0.5)
    assert _node(cluster, "gs-b")["alive"]
    cluster.c.mend()
    until = time.monotonic() + 60
    while not _node(cluster, "gs-c")["alive"]:
        assert time.monotonic() < until
        time.sleep(0.5)
    assert "even" in cluster.a.run("admin", "ledger", *cluster.admin())


def _node(cluster: Cluster, server: str) -> dict:
    return next(node for node in cluster.nodes()["nodes"] if node["server"] == server)


def _checks(cluster: Cluster, *, code: int) -> dict[str, dict]:
    told = cluster.a.run("admin", "doctor", "--json", "-", *cluster.admin(), code=code)
    return {check["name"]: check for check in json.loads(told)["checks"]}


def _host(cluster: Cluster, server: str) -> dict:
    return next(host for host in cluster.nodes()["hosts"] if host["server"] == server)
