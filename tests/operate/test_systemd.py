"""deploy/systemd without a running systemd: units verified, settings held against the programs.

tests/cluster/test_bare_machines.py starts the programs with these files.
"""

from __future__ import annotations

import configparser
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from game_server.supervisor.folders import LONGEST_RUN_DIR
from tests.operate.programs import KEY, settings_of

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "deploy/systemd"
UNITS = sorted(FOLDER.glob("*.service"))
PAIJU = "/opt/paiju/bin/paiju"
EXPOSURE = "20"
"""Of 100 at most, as systemd-analyze counts it."""

needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="systemd-analyze is missing"
)


def unit(path: Path) -> configparser.SectionProxy:
    parser = configparser.ConfigParser(strict=True, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(path.read_text())
    return parser["Service"]


def environment(name: str, machine: str = "") -> dict[str, str]:
    """Of a file; for another machine with the lines that are marked for it."""
    found: dict[str, str] = {}
    last = ""
    for line in (FOLDER / name).read_text().splitlines():
        marked = re.match(r"# (\w): (\S+)(?: in place of (\w+))?$", line)
        if marked and marked[1] == machine:
            value = marked[2]
            if marked[3]:
                del found[marked[3]]
                last, _, value = value.partition("=")
            elif value.endswith(".pem"):
                value = str(Path(found[last]).with_name(value))
            found[last] = value
        elif line and not line.startswith("#"):
            last, _, found[last] = line.partition("=")
    if not found.get("PAIJU_WEB_SERVER_KEYS", KEY):
        found["PAIJU_WEB_SERVER_KEYS"] = KEY  # only the operator knows it
    return found


@needs_systemd
def test_systemd_understands_the_units_and_finds_them_closed(tmp_path: Path) -> None:
    for path in UNITS:
        text = path.read_text()
        assert text.count(PAIJU) == 1
        (tmp_path / path.name).write_text(text.replace(PAIJU, "/bin/true"))
    files = sorted(tmp_path.glob("*.service"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *files], capture_output=True, text=True
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
    for file in files:
        done = subprocess.run(
            ["systemd-analyze", "security", "--offline=yes", f"--threshold={EXPOSURE}", file],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout.splitlines()[-1]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_is_not_root_is_limited_and_its_log_rotates(path: Path) -> None:
    service = unit(path)
    assert service["User"] == "paiju" and service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict" and service["CapabilityBoundingSet"] == ""
    assert service["MemoryMax"] and service["TasksMax"]
    assert service["LogNamespace"] == "paiju"
    journald = configparser.ConfigParser()
    journald.read(FOLDER / "journald@paiju.conf")
    kept = journald["Journal"]
    assert kept["SystemMaxUse"] and kept["SystemKeepFree"] and kept["MaxRetentionSec"]


def test_the_programs_start_with_these_commands_and_settings() -> None:
    for path in UNITS:
        service = unit(path)
        _, command = service["ExecStart"].removeprefix(PAIJU).split(" ", 1)
        given = environment(Path(service["EnvironmentFile"]).name)
        if "Environment" in service:
            name, _, value = service["Environment"].partition("=")
            given[name] = value
        settings = settings_of(command, given)
        assert Path(service["EnvironmentFile"]).is_relative_to("/etc/paiju")
        state = f"/var/lib/{service['StateDirectory']}"
        assert str(settings.data_dir) == state == service["WorkingDirectory"]
        if command == "game-server":
            # All processes told at once would end hands in disorder.
            assert service["KillMode"] == "mixed" and service["OOMPolicy"] == "continue"
            assert int(service["TimeoutStopSec"]) > settings.grace_s
            assert settings.run_dir is not None and len(str(settings.run_dir)) <= LONGEST_RUN_DIR
            assert settings.run_dir.parent == Path("/run") / service["RuntimeDirectory"]
            assert settings.edge_tls and settings.peer_files() and not settings.loopback
        if command == "data-server":
            assert int(service["TimeoutStopSec"]) > settings.drain_grace_s
            assert settings.peer_files() is not None
            assert settings.data_admin_listen.startswith("127.0.0.1:")


def test_c_joins_the_cell_of_b() -> None:
    head = settings_of("game-server", environment("game-server.env"))
    other = settings_of("game-server", environment("game-server.env", "C"))
    assert other.ray_address == f"{head.node_ip}:{head.ray_port}" and not head.ray_address
    assert (other.server, other.node_ip, other.metrics_host) == ("gs-c", "10.0.0.3", "10.0.0.3")
    assert other.peer_certificate.name == "gs-c.pem" and other.peer_key.name == "gs-c-key.pem"
    assert other.cell == head.cell and other.data_servers == head.data_servers


def test_the_firewall_opens_what_the_settings_say() -> None:
    game = settings_of("game-server", environment("game-server.env"))
    data = settings_of("data-server", environment("data-server.env"))
    hall = settings_of("hall", environment("hall.env"))
    last = game.gateways - 1
    rules = (FOLDER / "paiju.nft").read_text()
    players = (
        f"tcp dport {{ {game.listen_port}-{game.listen_port + last}, "
        f"{game.wss_port}-{game.wss_port + last} }} accept"
    )
    assert players in rules
    assert f"$OPERATORS tcp dport {game.metrics_port} accept" in rules
    assert str(game.ray_port) not in rules  # for the cell alone, which has all ports
    rules_of_a = (FOLDER / "data-server.nft").read_text()
    assert f"$GAME_SERVERS tcp dport {data.data_listen.rpartition(':')[2]} accept" in rules_of_a
    assert f"tcp dport {hall.web_tls_listen.rpartition(':')[2]} accept" in rules_of_a
    assert data.data_admin_listen.rpartition(":")[2] not in rules_of_a
    for text in (rules, rules_of_a):
        assert "policy drop;" in text
        opened = [line for line in text.splitlines() if line.strip().endswith("accept")]
        everybody = [line.strip() for line in opened if "tcp dport" in line and "saddr" not in line]
        assert len(everybody) == 2  # ssh, and what players need


@pytest.mark.skipif(shutil.which("nft") is None, reason="nft is missing: Debian's nftables")
@pytest.mark.parametrize("name", ["paiju.nft", "data-server.nft"])
def test_nft_understands_the_rules(name: str) -> None:
    done = subprocess.run(["nft", "-c", "-f", FOLDER / name], capture_output=True, text=True)
    if "Operation not permitted" in done.stderr:
        pytest.skip("the kernel lets nobody here ask for rules")
    assert done.returncode == 0, done.stderr
