"""Settings of rooms: what operators change of what a package suggests, versioned and audited.

A change is checked against what the live game servers say of the room: the values that it has
in their versions, and the parameters of the game. It is pushed like any change of packages;
hosts let it count when a table's hand and match are over. Going back is another change.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.engine import Connection

from data_server.backoffice import check_reason
from data_server.changes import Changes
from data_server.store import audits, packages, room_settings, shards
from data_server.store.database import Database
from data_server.store.operations import Operations
from paiju.packages import room_values
from paiju.packages.room_values import Value
from paiju.service.refusals import Refused
from paiju.wire.v1 import packages_pb2 as pb

ALIVE_US = 60 * 10**6
"""A server that has said nothing for so long is not asked what it thinks of a value."""
MAX_VALUES = 100
MAX_JSON = 16 * 1024


@dataclass(frozen=True, kw_only=True)
class Rooms:
    database: Database
    operations: Operations
    changes: Changes
    clock: Callable[[], int]

    async def list(self, request: pb.ListRoomsRequest) -> pb.ListRoomsReply:
        def work(tx: Connection) -> pb.ListRoomsReply:
            found = self._alive(tx, request.room)
            if not request.room:
                return pb.ListRoomsReply(servers=found, settings=room_settings.newest(tx))
            history = room_settings.history(tx, request.room)
            if not found and not history:  # what was set stays known while nobody offers the room
                raise Refused("NO_SUCH_ROOM", room=request.room)
            return pb.ListRoomsReply(servers=found, settings=history)

        return await self.database.read(work)

    async def set(self, request: pb.SetRoomRequest, *, who: str) -> pb.SetRoomReply:
        if request.preview:
            return await self.database.read(lambda tx: self._next(tx, request, who))
        check_reason(request.reason)

        def work(tx: Connection) -> pb.SetRoomReply:
            change = packages.begin_change(tx)  # first: it is the lock of all changes
            reply = self._next(tx, request, who)
            reply.settings.change = change
            room_settings.add(tx, reply.settings)
            audits.append(
                tx,
                who=who,
                what="room.rollback" if request.back else "room.set",
                target=request.room,
                why=request.reason,
                before=json.loads(reply.before),
                after=json.loads(reply.after),
                now_us=self.clock(),
            )
            return reply

        body = pb.SetRoomRequest()
        body.CopyFrom(request)
        body.ClearField("op")
        reply = await self.operations.once(
            request.op, kind="SetRoom", body=body, answer=pb.SetRoomReply, work=work
        )
        self.changes.tell(reply.settings.change)
        return reply

    def _alive(self, tx: Connection, room: str) -> Sequence[pb.RoomState]:
        return room_settings.states(tx, room, since_us=self.clock() - ALIVE_US)

    def _next(self, tx: Connection, request: pb.SetRoomRequest, who: str) -> pb.SetRoomReply:
        """What the change would be; nothing is written. Refused."""
        servers = self._alive(tx, request.room)
        if not servers:
            raise Refused("NO_SUCH_ROOM", room=request.room)
        history = room_settings.history(tx, request.room)
        before = json.loads(history[0].values) if history else {}
        if request.back:
            after = _earlier(history, request.number)
        else:
            after = _changed(before, request.values)
        _check(servers, after)
        preset = json.loads(servers[0].preset)
        return pb.SetRoomReply(
            settings=pb.RoomSettings(
                room=request.room,
                number=history[0].number + 1 if history else 1,
                values=_text(after),
                who=who,
                why=request.reason,
                set_us=self.clock(),
            ),
            before=_text(preset | before),
            after=_text(preset | after),
            servers=len(servers),
            tables=sum(shard.tables for shard in shards.of_room(tx, request.room)),
        )


def _earlier(history: Sequence[pb.RoomSettings], number: int) -> dict[str, Value]:
    if not number:
        return {}
    for settings in history:
        if settings.number == number:
            found: dict[str, Value] = json.loads(settings.values)
            return found
    raise Refused("NO_SUCH_SETTINGS", number=number)


def _changed(before: dict[str, Value], text: str) -> dict[str, Value]:
    """The settings with these values over them; null takes one away."""
    try:
        if len(text) > MAX_JSON:
            raise ValueError("too long")
        given: Any = json.loads(text)
        if not isinstance(given, dict) or not given:
            raise ValueError("no values are named")
    except (ValueError, RecursionError) as error:
        raise Refused("BAD_ROOM_VALUES", detail=error) from None
    after = {name: value for name, value in (before | given).items() if value is not None}
    if len(after) > MAX_VALUES:
        raise Refused("BAD_ROOM_VALUES", detail=f"more than {MAX_VALUES} values")
    return after


def _check(servers: Sequence[pb.RoomState], values: dict[str, Value]) -> None:
    """They must hold in every version that plays the room now."""
    for server in servers:
        wrong = room_values.problems(
            values, preset=json.loads(server.preset), schema=json.loads(server.schema)
        )
        if wrong:
            detail = f"{server.package} {server.version} on {server.server}: {'; '.join(wrong)}"
            raise Refused("BAD_ROOM_VALUES", detail=detail)


def _text(values: dict[str, Value]) -> str:
    return json.dumps(values, sort_keys=True, ensure_ascii=False)
