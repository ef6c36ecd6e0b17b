"""Settings of rooms: set, checked, previewed, followed, taken back, audited."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from conftest import Hall, Machine, until  # type: ignore[import-not-found]

from game_server.gateway.games import HallGames
from game_server.packages import health
from game_server.packages.library import Library
from paiju.rules.registry import Registry
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages.publishing import blob, give, publish

ROOM = "toss.novice"


@asynccontextmanager
async def gateway(machine: Machine) -> AsyncIterator[list[Any]]:
    """What a gateway of the machine told its players, the newest last."""
    games = HallGames(Library(Registry([]), machine.shelf), machine.shelf)
    await asyncio.to_thread(games.begin)
    told: list[Any] = []
    task = asyncio.ensure_future(games.run(told.append))
    try:
        yield told
    finally:
        task.cancel()


async def set_room(hall: Hall, values: Any = None, **more: Any) -> pb.SetRoomReply:
    request = pb.SetRoomRequest(
        **({"op": new_op(), "room": ROOM, "reason": "t", "values": json.dumps(values)} | more)
    )
    reply: pb.SetRoomReply = await hall.admin.SetRoom(request)
    return reply


async def said(hall: Hall, *, number: int = 0) -> None:
    """Until the server says that settings `number` count in the room."""
    for _ in range(400):
        listed = await hall.admin.ListRooms(pb.ListRoomsRequest())
        if [(one.server, one.number) for one in listed.servers] == [("gs-0", number)]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(listed)


@pytest.fixture
async def machine(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> Machine:
    async def sound(_: Any) -> str:
        return ""

    monkeypatch.setattr(health, "check", sound)
    ann = await give(hall.admin, hall.keys, "ann", "toss")
    await publish(hall.admin, "ann", ann, blob())
    await hall.plan(pb.PLAN_START)
    made = await hall.machine("gs-0")
    await made.register()
    await until(lambda: made.offers() == "1.0.0")
    return made


async def test_set_previewed_followed_and_taken_back(hall: Hall, machine: Machine) -> None:
    assert (await set_room(hall, {"reserve_ms": 5})).refusal.code == "NO_SUCH_ROOM", (
        "no server has said yet what the room may have"
    )
    async with gateway(machine) as told:
        await said(hall)
        before = machine.games.room(ROOM).reserve_ms
        seen = await set_room(hall, {"reserve_ms": 5}, preview=True)
        assert (json.loads(seen.before)["reserve_ms"], seen.servers) == (before, 1)
        assert json.loads(seen.after)["reserve_ms"] == 5 and not seen.settings.change
        assert machine.games.room(ROOM).reserve_ms == before

        op = new_op()
        done = await set_room(hall, {"reserve_ms": 5}, op=op)
        assert done.settings.number == 1 and done.settings.change
        assert await set_room(hall, {"reserve_ms": 5}, op=op) == done, "a repeat is answered"
        await until(lambda: machine.games.room(ROOM).reserve_ms == 5)
        assert machine.games.choose(ROOM, 1).room.reserve_ms == 5
        await said(hall, number=1)

        assert (await set_room(hall, {"reserve_ms": 7})).settings.number == 2
        await until(lambda: machine.games.room(ROOM).reserve_ms == 7)
        assert (await set_room(hall, back=True, number=1)).settings.number == 3
        await until(lambda: machine.games.room(ROOM).reserve_ms == 5)
        assert (await set_room(hall, back=True, number=9)).refusal.code == "NO_SUCH_SETTINGS"
        assert json.loads((await set_room(hall, {"reserve_ms": None})).settings.values) == {}
        await until(lambda: machine.games.room(ROOM).reserve_ms == before)
        assert told == [], "nothing that players see in the list has changed"
        listed = await hall.admin.ListRooms(pb.ListRoomsRequest(room=ROOM))
        assert [s.number for s in listed.settings] == [4, 3, 2, 1]


WRONG: list[tuple[Any, str]] = [
    ({"reserve_ms": -1}, "gs-0: reserve_ms: -1 is not within"),
    ({"reserve_ms": 5, "rules.N": 2}, "no such parameter"),
    ({"buy_in_min": 2}, "plays for score"),
    ({}, "no values"),
    ([1], "no values"),
    ({f"x{n}": n for n in range(101)}, "more than 100"),
    ({"reserve_ms": "x" * 20_000}, "too long"),
]


async def test_what_is_refused_changes_nothing(hall: Hall, machine: Machine) -> None:
    async with gateway(machine):
        await said(hall)
        for values, says in WRONG:
            refused = (await set_room(hall, values)).refusal
            assert refused.code == "BAD_ROOM_VALUES" and says in refused.params["detail"]
            assert (await set_room(hall, values, preview=True)).refusal.code == refused.code
        assert not (await hall.admin.ListRooms(pb.ListRoomsRequest())).settings


async def test_every_change_leaves_a_row_in_the_audit(hall: Hall, machine: Machine) -> None:
    async with gateway(machine):
        await said(hall)
        await set_room(hall, {"reserve_ms": 5}, reason="too slow")
        await set_room(hall, back=True, reason="too fast")
        rows = await hall.audit()
        assert [(r.what, r.target, r.why) for r in rows[:2]] == [
            ("room.rollback", ROOM, "too fast"),
            ("room.set", ROOM, "too slow"),
        ]
        assert json.loads(rows[1].after)["reserve_ms"] == 5
        assert (await set_room(hall, {"reserve_ms": 6}, reason="")).refusal.code
