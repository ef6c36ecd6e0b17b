"""Hosts and guests of a machine: who is started when, and what a Ray that stands still changes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from ray.exceptions import ActorDiedError, ActorUnavailableError

from game_server.supervisor import hosts as module
from game_server.supervisor.cell import Cell
from game_server.supervisor.hosts import GIVE_UP_AFTER, Hosts
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.signs import FRESH_S, Signs
from paiju.wire.v1 import data_pb2


class FakeCell:
    """Actors are numbers; `says` is what an actor answers or raises."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.ended: list[int] = []
        self.told: list[tuple[int, str]] = []
        self.says: dict[int, Any] = {}

    async def start_host(
        self, name: str, config: dict[str, Any], *, within_s: float, alive: Callable[[], bool]
    ) -> int:
        self.started.append(name)
        actor = len(self.started)
        self.says[actor] = {"pid": 100 + actor, "epoch": actor, "config": config}
        return actor

    async def ask(self, host: int, method: str, *given: Any, within_s: float) -> Any:
        self.told.append((host, method))
        if method == "info" and isinstance(self.says[host], Exception):
            raise self.says[host]
        return self.says[host] if method == "info" else None

    async def end_host(self, host: int) -> None:
        self.ended.append(host)


class Rig:
    def __init__(self) -> None:
        self.cell = FakeCell()
        self.now = 100.0
        self.signs = Signs(clock=lambda: self.now)
        self.refused: set[str] = set()
        self.claims: list[tuple[str, str]] = []
        self.hosts = Hosts(
            cell=self.cell,  # type: ignore[arg-type]
            own=["gs1-0"],
            server="gs1",
            config_of=lambda name, home: {"host": name, "home": home},
            claim=self._claim,
            signs=self.signs,
            metrics=SupervisorMetrics(),
        )

    async def _claim(self, name: str, home: str) -> bool:
        self.claims.append((name, home))
        return name not in self.refused


@pytest.fixture
async def rig(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Rig]:
    for name in ("ASK_EVERY_S", "CLAIM_AGAIN_S", "LOOK_S"):
        monkeypatch.setattr(module, name, 0.001)
    found = Rig()
    found.hosts.connected()
    found.hosts.start()
    await until(lambda: "gs1-0" in found.hosts.infos())
    yield found
    await found.hosts.stop(within_s=1)


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.002)


async def test_a_guest_is_started_once_and_ended_when_it_goes_home(rig: Rig) -> None:
    for _ in range(3):
        rig.hosts.adopt({"gs2-0": "gs2"})
        await asyncio.sleep(0.005)
    await until(lambda: "gs2-0" in rig.hosts.infos())
    assert rig.cell.started == ["gs1-0", "gs2-0"]
    assert rig.claims == [("gs1-0", "gs1"), ("gs2-0", "gs2")]
    assert rig.cell.says[2]["config"] == {"host": "gs2-0", "home": "gs2"}
    rig.hosts.adopt({})
    await until(lambda: rig.cell.ended == [2])
    assert set(rig.hosts.infos()) == {"gs1-0"} and rig.hosts.names() == ["gs1-0"]


async def test_a_guest_whose_home_is_back_is_not_started_again(rig: Rig) -> None:
    rig.hosts.adopt({"gs2-0": "gs2"})
    await until(lambda: "gs2-0" in rig.hosts.infos())
    rig.refused.add("gs2-0")  # its home has claimed it, and ends ours
    rig.cell.says[2] = ActorDiedError()
    await until(lambda: rig.claims.count(("gs2-0", "gs2")) > 3)
    assert rig.cell.started == ["gs1-0", "gs2-0"]
    rig.refused.clear()  # that home is lost again
    await until(lambda: rig.cell.started == ["gs1-0", "gs2-0", "gs2-0"])


async def test_guests_are_no_condition_of_being_ready(rig: Rig) -> None:
    rig.refused.add("gs2-0")
    rig.hosts.adopt({"gs2-0": "gs2"})
    assert rig.hosts.ready()


async def test_a_host_that_ray_does_not_reach_is_left_alone_while_it_lives(rig: Rig) -> None:
    def sign() -> None:
        rig.signs.heard(data_pb2.HostCounts(host="gs1-0", epoch=1, players=7))

    sign()
    rig.cell.says[1] = ActorUnavailableError("Ray stands still", None)
    asked = len(rig.cell.told)
    await until(lambda: len(rig.cell.told) > asked + 2 * GIVE_UP_AFTER)
    assert rig.cell.started == ["gs1-0"] and rig.cell.ended == []
    assert [counts.players for counts in rig.signs.counts()] == [7], "the heartbeat has it"
    rig.now += FRESH_S
    assert rig.signs.counts() == []
    await until(lambda: rig.cell.started == ["gs1-0", "gs1-0"])


async def test_a_restart_waits_for_the_next_process(rig: Rig) -> None:
    work = asyncio.ensure_future(rig.hosts.restart("gs1-0", within_s=10))
    await until(lambda: (1, "leave") in rig.cell.told)
    rig.cell.says[1] = ActorUnavailableError("it restarts", None)
    await asyncio.sleep(0.02)
    assert not work.done()
    rig.cell.says[1] = {"pid": 500, "epoch": 2}
    await work
    assert rig.cell.told.count((1, "leave")) == 1


async def test_a_restart_that_takes_too_long_is_asked_for_again_but_not_of_the_next(
    rig: Rig,
) -> None:
    for _ in range(2):  # it does not hear
        with pytest.raises(TimeoutError):
            await rig.hosts.restart("gs1-0", within_s=0.02)
    assert rig.cell.told.count((1, "leave")) == 2
    rig.cell.says[1] = {"pid": 500, "epoch": 2}
    await until(lambda: rig.hosts.infos()["gs1-0"]["pid"] == 500)
    await rig.hosts.restart("gs1-0", within_s=10)
    assert rig.cell.told.count((1, "leave")) == 2


def test_a_sign_of_an_older_epoch_says_nothing() -> None:
    signs = Signs(clock=lambda: 0.0)
    signs.heard(data_pb2.HostCounts(host="h", epoch=2, players=5))
    signs.heard(data_pb2.HostCounts(host="h", epoch=1, players=9))
    assert [counts.players for counts in signs.counts()] == [5]
    signs.forget("h")
    assert not signs.alive("h")


class SlowCell(Cell):
    """Its actors answer when they may."""

    def __init__(self) -> None:
        super().__init__(name="c", node_ip="127.0.0.1", temp_dir=Path(), actor="m:A")
        self.asked = 0
        self.answers = False
        self.ended: list[object] = []

    def _new_host(self, name: str, config: dict[str, Any]) -> object:
        return name

    async def ask(self, host: Any, method: str, *given: Any, within_s: float) -> Any:
        self.asked += 1
        if not self.answers:
            raise TimeoutError
        return {}

    async def end_host(self, host: Any) -> None:
        self.ended.append(host)


async def test_a_host_that_rebuilds_its_tables_is_not_broken_off() -> None:
    """Twice in the same table's replay, and that table would be void."""
    cell = SlowCell()

    def alive() -> bool:
        cell.answers = cell.asked >= 3
        return True

    assert await cell.start_host("h", {}, within_s=1, alive=alive) == "h"
    assert cell.ended == []


async def test_a_host_of_which_nothing_is_heard_is_given_up() -> None:
    cell = SlowCell()
    with pytest.raises(TimeoutError):
        await cell.start_host("h", {}, within_s=1, alive=lambda: False)
    assert cell.ended == ["h"]
