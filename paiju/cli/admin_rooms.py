"""`paiju admin rooms`: what operators change of rooms while people play."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from paiju.cli import output
from paiju.cli.admin_options import (
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    moment,
    show,
    table_of,
)
from paiju.cli.package_call import Hall
from paiju.packages import room_values
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb

rooms = typer.Typer(no_args_is_help=True, help="Parameters of rooms: look, preview, set, go back.")

Room = Annotated[str, typer.Argument(help="Id of the room, as doudizhu.novice.")]
Preview = Annotated[
    bool, typer.Option("--preview", help="Say what would change, and change nothing.")
]


@rooms.command("list")
def list_rooms(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """All rooms: which settings are set, which count on each server, and who refuses them.

    Example: paiju admin rooms list --json -
    """
    hall = Hall(address, key_file, data_dir)
    reply = hall.call("ListRooms", pb.ListRoomsRequest(), pb.ListRoomsReply)
    newest = {one.room: one.number for one in reply.settings}
    table = table_of("room", "server", "package", "version", "set", "counts", "")
    for state in reply.servers:
        table.add_row(
            state.room,
            state.server,
            state.package,
            state.version,
            str(newest.get(state.room, 0)),
            str(state.number),
            state.refused,
        )
    show(reply, json_file, table)


@rooms.command("show")
def show_room(
    room: Room,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """One room: its values, what may be set, and what was set before.

    Example: paiju admin rooms show doudizhu.novice
    """
    hall = Hall(address, key_file, data_dir)
    reply = hall.call("ListRooms", pb.ListRoomsRequest(room=room), pb.ListRoomsReply)
    show(reply, json_file, _values(reply), _history(reply))


@rooms.command("set")
def set_room(
    room: Room,
    values: Annotated[
        list[str],
        typer.Argument(help="NAME=VALUE, as rules.N=3 or turn_ms.play=15000; NAME= : as before."),
    ],
    reason: Reason = "",
    preview: Preview = False,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Other values for a room, from each table's next hand on; a match ends as it began.

    Example: paiju admin rooms set doudizhu.novice rules.N=20 buy_in_min=400 --reason "new stakes"
    """
    request = pb.SetRoomRequest(
        room=room, values=json.dumps(dict(_read(values))), preview=preview, reason=reason
    )
    _set(Hall(address, key_file, data_dir), request, json_file)


@rooms.command("rollback")
def roll_back(
    room: Room,
    to: Annotated[
        int | None,
        typer.Option(min=0, help="Number of settings; 0: the package's. Default: the ones before."),
    ] = None,
    reason: Reason = "",
    preview: Preview = False,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Set what was set before once more; that is a change like any other.

    Example: paiju admin rooms rollback doudizhu.novice --reason "the stakes were too high"
    """
    hall = Hall(address, key_file, data_dir)
    if to is None:
        found = hall.call("ListRooms", pb.ListRoomsRequest(room=room), pb.ListRoomsReply)
        if not found.settings:
            output.fail(f"nothing was ever set of {room}")
        to = found.settings[0].number - 1
    request = pb.SetRoomRequest(room=room, back=True, number=to, preview=preview, reason=reason)
    _set(hall, request, json_file)


def _set(hall: Hall, request: pb.SetRoomRequest, json_file: Path | None) -> None:
    if not request.preview:
        request.op = new_op()
        if not request.reason:
            output.fail("say why: --reason", code=2)
    reply = hall.call("SetRoom", request, pb.SetRoomReply)
    table = table_of("value", "before", "after")
    for name, before, after in room_values.differences(
        json.loads(reply.before), json.loads(reply.after)
    ):
        table.add_row(name, _shown(before), _shown(after))
    does = "would be" if request.preview else "are"
    said = (
        f"settings {reply.settings.number} of {request.room} {does} for {reply.servers} servers; "
        f"{reply.tables} tables take them when their hand and match are over"
    )
    show(reply, json_file, table, said)


def _read(given: list[str]) -> Iterator[tuple[str, Any]]:
    """JSON where it is JSON (3, true), else text. Exit 2 for what is no NAME=VALUE."""
    for one in given:
        name, equals, text = one.partition("=")
        if not equals or not name:
            output.fail(f"{one!r} is not NAME=VALUE", code=2)
        try:
            yield name, json.loads(text) if text else None
        except ValueError:
            yield name, text


def _values(reply: pb.ListRoomsReply) -> object:
    table = table_of("value", "package", "set", "allowed", "")
    if not reply.servers:
        return table
    preset, schema = json.loads(reply.servers[0].preset), json.loads(reply.servers[0].schema)
    settings = json.loads(reply.settings[0].values) if reply.settings else {}
    rules = {f"{room_values.RULES}{name}": found for name, found in schema.items()}
    for name in sorted({*preset, *rules}):
        rule = rules.get(name, {})
        table.add_row(
            name,
            _shown(preset.get(name, rule.get("default"))),
            _shown(settings.get(name)),
            _allowed(rule),
            str(rule.get("meaning", "")),
        )
    return table


def _allowed(rule: dict[str, Any]) -> str:
    low, high = rule.get("minimum"), rule.get("maximum")
    return "" if low is None and high is None else f"{_shown(low)} to {_shown(high)}"


def _history(reply: pb.ListRoomsReply) -> object:
    table = table_of("number", "when", "who", "why", "values")
    for one in reply.settings:
        table.add_row(str(one.number), moment(one.set_us), one.who, one.why, one.values)
    return table


def _shown(value: Any) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False)
