"""Quick join: one shard is opened for many, full ones are passed over, nobody free is said."""

from __future__ import annotations

import asyncio

from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .conftest import ROOM, World, until
from .fake_host import FakeHost

FULL = host_pb2.HostAnswer(refusal=common_pb2.Refusal(code="ROOM_FULL"))


async def players(world: World, count: int) -> list:
    clients = [world.client() for _ in range(count)]
    await asyncio.gather(
        *(client.guest(number.to_bytes(32, "big")) for number, client in enumerate(clients))
    )
    return clients


async def test_many_quick_joins_open_one_shard(world: World) -> None:
    world.data.shards.clear()
    clients = await players(world, 30)
    seats = await asyncio.gather(
        *(c.ask(quick_join=hall_pb2.QuickJoin(room=ROOM)) for c in clients)
    )
    assert {answer.seated.table.shard for answer in seats} == {0}
    assert world.data.calls.count("OpenShard") == 1
    assert list(world.data.shards) == [(ROOM, 0)]


async def test_a_full_shard_leads_to_the_next_one(world: World) -> None:
    world.host.answer = lambda c: (
        FULL if c.WhichOneof("body") == "quick_join" and c.shard == 0 else None
    )
    clients = await players(world, 10)
    seats = await asyncio.gather(
        *(c.ask(quick_join=hall_pb2.QuickJoin(room=ROOM)) for c in clients)
    )
    assert {answer.seated.table.shard for answer in seats} == {1}
    assert world.data.calls.count("OpenShard") == 1


async def test_above_the_mark_the_next_one_is_opened_without_waiting(world: World) -> None:
    world.data.shards[ROOM, 0].players = 90
    world.data.shards[ROOM, 0].free_seats = 10
    clients = await players(world, 1)
    answer = await clients[0].ask(quick_join=hall_pb2.QuickJoin(room=ROOM))
    assert answer.seated.table.shard == 0
    await until(lambda: (ROOM, 1) in world.data.shards)


async def test_a_repeat_goes_where_the_first_went(world: World) -> None:
    (client,) = await players(world, 1)
    world.host.silent = True
    command = client.command(quick_join=hall_pb2.QuickJoin(room=ROOM))
    await client.send(command)
    await until(lambda: "quick_join" in world.host.kinds())
    world.host.cut()
    assert (await client.answer(command.id)).refusal.code == "RETRY"
    world.host.silent = False
    world.data.add_host(world.host.info(), (ROOM, 0), (ROOM, 7))
    world.data.shards[ROOM, 7].players = 20  # fuller, would come first
    await until(lambda: not world.gateway._links.retry_after_s("host-0"))
    client.updates.clear()
    await client.send(command)
    assert (await client.answer(command.id)).seated.table.shard == 0


async def test_no_host_no_room_and_no_data_server(world: World) -> None:
    (client,) = await players(world, 1)
    world.data.shards.clear()
    world.data.host_for_new = ""
    answer = await client.ask(quick_join=hall_pb2.QuickJoin(room="doudizhu.master"))
    assert answer.refusal.code == "NO_HOST"
    answer = await client.ask(quick_join=hall_pb2.QuickJoin(room="chess.hall"))
    assert answer.refusal.code == "NO_SUCH_ROOM"
    assert answer.refusal.text == "There is no room chess.hall."


async def test_a_dead_host_gets_nobody(world: World) -> None:
    other = FakeHost("host-1", world.folder, first_table=900)
    await other.start()
    world.data.add_host(other.info(), (ROOM, 1))
    world.data.hosts["host-0"].alive = False
    world.data.shards[ROOM, 0].players = 29
    clients = await players(world, 3)
    for client in clients:
        answer = await client.ask(quick_join=hall_pb2.QuickJoin(room=ROOM))
        assert answer.seated.table.shard == 1
    assert not world.host.log
    await other.stop()


async def test_summaries_keep_the_counts_fresh(world: World) -> None:
    (client,) = await players(world, 1)
    await client.join()
    summary = common_pb2.ShardSummary(room=ROOM, shard=0, players=42, tables=14, free_seats=1)
    world.host.to_all(host_pb2.HostEvent(summary=summary))

    async def listed() -> int:
        answer = await client.ask(list_rooms=hall_pb2.ListRooms())
        return answer.rooms.rooms[0].players

    await until(lambda: world.gateway._shards.counts(ROOM) == (42, 14))
    assert await listed() == 42


async def test_a_grid_is_watched(world: World) -> None:
    (client,) = await players(world, 1)
    answer = await client.ask(watch_grid=hall_pb2.WatchGrid(room=ROOM, shard=0))
    assert answer.HasField("done")
    update = hall_pb2.Update(grid=hall_pb2.GridUpdate(room=ROOM, full=True)).SerializeToString()
    event = host_pb2.HostEvent(deliver=host_pb2.Deliver(players=[101], update=update))
    world.host.to_all(event)
    await until(lambda: [u for u in client.updates if u.grid.full])
    world.host.cut()
    await until(lambda: world.host.kinds() == ["watch_grid", "watch_grid"])
