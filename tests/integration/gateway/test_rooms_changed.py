"""Rooms that change while players are here: all are told, and nobody sits where he may not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game_server.gateway import rooms as rooms_module
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .conftest import ROOM, World, until
from .test_rooms import players

STOPPED = host_pb2.HostAnswer(refusal=common_pb2.Refusal(code="GAME_STOPPED"))
JOIN = hall_pb2.QuickJoin(room=ROOM)


def specs_of(world: World) -> list[rooms_module.RoomSpec]:
    return list(world.gateway._rooms._specs.values())


async def test_everybody_is_told_of_all_rooms(world: World) -> None:
    clients = await players(world, 60)
    stranger = world.client()
    await stranger.hello()
    new = replace(specs_of(world)[0], id="toss.novice", game="toss", package="toss")
    world.gateway._rooms_changed([*specs_of(world), new])

    def told(client: object) -> list[str]:
        found = [u.rooms for u in client.updates if u.HasField("rooms")]  # type: ignore[attr-defined]
        return [room.id for room in found[-1].rooms] if found else []

    await until(lambda: all("toss.novice" in told(client) for client in clients), within_s=25)
    assert not told(stranger), "who has no session asks for the rooms"
    world.gateway._rooms_changed([])
    await until(lambda: not any(told(client) for client in clients), within_s=25)
    answer = await clients[0].ask(quick_join=JOIN)
    assert answer.refusal.code == "NO_SUCH_ROOM"


async def test_an_old_client_may_not_sit_down_but_may_stay(world: World) -> None:
    (client,) = await players(world, 1)
    (spec, *others) = specs_of(world)
    world.gateway._rooms.replace([replace(spec, minimum_client=5), *others])
    answer = await client.ask(quick_join=JOIN)
    assert (answer.refusal.code, answer.refusal.params["build"]) == ("CLIENT_TOO_OLD", "5")
    ref = common_pb2.TableRef(room=ROOM, shard=0, table=500)
    answer = await client.ask(sit=hall_pb2.Sit(table=ref, seat=0))
    assert answer.refusal.code == "CLIENT_TOO_OLD"
    answer = await client.ask(watch=hall_pb2.Watch(table=ref))
    assert answer.refusal.code != "CLIENT_TOO_OLD"
    world.gateway._rooms.replace([spec, *others])
    assert (await client.ask(quick_join=JOIN)).HasField("seated")


async def test_a_host_that_hears_of_a_start_later_is_asked_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms_module, "BEHIND_S", 0.01)
    (client,) = await players(world, 1)
    behind = [STOPPED]
    world.host.answer = lambda c: (
        behind.pop() if c.WhichOneof("body") == "quick_join" and behind else None
    )
    answer = await client.ask(quick_join=JOIN)
    assert answer.seated.table.shard == 0
    assert world.data.calls.count("OpenShard") == 0
