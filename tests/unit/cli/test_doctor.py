"""What the doctor says of Ray's ports, and of a program before it starts."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grpc
import pytest
from typer.testing import CliRunner

from game_server.supervisor import networks
from game_server.supervisor.settings import GameServerSettings
from paiju.cli import doctor_ray
from paiju.cli.admin import app
from paiju.service.settings import CONFIG_FILE, BadSettings, load
from paiju.wire.v1 import data_pb2

# ---- Ray ---------------------------------------------------------------------------------------


def _node(server: str, ip: str, *, token: bool = True, head: str = "203.0.113.5:7900") -> Any:
    facts = data_pb2.NodeFacts(now_us=1, node_ip=ip, ray_address=head, ray_token=token)
    return data_pb2.NodeInfo(server=server, cell="c", alive=True, facts=facts)


def _wrong(nodes: list[Any], answer: str) -> dict[str, str]:
    found = list(doctor_ray.judge(nodes, probe=lambda address: answer))
    assert [one.name for one in found] == ["Ray's token", "Ray's ports"]
    return {one.name: one.detail for one in found if not one.ok}


def test_a_cell_of_machines_has_a_token_and_closed_ports() -> None:
    nodes = [_node("gs1", "203.0.113.5"), _node("gs2", "203.0.113.6")]
    assert _wrong(nodes, "closed") == {}
    assert _wrong(nodes, "token") == {"Ray's ports": "203.0.113.5:7900 can be reached from here"}
    assert _wrong(nodes, "open") == {"Ray's ports": "203.0.113.5:7900 runs code for anybody"}
    nodes.append(_node("gs3", "203.0.113.7", token=False))
    assert _wrong(nodes, "closed") == {"Ray's token": "gs3 without"}


def test_inside_the_cell_its_ports_may_be_reached_with_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(doctor_ray, "_own_addresses", lambda: {"203.0.113.6"})
    nodes = [_node("gs1", "203.0.113.5"), _node("gs2", "203.0.113.6")]
    assert _wrong(nodes, "token") == {}
    assert "Ray's ports" in _wrong(nodes, "open")


def test_a_machine_for_itself_needs_neither() -> None:
    assert _wrong([_node("gs1", "127.0.0.1", token=False)], "open") == {}


@pytest.fixture
def listening() -> Iterator[Callable[[grpc.StatusCode | None], str]]:
    """Something that speaks gRPC: refuses with the status, or (None) does what is asked."""
    servers = []

    def start(status: grpc.StatusCode | None) -> str:
        class Handler(grpc.GenericRpcHandler):
            def service(self, details: Any) -> Any:
                def answer(request: bytes, context: Any) -> bytes:
                    if status is not None:
                        context.abort(status, "no")
                    return b""

                return grpc.unary_unary_rpc_method_handler(answer)

        server = grpc.server(ThreadPoolExecutor(1), handlers=[Handler()])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        servers.append(server)
        return f"127.0.0.1:{port}"

    yield start
    for server in servers:
        server.stop(None)


def test_it_asks_without_a_token(
    listening: Callable[[grpc.StatusCode | None], str],
) -> None:
    assert doctor_ray.ask(listening(grpc.StatusCode.UNAUTHENTICATED)) == "token"
    assert doctor_ray.ask(listening(None)) == "open"
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        assert doctor_ray.ask(f"127.0.0.1:{nobody.getsockname()[1]}") == "closed"


# ---- before the start --------------------------------------------------------------------------


def _settings(**given: Any) -> GameServerSettings:
    if "ray_address" in given:
        given |= dict.fromkeys(("cell_secret_file", "ray_token_file", "seal_keys_file"), "x")
    return load(GameServerSettings, **given)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"node_ip": "8.8.8.8"}, "node_ip 8.8.8.8 can be reached by the whole internet"),
        ({"node_ip": "0.0.0.0"}, "in every network"),
        (
            {"node_ip": "10.0.0.3", "ray_address": "8.8.8.8:7900"},
            "ray_address 8.8.8.8 can be reached by the whole internet",
        ),
    ],
)
def test_no_cell_begins_in_an_open_network(
    tmp_path: Path, given: dict[str, str], sentence: str
) -> None:
    with pytest.raises(BadSettings, match=sentence):
        networks.check(_settings(**given), tmp_path / "ray-token")


def test_no_cell_begins_with_a_token_that_others_can_read(tmp_path: Path) -> None:
    token = tmp_path / "ray-token"
    networks.check(_settings(node_ip="10.0.0.2"), token)  # it is made, private
    token.write_text("t" * 32)
    token.chmod(0o644)
    with pytest.raises(BadSettings, match="chmod 600"):
        networks.check(_settings(node_ip="10.0.0.2"), token)
    networks.check(_settings(), token)  # of one machine
    token.chmod(0o440)
    networks.check(_settings(node_ip="10.0.0.2", ray_address="10.0.0.3:7900"), token)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    monkeypatch.delenv(CONFIG_FILE, raising=False)
    monkeypatch.setenv("PAIJU_DATA_DIR", str(tmp_path))
    return monkeypatch


def _looked(program: str) -> tuple[int, dict[str, Any]]:
    ran = CliRunner().invoke(app, ["doctor", "--start", program, "--json", "-"])
    return ran.exit_code, {check["name"]: check for check in json.loads(ran.stdout)["checks"]}


def test_a_game_server_is_looked_at_before_it_starts(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as data_server:
        address = f"127.0.0.1:{data_server.getsockname()[1]}"
        environment.setenv("PAIJU_DATA_SERVERS", address)
        (tmp_path / "cluster-token").write_text("t" * 32)
        (tmp_path / "cluster-token").chmod(0o600)
        code, found = _looked("game-server")
        assert code == 0 and all(check["ok"] for check in found.values()), found
        environment.setenv("PAIJU_METRICS_PORT", address.rpartition(":")[2])
        environment.setenv("PAIJU_NODE_IP", "8.8.8.8")
        (tmp_path / "cluster-token").chmod(0o644)
        code, found = _looked("game-server")
    wrong = {name: check["advice"] for name, check in found.items() if not check["ok"]}
    assert code == 1 and set(wrong) == {"secrets", "Ray", "ports"} and all(wrong.values())
    environment.setenv("PAIJU_METRICS_PORT", "0")
    environment.setenv("PAIJU_DATA_SERVERS", "127.0.0.1:1")
    assert not _looked("game-server")[1]["data servers"]["ok"]


def test_a_data_server_is_looked_at_before_it_starts(environment: pytest.MonkeyPatch) -> None:
    for name in ("", "_ADMIN", "_METRICS"):
        environment.setenv(f"PAIJU_DATA{name}_LISTEN", "127.0.0.1:0")
    assert _looked("data-server")[0] == 0
    environment.setenv("PAIJU_DATA_LISTEN", "0.0.0.0:0")
    code, found = _looked("data-server")
    assert code == 1 and "0.0.0.0:0 without TLS" in found["TLS"]["detail"]
    environment.setenv("PAIJU_LEASE_S", "-3")
    code, found = _looked("data-server")
    assert code == 1 and "lease_s" in found["configuration"]["detail"]


# ---- levels ------------------------------------------------------------------------------------


def test_levels_are_written_for_the_programs_to_read(tmp_path: Path) -> None:
    def level(*arguments: str) -> list[str]:
        given = ["log-level", *arguments, "--data-dir", str(tmp_path), "--json", "-"]
        ran = CliRunner().invoke(app, given)
        assert ran.exit_code == 0, ran.output
        lines: list[str] = json.loads(ran.stdout)["levels"]
        return lines

    assert level() == []
    assert level("warning") == ["WARNING"]
    assert level("debug", "--program", "host") == ["WARNING", "host DEBUG"]
    assert level("ERROR", "--program", "host") == ["WARNING", "host ERROR"]
    assert level() == ["WARNING", "host ERROR"]
    assert level("usual", "--program", "host") == ["WARNING"]
    assert level("usual") == [] and list(tmp_path.iterdir()) == []
    ran = CliRunner().invoke(app, ["log-level", "LOUD", "--data-dir", str(tmp_path)])
    assert ran.exit_code == 2 and list(tmp_path.iterdir()) == []
