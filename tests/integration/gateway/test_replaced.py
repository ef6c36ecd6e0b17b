"""One live session per player, whatever the order in which connections come and go."""

from __future__ import annotations

import asyncio
import random

import pytest

from paiju.wire.v1 import common_pb2, hall_pb2

from .conftest import Client, World, until


async def test_the_older_connection_is_told_once_and_its_end_harms_nobody(world: World) -> None:
    one, two = world.client(), world.client()
    await one.guest()
    table = await one.join()
    await two.guest()
    await until(lambda: one.ended)
    assert one.notices() == ["REPLACED"]
    one.stop()
    assert world.gateway.sessions == 1
    await two.ask(watch=hall_pb2.Watch(table=table))
    world.host.step(table.table)
    await until(lambda: two.steps() == [2])
    assert one.steps() == []


async def test_hosts_see_the_newer_pair_before_the_older_one_is_gone(world: World) -> None:
    one, two = world.client(), world.client()
    session = await one.guest()
    table = await one.join()
    await two.hello()
    cursor = common_pb2.Cursor(table=table, epoch=1, seq=1)
    await two.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=1, cursors=[cursor]))
    await until(lambda: "gone" in world.host.kinds())
    seen = [(c.WhichOneof("body"), c.connection) for c in world.host.log]
    assert seen == [("quick_join", 0), ("watch", 1), ("gone", 0)]
    two.stop()
    await until(lambda: world.host.log[-1].connection == 1 and world.host.kinds()[-1] == "gone")


async def test_the_repeat_of_an_opening_replaces_its_first_try(world: World) -> None:
    one, two = world.client(), world.client()
    await one.guest()
    table = await one.join()
    world.data.epochs[101] = 0  # the stored answer: the same epoch again
    await two.guest()
    await until(lambda: one.ended)
    assert "gone" not in world.host.kinds()
    await two.ask(watch=hall_pb2.Watch(table=table))
    two.stop()
    await until(lambda: world.host.kinds()[-1] == "gone")


async def test_a_lower_connection_number_is_stale(world: World) -> None:
    one, two, three = world.client(), world.client(), world.client()
    session = await one.guest()
    for client in (two, three):
        await client.hello()
    await two.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=5))
    answer = await three.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=4))
    assert answer.refusal.code == "STALE_SESSION"
    assert not three.ended
    assert (await two.ask(ping=hall_pb2.Ping(nonce=1))).pong.nonce == 1
    world.host.answer = lambda c: None
    from paiju.wire.v1 import host_pb2

    world.host.answer = lambda c: host_pb2.HostAnswer(
        refusal=common_pb2.Refusal(code="STALE_SESSION")
    )
    table = common_pb2.TableRef(room="doudizhu.novice", table=500)
    await two.ask(watch=hall_pb2.Watch(table=table))  # a newer one lives at another gateway
    await until(lambda: two.ended)
    assert two.notices() == ["REPLACED"]


@pytest.mark.parametrize("part", range(4))
async def test_any_order_leaves_exactly_the_newest(world: World, part: int) -> None:
    for seed in range(part * 25, part * 25 + 25):
        await _race(world, random.Random(seed), player=seed)


async def _race(world: World, rng: random.Random, *, player: int) -> None:
    """Two logins, some resumes and some ends, in an order of their own."""
    secret = bytes([player]) * 32
    first = world.client()
    session = await first.guest(secret)
    number = session.profile.player
    clients: list[tuple[tuple[int, int], Client]] = [((session.session_epoch, 0), first)]

    async def login(client: Client) -> None:
        opened = await client.ask(open_guest=hall_pb2.OpenGuest(device_secret=secret))
        if opened.HasField("session"):
            clients.append(((opened.session.session_epoch, 0), client))

    async def resume(client: Client, connection: int) -> None:
        opened = await client.ask(
            resume=hall_pb2.Resume(ticket=session.ticket, connection=connection)
        )
        if opened.HasField("session"):
            clients.append(((session.session_epoch, connection), client))

    others = [world.client() for _ in range(4)]
    for client in others:
        await client.hello()
    work = [
        login(others[0]), login(others[1]), resume(others[2], 1), resume(others[3], 2),
    ]  # fmt: skip
    rng.shuffle(work)
    tasks = []
    for item in work:
        tasks.append(asyncio.ensure_future(item))
        for _ in range(rng.randrange(3)):
            await asyncio.sleep(0)
        if rng.random() < 0.3:
            rng.choice([first, *others[2:]]).stop()
    # A stopped client gets no answer.
    await until(lambda: all(t.done() for t in tasks) or _all_over(tasks, [first, *others]))
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    live = world.gateway._players.get(number)
    if clients:
        newest = max(clients, key=lambda item: item[0])[1]
        alive = [c for _, c in clients if not c.ended and not _over(c)]
        assert len(alive) <= 1
        if not _over(newest):
            assert alive == [newest]
            assert live is newest.connection  # type: ignore[attr-defined]
    for client in [first, *others]:
        client.stop()
    assert world.gateway._players.get(number) is None


def _over(client: Client) -> bool:
    return bool(client.connection.reason)  # type: ignore[attr-defined]


def _all_over(tasks: list[asyncio.Future[None]], clients: list[Client]) -> bool:
    waiting = sum(not task.done() for task in tasks)
    return (
        waiting <= sum(_over(client) for client in clients)
        and waiting > 0
        and all(
            not len(c.connection.session._pending)  # type: ignore[attr-defined]
            for c in clients
        )
    )
