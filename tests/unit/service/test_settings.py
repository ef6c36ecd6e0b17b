"""Settings: what is wrong is named before anything starts; what holds can be looked up."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from data_server.settings import DataSettings
from paiju.cli import config, main
from paiju.service.settings import CONFIG_FILE, BadSettings, load


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(CONFIG_FILE, raising=False)
    return monkeypatch


def _file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "paiju.toml"
    path.write_text(text)
    return path


def _shown(*more: str, program: str = "data-server") -> Mapping[str, Mapping[str, str]]:
    ran = CliRunner().invoke(config.app, ["show", "--program", program, "--json", "-", *more])
    assert ran.exit_code == 0, ran.output
    return {row["setting"]: row for row in json.loads(ran.stdout)["settings"]}


@pytest.mark.parametrize("program", config.PROGRAMS)
def test_every_setting_has_a_meaning(program: str) -> None:
    rows = config.settings_of(config.PROGRAMS[program])
    assert len(rows) > 5
    assert [row["setting"] for row in rows if not row["meaning"]] == []


@pytest.mark.parametrize("kind", config.ALL)
def test_every_duration_and_size_has_its_unit(kind: type) -> None:
    for name, field in kind.model_fields.items():
        if field.annotation is float:
            assert config.unit_of(name, float), name
    assert config.unit_of("lease_s", float) == "seconds"
    assert config.unit_of("start_grant", int) == "coins"
    assert config.unit_of("gateways", int) == ""


def test_flags_go_before_the_environment_before_the_file_before_the_default(
    tmp_path: Path, environment: pytest.MonkeyPatch
) -> None:
    text = "lease_s = 20\nquota = 7\n[data-server]\nstart_grant = 1\ntakeover_s = 8.0\n"
    path = _file(tmp_path, text)
    environment.setenv(CONFIG_FILE, str(path))
    environment.setenv("PAIJU_START_GRANT", "2")
    settings = load(DataSettings, takeover_s=9.0, log_level=None)
    assert (settings.lease_s, settings.start_grant, settings.takeover_s) == (20.0, 2, 9.0)
    rows = _shown()
    assert (rows["lease_s"]["value"], rows["lease_s"]["source"]) == ("20.0", "file")
    assert (rows["start_grant"]["value"], rows["start_grant"]["source"]) == ("2", "environment")
    assert rows["takeover_s"]["source"] == "file"
    assert rows["poll_s"] == {
        "setting": "poll_s", "value": "1.0", "source": "default", "unit": "seconds",
        "meaning": "How soon it sees what other data servers wrote.",
    }  # fmt: skip
    assert _shown(program="game-server")["quota"]["source"] == "file"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("leese_s = 3", r"leese_s \(is lease_s meant\?\)"),
        ("[dataserver]\nlease_s = 3", r"dataserver \(is data-server meant\?\)"),
        ("[data-server]\nquota = 3", r"\[data-server\] has what no program knows: quota"),
        ("lease_s = ", "is no TOML"),
        ("lease_s = -3", "lease_s: Input should be greater than 0"),
    ],
)
def test_a_wrong_file_is_named(
    tmp_path: Path, environment: pytest.MonkeyPatch, text: str, sentence: str
) -> None:
    environment.setenv(CONFIG_FILE, str(_file(tmp_path, text)))
    with pytest.raises(BadSettings, match=sentence):
        config.use(None)
        load(DataSettings)


def test_an_unknown_variable_is_named(environment: pytest.MonkeyPatch) -> None:
    config.use(None)
    environment.setenv("PAIJU_LEASES_S", "3")
    with pytest.raises(BadSettings, match=r"PAIJU_LEASES_S \(is PAIJU_LEASE_S meant\?\)"):
        config.use(None)


def test_addresses_of_services_are_no_settings(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PAIJU_DATA_SERVICE_HOST", "10.0.0.1")
    environment.setenv("PAIJU_DATA_PORT", "tcp://10.0.0.1:7410")
    environment.setenv("PAIJU_DATA_PORT_7410_TCP_ADDR", "10.0.0.1")
    config.use(None)


def test_a_password_in_an_address_is_not_shown(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("PAIJU_DATABASE_URL", "postgresql://paiju:s3cret@db:5432/paiju")
    ran = CliRunner().invoke(config.app, ["show", "--program", "data-server", "--json", "-"])
    assert "s3cret" not in ran.output
    assert _shown()["database_url"]["value"] == "postgresql://paiju:***@db:5432/paiju"


def test_a_missing_file_and_an_unknown_program(environment: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSettings, match="cannot read /nowhere: No such file"):
        environment.setenv(CONFIG_FILE, "/nowhere")
        config.use(None)
    assert CliRunner().invoke(config.app, ["show", "--program", "hall"]).exit_code == 2


@pytest.mark.parametrize("command", ["data-server", "game-server", "up"])
def test_the_start_is_stopped_with_a_sentence(
    environment: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    environment.setenv("PAIJU_LEASES_S", "3")
    environment.setattr("sys.argv", ["paiju", command])
    with pytest.raises(SystemExit) as ended:
        main.main()
    assert ended.value.code == 2
    told = capsys.readouterr().err
    assert told.startswith("paiju: wrong settings: the environment has") and "LEASE_S" in told
