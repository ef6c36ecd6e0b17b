"""The lease that is lost and had again; workers that wait to become hosts."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from game_server.supervisor import spares as module
from game_server.supervisor.lease import Lease
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.spares import Spares
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
    spares = Spares(wanted=2, ready=lambda: node.stands, node=lambda: 1, prestart=node.prestart)
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


async def test_those_that_wait_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    node = _Node(monkeypatch)
    monkeypatch.setattr(module, "THERE_WITHIN_S", 10.0)
    node.stands = True
    spares = Spares(wanted=1, ready=lambda: True, node=lambda: 1, prestart=node.prestart)
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
    spares = Spares(wanted=0, ready=lambda: True, node=lambda: 1, prestart=node.prestart)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(spares.run(), 0.1)
    assert node.asked == 0
