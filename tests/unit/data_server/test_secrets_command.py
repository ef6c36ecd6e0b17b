"""`paiju admin secrets`: what a deployment hands out as files."""

from __future__ import annotations

import stat
from pathlib import Path

from typer.testing import CliRunner

from data_server.folder import Secrets
from data_server.keys import Keys
from data_server.settings import DataSettings
from paiju.cli.admin_secrets import secrets
from paiju.service.ids import now_us
from paiju.wire.server_keys import ServerKeys, pinned


def run(*arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(secrets, [str(argument) for argument in arguments])
    return result.exit_code, result.output


def test_all_secrets_are_made_once_and_are_private(tmp_path: Path) -> None:
    folder = tmp_path / "secrets"
    code, printed = run("make", "--dir", folder)
    assert code == 0 and stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = {file.name for file in folder.iterdir()}
    assert names == {
        *("cluster-token", "admin-key", "cell-secret", "ray-token", "journal-key"),
        *("ticket-keys.json", "seal-keys.json"),
    }
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in folder.iterdir())
    assert pinned(printed.strip()) == ServerKeys.load(folder / "seal-keys.json").public
    # Programs read them as their own.
    Secrets.load(DataSettings(data_dir=folder))

    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    (folder / "ray-token").unlink()
    assert run("make", "--dir", folder)[0] == 0
    after = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert {name for name in names if before[name] != after[name]} == {"ray-token"}


def test_what_is_there_and_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "seal-keys.json").write_text("{}")
    code, printed = run("make", "--dir", tmp_path)
    assert code == 1 and "seal-keys.json is no file of server keys" in printed


def test_a_rotated_key_signs_and_the_former_one_ends(tmp_path: Path) -> None:
    file = tmp_path / "ticket-keys.json"
    assert run("make", "--dir", tmp_path)[0] == 0
    former = Keys.from_json(file.read_text())
    assert run("rotate-tickets", "--file", file)[0] == 0
    keys = Keys.from_json(file.read_text())
    assert keys.secret == former.secret
    assert keys.tickets[0].not_after_us == 0 and keys.tickets[1].seed == former.tickets[0].seed
    assert 590e6 < keys.tickets[1].not_after_us - now_us() <= 600e6
    code, printed = run("rotate-tickets", "--file", tmp_path / "none")
    assert code == 1 and "No such file" in printed
