"""`paiju up` as a user runs it, and what becomes of its processes when one is killed."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from hall_client import HallClient
from paiju.cli.local import LocalHall
from tests.acceptance.command import ROOT, run

READY_WITHIN_S = 75.0
"""Five times the promise, because others work beside."""
ENDED_WITHIN_S = 30.0


class Up:
    """A running `paiju up` in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.output = folder.with_suffix(".log")
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "paiju.cli.main", "up"),
                    *("--port", "0", "--data-dir", str(folder)),
                ],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        wait_for(lambda: self._state().get("pid") == self.process.pid, READY_WITHIN_S, self.said)
        self.hall = self._state()

    def _state(self) -> dict:
        file = self.folder / "hall.json"
        return json.loads(file.read_text()) if file.exists() else {}

    def said(self) -> str:
        return self.output.read_text()

    def below(self) -> list[psutil.Process]:
        """All its processes and itself."""
        process = psutil.Process(self.process.pid)
        return [process, *process.children(recursive=True)]


def wait_for(condition: Callable[[], bool], within_s: float, say: Callable[[], str]) -> None:
    until = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until, say()
        time.sleep(0.05)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Up]:
    started = Up(tmp_path / "hall")
    yield started
    if started.process.poll() is None:
        started.process.send_signal(signal.SIGINT)
        started.process.wait(60)


def test_it_says_how_to_play_and_ctrl_c_leaves_nothing(up: Up) -> None:
    said = up.said()
    assert up.hall["gateways"][0] in said
    assert "paiju" in said and "play" in said and "--data-dir" in said
    played = run(
        *("play", "--lang", "en", "--think", "0", "--data-dir", str(up.folder)),
        stdin="h\n\n",
        timeout_s=120,
    )
    assert played.returncode == 0, played.stderr
    assert "Hint:" in played.stdout and "Hand 1 begins." in played.stdout
    assert "Goodbye." in played.stdout
    for url in up.hall["metrics"].values():
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert "paiju_" in answer.read().decode()
    second = run("up", "--port", "0", "--data-dir", str(up.folder))
    assert second.returncode == 2, "another one in the same folder"
    assert str(up.folder) in second.stderr and "Traceback" not in second.stderr
    below = up.below()
    up.process.send_signal(signal.SIGINT)
    assert up.process.wait(60) == 0, up.said()
    assert up.said().strip().endswith("Stopped.")
    assert [process for process in below if process.is_running()] == []
    assert not (up.folder / "hall.json").exists()


def test_kill_9_leaves_nothing_and_the_next_start_finds_a_clean_place(up: Up) -> None:
    below = up.below()
    up.process.kill()
    up.process.wait()
    wait_for(
        lambda: not any(_alive(process) for process in below),
        ENDED_WITHIN_S,
        lambda: str([process for process in below if _alive(process)]),
    )
    again = Up(up.folder)
    again.process.send_signal(signal.SIGINT)
    assert again.process.wait(60) == 0, again.said()


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalHall]:
    """One hall for all that it survives."""
    async with LocalHall(data_dir=tmp_path_factory.mktemp("up") / "hall") as started:
        yield started


async def _takes_a_seat(hall: LocalHall) -> None:
    async with HallClient(hall.gateways, server_keys=hall.server_keys) as client:
        await client.guest(os.urandom(32))
        await (await client.quick_join("doudizhu.novice")).stand()


@pytest.mark.asyncio(loop_scope="module")
async def test_a_drain_that_is_taken_back_ends_no_host(hall: LocalHall) -> None:
    hosts = {name: pid for name, pid in hall.processes.items() if name.startswith("local-")}
    assert hosts
    await _drain(hall.folder, on=True)
    await _drain(hall.folder, on=False)
    await _takes_a_seat(hall)
    assert hosts.items() <= hall.processes.items(), "the same processes"


@pytest.mark.asyncio(loop_scope="module")
async def test_gateway_host_and_data_server_come_back_when_killed(hall: LocalHall) -> None:
    async with HallClient(hall.gateways, server_keys=hall.server_keys) as client:
        await client.guest(b"k" * 32)
        before = hall.processes
        assert {"data-server", "game-server", "ray"} <= before.keys()
        for name in sorted(before.keys() - {"game-server", "ray"}):
            os.kill(before[name], signal.SIGKILL)
            await _until(lambda name=name: hall.processes.get(name, 0) not in (0, before[name]))
        handle = await client.quick_join("doudizhu.novice")
        await handle.stand()
    assert set(hall.processes) == set(before)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_host_that_dies_goes_on_in_a_process_that_waited(hall: LocalHall) -> None:
    for _ in range(2):
        for _ in range(3):
            if await _went_on_in_a_spare(hall):
                break
        else:
            pytest.fail("no spare was taken")
    await _takes_a_seat(hall)


async def _went_on_in_a_spare(hall: LocalHall) -> bool:
    """Kill the host. False: the spare was shown, but Ray did not know it yet, as it may be for
    seconds where others work; then the host has a process of its own."""
    await _until(lambda: len(_spares(hall)) == 1, READY_WITHIN_S)
    (spare,) = _spares(hall)
    await _until(lambda: spare.status() == psutil.STATUS_SLEEPING)
    died = hall.processes["local-0"]
    os.kill(died, signal.SIGKILL)
    await _until(lambda: hall.processes.get("local-0", 0) not in (0, died), READY_WITHIN_S)
    return hall.processes["local-0"] == spare.pid


def _spares(hall: LocalHall) -> list[psutil.Process]:
    """Workers of Ray that have nothing to do."""
    below = psutil.Process(hall.processes["ray"]).children(recursive=True)
    return [process for process in below if _title(process).startswith("ray::IDLE")]


def _title(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:
        return ""


async def _drain(folder: Path, *, on: bool) -> None:
    """Until every host has been told."""
    given = ("--data-dir", str(folder))
    off = () if on else ("--off",)
    done = await asyncio.to_thread(run, "admin", "drain", "local", "--reason", "test", *off, *given)
    assert done.returncode == 0, done.stderr
    until = time.monotonic() + ENDED_WITHIN_S
    while True:
        shown = await asyncio.to_thread(run, "admin", "nodes", "--json", "-", *given)
        if all(host["draining"] == on for host in json.loads(shown.stdout)["hosts"]):
            return
        assert time.monotonic() < until


async def _until(condition: Callable[[], bool], within_s: float = ENDED_WITHIN_S) -> None:
    until = time.monotonic() + within_s
    while True:
        if condition():
            return
        assert time.monotonic() < until
        await asyncio.sleep(0.05)
