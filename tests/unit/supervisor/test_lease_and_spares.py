"""The lease that is lost and had again; workers that wait to become hosts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from game_server.supervisor import spares as module
from game_server.supervisor.lease import Lease
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.spares import HURRY_S, Calm, Spares, idle_s
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


class _Calls:
    """Each lease is lost with its first heartbeat."""

    def __init__(self) -> None:
        self.again: list[bool] = []

    async def call(self, rpc: str, request: Any, *, deadline_s: float | None = None) -> Any:
        if rpc == "Heartbeat":
            raise Refused("LEASE_LOST")
        self.again.append(request.again)
        return data_pb2.RegisterServerReply(lease_ms=150, heartbeat_ms=50, lease_epoch=1)


async def test_only_the_first_registration_is_that_of_a_new_process() -> None:
    calls = _Calls()
    lease = Lease(
        calls=calls,
        identity=data_pb2.RegisterServerRequest(server="gs"),
        counts=lambda: (0, []),
        on_answer=lambda reply: None,
        metrics=SupervisorMetrics(),
    )
    running = asyncio.ensure_future(lease.run())
    async with asyncio.timeout(10):
        while len(calls.again) < 3:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    running.cancel()
    assert calls.again[:3] == [False, True, True]


class _Node:
    """Ray's node: `there` idle workers; one more some time after it was asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.idle: list[int] = []  # pids
        self.killed: list[int] = []
        self.asked = 0
        self.fails = 0
        self.stands = False
        self.quiet = True
        monkeypatch.setattr(module, "LOOK_EVERY_S", 0.01)
        monkeypatch.setattr(module, "THERE_WITHIN_S", 0.05)
        monkeypatch.setattr(module, "idle", lambda node: list(self.idle))
        monkeypatch.setattr(module.os, "kill", self._kill)

    @property
    def there(self) -> int:
        return len(self.idle)

    def _kill(self, pid: int, _: int) -> None:
        self.killed.append(pid)
        self.idle.remove(pid)

    def calm(self, now: float) -> bool:
        return self.quiet

    async def prestart(self) -> None:
        self.asked += 1
        if self.fails:
            self.fails -= 1
            raise RuntimeError("the node does not answer")
        asyncio.get_running_loop().call_later(0.02, self._start)

    def _start(self) -> None:
        self.idle.append(self.asked)

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(10):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.005)


async def test_as_many_wait_as_are_wanted_and_a_used_one_is_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node = _Node(monkeypatch)
    spares = Spares(
        wanted=2, ready=lambda: node.stands, node=lambda: 1, prestart=node.prestart, calm=node.calm
    )
    running = asyncio.ensure_future(spares.run())
    await asyncio.sleep(0.1)
    assert node.asked == 0, "first the hosts"
    node.stands = True
    await node.until(lambda: node.there == 2)
    await asyncio.sleep(0.1)
    assert node.asked == 2
    node.fails = 1
    node.idle.pop()  # a host took it
    await node.until(lambda: node.there == 2)
    assert node.asked == 4, "asked again after a failure"
    running.cancel()


async def test_none_is_started_while_the_machine_is_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    node = _Node(monkeypatch)
    node.stands, node.quiet = True, False
    spares = Spares(
        wanted=1,
        ready=lambda: node.stands,
        node=lambda: 1,
        prestart=node.prestart,
        calm=node.calm,
    )
    running = asyncio.ensure_future(spares.run())
    await asyncio.sleep(0.1)
    assert node.asked == 0
    node.quiet = True
    await node.until(lambda: node.there == 1)
    running.cancel()


CALM_S = 6.0


def _first_enough(idle_cores: Callable[[float], float]) -> float:
    """Seconds until it is calm enough on a machine that has so many cores idle at each time."""
    idle = 0.0
    calm = Calm(lambda: idle, CALM_S)
    for now in range(0, 200, 2):
        if calm.enough(float(now)):
            return float(now)
        idle += 2 * idle_cores(now + 2.0)
    raise AssertionError("never")


def test_calm_is_some_seconds_with_cores_to_spare_or_long_waiting() -> None:
    assert _first_enough(lambda now: 1.9) == CALM_S
    assert _first_enough(lambda now: 1.9 if now > 10 else 0.2) == 10 + CALM_S
    assert HURRY_S <= _first_enough(lambda now: 1.9 if now % 6 == 0 else 0.1) <= HURRY_S + 2
    assert HURRY_S <= _first_enough(lambda now: 0.0) <= HURRY_S + 2


def test_the_idle_time_of_this_machine_is_read() -> None:
    before = idle_s()
    assert before > 0
    assert idle_s() >= before


async def test_those_that_wait_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    node = _Node(monkeypatch)
    monkeypatch.setattr(module, "THERE_WITHIN_S", 10.0)
    node.stands = True
    spares = Spares(
        wanted=1, ready=lambda: True, node=lambda: 1, prestart=node.prestart, calm=node.calm
    )
    running = asyncio.ensure_future(spares.run())
    await node.until(lambda: node.there == 1)
    old = list(node.idle)
    await spares.renew()
    assert node.killed == old, "what they have imported may be older than what is installed"
    assert node.there == 1 and node.idle != old
    running.cancel()


async def test_none_are_asked_for_when_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    node = _Node(monkeypatch)
    node.stands = True
    spares = Spares(
        wanted=0, ready=lambda: True, node=lambda: 1, prestart=node.prestart, calm=node.calm
    )
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(spares.run(), 0.1)
    assert node.asked == 0
