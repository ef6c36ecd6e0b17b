"""The wish to drain: over when a stream that stands has not told it, never before it stands."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import pytest

from game_server.gateway import follower as module
from game_server.gateway.follower import Follower
from paiju.wire.v1 import data_pb2


class FakeData:
    """A stream that stands when `stands` is set, and then tells `events`."""

    def __init__(self) -> None:
        self.stands = asyncio.Event()
        self.events: list[data_pb2.FollowEvent] = []

    async def follow(
        self, server: str, on_open: Callable[[], None]
    ) -> AsyncIterator[data_pb2.FollowEvent]:
        await self.stands.wait()
        on_open()
        for event in self.events:
            yield event
        await asyncio.Event().wait()


@pytest.fixture
def wishes(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    monkeypatch.setattr(module, "WISH_S", 0.05)
    return []


def follow(data: FakeData, wishes: list[bool]) -> asyncio.Task[None]:
    made: Any = Follower(
        data=data,  # type: ignore[arg-type]
        server="gs",
        players=[],  # type: ignore[arg-type]
        presence=SimpleNamespace(),  # type: ignore[arg-type]
        on_drain=wishes.append,
        on_news=lambda player: None,
    )
    return asyncio.ensure_future(made.run())


async def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.002)


async def test_a_stream_that_does_not_stand_says_nothing_about_the_wish(wishes: list[bool]) -> None:
    data = FakeData()
    work = follow(data, wishes)
    await asyncio.sleep(3 * module.WISH_S)
    assert wishes == []
    data.stands.set()
    await until(lambda: wishes == [False])
    work.cancel()


async def test_a_wish_that_is_told_stays(wishes: list[bool]) -> None:
    data = FakeData()
    data.events = [data_pb2.FollowEvent(drain=data_pb2.Drain(on=True))]
    data.stands.set()
    work = follow(data, wishes)
    await until(lambda: wishes == [True])
    await asyncio.sleep(3 * module.WISH_S)
    assert wishes == [True]
    work.cancel()
