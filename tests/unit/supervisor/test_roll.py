"""One after another, each back before the next; a roll that is known at the start is done."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from game_server.supervisor import roll as module
from game_server.supervisor.children import Child
from game_server.supervisor.leftovers import Record
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.roll import Roller


class FakeGateway:
    def __init__(self, name: str, done: list[str]) -> None:
        self.name = name
        self._done = done

    async def restart(self, *, within_s: float) -> None:
        self._done.append(self.name)


class FakeHosts:
    """`late`: so often a restart takes too long."""

    def __init__(self, done: list[str], late: int = 0) -> None:
        self._done = done
        self.late = late
        self.asked: list[str] = []

    def names(self) -> list[str]:
        return ["h0", "h1"]

    async def restart(self, name: str, *, within_s: float) -> None:
        self.asked.append(name)
        if self.late:
            self.late -= 1
            raise TimeoutError
        self._done.append(name)


def roller(done: list[str], **more: Any) -> tuple[Roller, FakeHosts]:
    hosts = FakeHosts(done, **more)
    gateways = [FakeGateway("g0", done), FakeGateway("g1", done)]

    async def renew_spares() -> None:
        done.append("spares")

    made = Roller(gateways=gateways, hosts=hosts, renew_spares=renew_spares, gateway_s=1)  # type: ignore[arg-type]
    return made, hosts


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.002)


async def test_each_process_once_and_a_repeated_wish_does_nothing() -> None:
    done: list[str] = []
    rolls, _ = roller(done)
    work = asyncio.ensure_future(rolls.run())
    for wish in (3, 3):  # what is known at the start is done: all is new
        rolls.want(wish)
    await asyncio.sleep(0.02)
    assert (done, rolls.state()) == ([], (3, ""))
    for wish in (4, 4, 3, 4):
        rolls.want(wish)
    await until(lambda: rolls.state() == (4, ""))
    rolls.want(4)
    await asyncio.sleep(0.02)
    assert done == ["g0", "g1", "spares", "h0", "h1"]
    work.cancel()


async def test_a_host_that_does_not_come_back_stops_the_roll() -> None:
    done: list[str] = []
    rolls, hosts = roller(done, late=2)
    work = asyncio.ensure_future(rolls.run())
    rolls.want(0)
    rolls.want(1)
    await until(lambda: rolls.state()[0] == 1)
    assert done == ["g0", "g1", "spares", "h0", "h1"]
    assert hosts.asked == ["h0", "h0", "h0", "h1"]
    work.cancel()


async def test_what_it_is_at_can_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "HOST_BACK_S", 0.01)
    rolls, hosts = roller([])
    stuck = asyncio.Event()

    async def restart(name: str, *, within_s: float) -> None:
        await stuck.wait()

    hosts.restart = restart  # type: ignore[method-assign]
    work = asyncio.ensure_future(rolls.run())
    rolls.want(0)
    rolls.want(1)
    await until(lambda: rolls.state() == (0, "h0 (3/4)"))
    stuck.set()
    await until(lambda: rolls.state() == (1, ""))
    work.cancel()


async def test_a_child_is_restarted_without_a_pause_and_counts_as_no_death(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    program = (
        "import os, signal, sys, time; "
        f"open({str(mark)!r}, 'w').write(str(os.getpid())); "
        "signal.signal(signal.SIGTERM, lambda *_: sys.exit(0)); time.sleep(60)"
    )
    metrics = SupervisorMetrics()

    async def check() -> bool:
        return mark.exists() and mark.read_text() == str(child.pid)

    child = Child(
        name="child",
        command=lambda: [sys.executable, "-c", program],
        environment=os.environ,
        check=check,
        record=Record(tmp_path),
        metrics=metrics,
    )
    child.start()
    try:
        await asyncio.wait_for(child.ready.wait(), 10)
        first = child.pid
        await asyncio.wait_for(child.restart(within_s=5), 10)
        assert child.pid not in (0, first)
        assert child.ready.is_set() and child.deaths_in_a_row == 0
        assert metrics.restarts.labels("child")._value.get() == 0
        os.kill(child.pid, signal.SIGSTOP)  # it does not end by itself
        stopped = child.pid
        await asyncio.wait_for(child.restart(within_s=0.2), 10)
        assert child.pid not in (0, stopped)
    finally:
        await child.stop(within_s=5)
        with contextlib.suppress(ProcessLookupError):
            os.kill(first, signal.SIGKILL)
