"""deploy/compose and deploy/containers without an engine: parsed, linted, held against policy.

No engine has run them here; docs/operations.md says so.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from tests.operate.programs import KEY, has_fixed_version, settings_of

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "deploy/compose"
IMAGE = ROOT / "deploy/containers/Containerfile"
OURS = {"migrate", "data-1", "data-2", "game-1", "game-2", "web-hall"}


def variables() -> dict[str, str]:
    lines = (FOLDER / ".env").read_text().splitlines()
    found = dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))
    assert found["SERVER_KEYS"] == ""  # only the operator knows it
    return {**found, "SERVER_KEYS": KEY}


def text() -> str:
    """The file with its variables replaced; each must be in .env."""
    known = variables()
    return re.sub(
        r"\$\{(\w+)(?::\?[^}]*)?\}",
        lambda found: known[found[1]],
        (FOLDER / "compose.yaml").read_text(),
    )


@cache
def parsed() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(text())
    return found


def services() -> Iterator[tuple[str, dict[str, Any]]]:
    yield from parsed()["services"].items()


def test_it_is_a_compose_file() -> None:
    """Of the specification, by a parser that knows every field."""
    # Anchors and merges are resolved.
    plain = {name: value for name, value in deepcopy(parsed()).items() if not name.startswith("x-")}
    found = PyCompose.from_yaml(yaml.safe_dump(plain))
    assert json.loads(found.to_json())["name"] == "paiju"
    assert {name for name, _ in services()} == OURS | {
        *("postgresql", "prometheus", "alertmanager", "grafana")
    }
    plain["services"]["data-1"]["helthcheck"] = {}
    with pytest.raises(ValueError, match="helthcheck"):
        PyCompose.from_yaml(yaml.safe_dump(plain))


def test_nothing_runs_as_root_without_limits_or_a_version() -> None:
    for name, service in services():
        assert int(service["user"].split(":")[0]) > 0, name
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not service.get("privileged") and "network_mode" not in service, name
        assert has_fixed_version(service["image"]), service["image"]
        assert {"cpus", "memory"} <= service["deploy"]["resources"]["limits"].keys(), name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert name == "migrate" or service["healthcheck"]["test"], name
        for volume in service.get("volumes", ()):
            source, _, rest = volume.partition(":")
            assert source in parsed()["volumes"] or rest.endswith(":ro"), volume
            if source.startswith("..") or source.endswith((".sql", "targets")):
                assert (FOLDER / source).exists(), volume


def test_the_programs_start_with_these_commands_and_settings() -> None:
    declared = parsed()["secrets"]
    for name, service in services():
        if name not in OURS:
            continue
        environment = service["environment"]
        settings = settings_of(service["command"][0], environment)
        given = {f"/run/secrets/{secret}" for secret in service.get("secrets", ())}
        used = {v for v in environment.values() if v.startswith("/run/secrets/")}
        used |= {v.partition("passfile=")[2] for v in environment.values() if "passfile=" in v}
        assert used == given, name
        assert set(service.get("secrets", ())) <= declared.keys()
        if service["command"] == ["game-server"]:
            assert settings.peer_files() and settings.edge_tls and not settings.loopback
            assert settings.data_servers == ("data-1:7410", "data-2:7410")
            assert float(service["stop_grace_period"].rstrip("s")) > settings.grace_s
        if service["command"] == ["data-server"]:
            assert settings.peer_files() is not None and not settings.migrates()
            assert settings.data_admin_listen.startswith("127.0.0.1")


def test_secrets_are_files_that_are_not_here() -> None:
    for name, secret in parsed()["secrets"].items():
        assert secret == {"file": f"./secrets/{name}"}
    ignored = (FOLDER / ".gitignore").read_text().splitlines()
    assert {"secrets/", "tls/"} <= set(ignored)


def test_the_cell_is_alone_in_its_network() -> None:
    networks = parsed()["networks"]
    assert networks["cell"]["internal"] and networks["data"]["internal"]
    members: dict[str, set[str]] = {}
    for name, service in services():
        for network in service["networks"]:
            members.setdefault(network, set()).add(name)
    assert members["cell"] == {"game-1", "game-2"}
    assert members["players"] == {"game-1", "game-2", "web-hall"}
    assert "web-hall" not in members["data"] | members["watch"]


def test_prometheus_finds_everything_by_the_shipped_configuration() -> None:
    config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    wanted = {f for job in config["scrape_configs"] for f in job["file_sd_configs"][0]["files"]}
    wanted |= set(config["alerting"]["alertmanagers"][0]["file_sd_configs"][0]["files"])
    targets = set()
    for file in wanted:
        for group in json.loads((FOLDER / file).read_text()):
            targets |= {target.partition(":")[0] for target in group["targets"]}
    assert targets == {"data-1", "data-2", "game-1", "game-2", "alertmanager"}


def test_the_container_file_has_no_faults() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint is not here")
    done = subprocess.run([hadolint, IMAGE], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_image_is_pinned_not_roots_and_holds_what_it_needs() -> None:
    lines = [line.strip() for line in IMAGE.read_text().splitlines()]
    bases = [line.partition("=")[2] for line in lines if line.startswith("ARG ")]
    assert all(map(has_fixed_version, bases)) and len(bases) == 1
    assert [line for line in lines if line.startswith("FROM ")] == [
        *("FROM ${PYTHON} AS build", "FROM ${PYTHON}")
    ]
    assert "USER 10001:10001" in lines
    assert any(line.startswith("HEALTHCHECK ") for line in lines)
    copied = {
        source
        for line in lines
        if line.startswith("COPY ") and "--from" not in line
        for source in line.split()[1:-1]
    }
    kept = {
        line[1:]
        for line in IMAGE.with_name(IMAGE.name + ".dockerignore").read_text().splitlines()
        if line.startswith("!")
    }
    assert copied == kept and all((ROOT / path).exists() for path in copied)


@pytest.mark.skipif(shutil.which("amtool") is None, reason="amtool is missing")
def test_alertmanager_understands_its_configuration() -> None:
    file = ROOT / "deploy/prometheus/alertmanager.yml"
    done = subprocess.run(["amtool", "check-config", file], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
