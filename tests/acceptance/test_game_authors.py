"""The page for authors: every command of it, as written, in a hall that runs."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

from paiju.cli.local import LocalHall
from tests.acceptance.command import ROOT

PAGE = ROOT / "docs" / "game-authors.md"
COMMANDS = [
    line
    for block in re.findall(r"^```sh\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def typed(line: str, folder: Path) -> str:
    """One line in a shell's place; it must end 0."""
    program, *rest = shlex.split(line)
    start = [sys.executable, "-m", "paiju.cli.main"] if program == "paiju" else [program]
    done = subprocess.run(
        [*start, *rest],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
    return done.stdout


async def test_every_command_of_the_page(tmp_path: Path) -> None:
    assert len(COMMANDS) > 20
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
