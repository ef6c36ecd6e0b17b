"""A hall that was installed from a wheel is rolled to this version while bots play."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine

from hall_client.bots.mind import GameMind
from hall_client.load.books import read_books, verify_records
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.evidence import ActionLog, compare, read_records
from paiju.rules.registry import Registry
from paiju.wire.server_keys import decode
from tests.acceptance.command import ROOT

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1200)]

OLDER = "0.0.9"
STAY = {"game-server", "ray", "web"}
"""Not touched by a roll."""
READY_WITHIN_S = 150.0
HANDS_WITHIN_S = 120.0


# ---- wheels ---------------------------------------------------------------------------------


def wheel(source: Path, folder: Path) -> Path:
    """Of a source tree, as an operator builds one."""
    folder.mkdir()
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, source], check=True
    )
    (made,) = folder.glob("*.whl")
    return made


def previous(folder: Path) -> Path:
    """The wheel of `PAIJU_PREVIOUS_WHEEL`; without one this tree under an older number, which
    proves the way but not that the versions get on."""
    given = os.environ.get("PAIJU_PREVIOUS_WHEEL")
    if given:
        return Path(given)
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    source = folder / "older"
    for name in filter(None, names):
        if (ROOT / name).is_file() and not name.startswith(("tests/", "docs/")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    project = source / "pyproject.toml"
    text = re.sub(r'(?m)^version = ".*"$', f'version = "{OLDER}"', project.read_text(), count=1)
    project.write_text(text)
    return wheel(source, folder / "older-wheel")


def install(made: Path, site: Path) -> None:
    """In place, file by file, as an upgrade does; what the wheel does not have goes afterwards."""
    with zipfile.ZipFile(made) as archive:
        names = {name for name in archive.namelist() if not name.endswith("/")}
        for name in names:
            target = site / name
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_name(f"{target.name}.new")
            fresh.write_bytes(archive.read(name))
            fresh.replace(target)
    for path in [path for path in site.rglob("*") if path.is_file()]:
        if path.relative_to(site).as_posix() not in names:
            path.unlink()


# ---- the hall -------------------------------------------------------------------------------


class Installed:
    """`paiju` from the wheel that is installed in `site`, and nothing of this checkout."""

    def __init__(self, folder: Path) -> None:
        self.site = folder / "site"
        self.data = folder / "hall"
        self._cwd = folder
        self._environment = {**os.environ, "PYTHONPATH": str(self.site)}

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "paiju.cli.main", *arguments, "--data-dir", str(self.data)]

    def start(self, output: Path) -> subprocess.Popen[bytes]:
        with output.open("wb") as log:
            return subprocess.Popen(
                self.command("up", "--port", "0"),
                cwd=self._cwd,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            self.command(*arguments),
            cwd=self._cwd,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def said(self, name: str) -> dict[str, Any]:
        """A state file."""
        file = self.data / name
        found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        return found

    def processes(self) -> dict[str, int]:
        """By name; those that are not there have no pid."""
        found: dict[str, int] = self.said("game-server.json").get("processes", {})
        pid = self.said("data-server.json").get("pid")
        return {**found, "data-server": pid} if pid else found

    def versions(self) -> dict[str, str]:
        """Process -> what it runs, by the metrics."""
        found = {}
        for program, url in self.said("hall.json")["metrics"].items():
            with urllib.request.urlopen(url, timeout=10) as answer:
                text = answer.read().decode()
            for labels in re.findall(r"^paiju_build_info\{(.*)\} 1", text, re.MULTILINE):
                of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
                found[of.get("process", program)] = of["version"]
        return found


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Installed]:
    hall = Installed(tmp_path)
    install(previous(tmp_path), hall.site)
    output = tmp_path / "up.log"
    process = hall.start(output)
    try:
        until = time.monotonic() + READY_WITHIN_S
        while hall.said("hall.json").get("pid") != process.pid:
            assert process.poll() is None and time.monotonic() < until, output.read_text()
            time.sleep(0.1)
        yield hall
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(90)


async def _until(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + HANDS_WITHIN_S
    while not await asyncio.to_thread(holds):
        assert time.monotonic() < until, what
        await asyncio.sleep(0.1)


async def _roll(hall: Installed, new: Path, log: ActionLog) -> Any:
    hall_json = hall.said("hall.json")
    plan = LoadPlan(
        gateways=tuple(hall_json["gateways"]),
        server_keys=tuple(decode(key) for key in hall_json["server_keys"]),
        room="doudizhu.novice",
        players=9,
        hands=10**9,
        drops=0,
        drop_rate=0.0,
        seed=1,
        think_s=(0.05, 0.25),
        deadline_s=900,
    )
    registry = Registry.default()
    driver = Driver(plan, make_mind=lambda _: GameMind(registry), log=log)
    playing = asyncio.ensure_future(driver.run())
    await _until(lambda: len(driver.finished()) >= 3, "no hand has ended")
    before = hall.processes()
    old = await asyncio.to_thread(hall.versions)
    await asyncio.to_thread(install, new, hall.site)
    await asyncio.to_thread(hall.run, "admin", "roll", "--reason", "upgrade")
    await _until(lambda: _all_new(hall, before), "not all is new")
    _are_new(old, await asyncio.to_thread(hall.versions))
    hands = len(driver.finished())
    await _until(lambda: len(driver.finished()) > hands + 2, "nobody plays on")
    driver.enough()
    return await playing


def _all_new(hall: Installed, before: Mapping[str, int]) -> bool:
    now = hall.processes()
    return all(now.get(name, pid) != pid for name, pid in before.items() if name not in STAY)


def _are_new(old: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Every process but the supervisor, which a roll leaves."""
    assert now.keys() == old.keys()
    for process, version in now.items():
        if not process.endswith("/supervisor"):
            assert version != old[process], process


def test_a_hall_of_an_installed_wheel_is_rolled_to_this_version(
    installed: Installed, tmp_path: Path
) -> None:
    log = ActionLog()
    result = asyncio.run(_roll(installed, wheel(ROOT, tmp_path / "wheel"), log))
    assert result.errors == [] and result.view_mismatches == 0 and result.voided == 0
    engine = create_engine(f"sqlite:///{installed.data / 'hall.sqlite3'}")
    try:
        asyncio.run(_until(lambda: read_books(engine).settlements >= result.hands, "not booked"))
        verdict = compare(log, read_records(engine))
        assert verdict.acknowledged > 0 and verdict.lost == [] and verdict.double == []
        books = read_books(engine)
        assert (books.sum, books.unbalanced, books.escrow, books.open_sittings) == (0, 0, 0, 0)
        assert verify_records(engine, Registry.default())[1] == []
    finally:
        engine.dispose()
