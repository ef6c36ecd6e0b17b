"""The page for authors: every command of it, as written, in a hall that runs."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
from click.testing import CliRunner

from paiju.cli.local import LocalHall
from paiju.cli.main import app
from tests.acceptance.command import ROOT

PAGE = ROOT / "docs" / "game-authors.md"
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def typed(line: str, folder: Path) -> str:
    """One line in a shell's place; it must end 0. Our own command runs in this process, which
    saves the second that each start costs."""
    program, *rest = shlex.split(line)
    if program != "paiju":
        done = subprocess.run([program, *rest], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        return done.stdout
    ended = CliRunner().invoke(typer.main.get_command(app), rest)
    assert ended.exit_code == 0, f"{line}\n{ended.output}\n{ended.exception!r}"
    return ended.stdout


async def test_every_command_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(COMMANDS) > 20
    monkeypatch.chdir(tmp_path)
    async with LocalHall(data_dir=tmp_path / "hall", gateways=1):
        for line in COMMANDS:
            await asyncio.to_thread(typed, line, tmp_path)
            if line.startswith("paiju package start quick --data-dir"):
                await _offered(tmp_path, "1.0.0")
            elif line.endswith("--percent 10 --data-dir hall"):
                await _offered(tmp_path, "1.0.0", staged="1.1.0")
            elif line == "paiju package start quick --version 1.1.0 --data-dir hall":
                await _offered(tmp_path, "1.1.0")
            elif line.startswith("paiju package rollback"):
                await _offered(tmp_path, "1.0.0")
        listed = json.loads(
            await asyncio.to_thread(typed, "paiju package list --json - --data-dir hall", tmp_path)
        )
        rooms = json.loads(
            await asyncio.to_thread(
                typed, "paiju admin rooms show quick.novice --json - --data-dir hall", tmp_path
            )
        )
        values = [json.loads(one["values"]) for one in rooms["settings"]]
        assert values == [{}, {"rules.N": 20, "turn_ms.play": 25_000}], "newest first"
        told = {"server", "package", "version", "state", "tables"}
        assert listed["servers"] and all(told <= one.keys() for one in listed["servers"])
        assert any((tmp_path / "www/p/quick").glob("*/help.en.md"))
        (plan,) = listed["plans"]
        assert not plan.get("on", False) and plan["minimum_client"] == 1
        yanked = {v["version"]: v.get("yanked", False) for v in listed["versions"]}
        assert yanked == {"1.0.0": False, "1.1.0": True}
        new = (tmp_path / "hall/package-keys/authors/ann.pem").read_bytes()
        assert new != (tmp_path / "hall/package-keys/authors/ann.pem.old").read_bytes()


async def _offered(folder: Path, version: str, *, staged: str = "") -> None:
    """Until the game server says so."""
    for _ in range(40):
        said = await asyncio.to_thread(typed, "paiju package list --json - --data-dir hall", folder)
        states = {
            game["state"]: game["version"]
            for game in json.loads(said).get("servers", ())
            if game["package"] == "quick"
        }
        if states.get("offered") == version and states.get("staged", "") == staged:
            return
        await asyncio.sleep(0.3)
    raise AssertionError(states)
