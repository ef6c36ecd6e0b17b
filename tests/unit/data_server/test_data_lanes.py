"""Lanes and followers: bounded queues, cancelled callers, draining."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from data_server import follow
from data_server.errors import Overloaded, Unreachable
from data_server.follow import Followers
from data_server.lanes import LONGEST_WAIT_MS, SHORTEST_WAIT_MS, Lane
from data_server.store.sessions import Ended


async def test_what_does_not_fit_is_refused_at_once() -> None:
    refused: list[int] = []
    lane = Lane("x", at_once=2, waiting=3, on_refused=lambda: refused.append(1))
    gate = asyncio.Event()
    calls = [asyncio.ensure_future(lane.run(gate.wait)) for _ in range(5)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (lane.working, lane.queued) == (2, 3)
    with pytest.raises(Overloaded) as error:
        await lane.run(gate.wait)
    assert SHORTEST_WAIT_MS <= error.value.retry_after_ms <= LONGEST_WAIT_MS
    gate.set()
    assert await asyncio.gather(*calls) == [True] * 5
    assert len(refused) == 1 and (lane.working, lane.queued) == (0, 0)


async def test_work_goes_on_when_its_caller_goes_away() -> None:
    lane = Lane("x", at_once=1, waiting=3)
    gate, done = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await gate.wait()
        done.set()

    at_work = asyncio.ensure_future(lane.run(work))
    waiting = asyncio.ensure_future(lane.run(work))
    await asyncio.sleep(0)
    at_work.cancel()
    waiting.cancel()
    await asyncio.wait([at_work, waiting])
    assert (lane.working, lane.queued) == (1, 0)
    gate.set()
    await lane.drain()
    assert done.is_set() and lane.working == 0
    with pytest.raises(Unreachable):
        await lane.run(work)


async def test_a_failure_frees_the_lane() -> None:
    lane = Lane("x", at_once=1, waiting=0)

    async def fail() -> None:
        raise KeyError

    for _ in range(3):
        with pytest.raises(KeyError):
            await lane.run(fail)


def ended(number: int, server: str = "s") -> Ended:
    return Ended(number, server, player=number, below=2, reason="REPLACED")


async def test_followers_hear_each_event_once() -> None:
    followers = Followers()
    async with aclosing(followers.follow("s")) as events:
        first = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        followers.session_ended([ended(1)])
        followers.session_ended([ended(1), ended(2), ended(3, server="other")])
        assert (await first).session_ended.player == 1
        assert (await anext(events)).session_ended.player == 2
        followers.draining("s", True)
        followers.draining("s", True)
        followers.draining("s", False)
        assert (await anext(events)).drain.on
        assert not (await anext(events)).drain.on
    assert followers.count() == 0 and followers.servers() == set()


async def test_a_slow_follower_loses_events_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "QUEUE", 2)
    dropped: list[int] = []
    followers = Followers(on_drop=lambda: dropped.append(1))
    async with aclosing(followers.follow("s")) as events:
        first = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        followers.session_ended([ended(n) for n in range(5)])
        await first
        assert len(dropped) == 3
        followers.close()
        assert [event.session_ended.player async for event in events] == []
