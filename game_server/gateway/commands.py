"""What each command must look like before anything is done with it.

One row per command: in which states it is allowed, whether it needs an operation id, what it
costs, and the check of its sizes and ranges. A check raises Refused; whether the command
makes sense at its table is for the host to say.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2

MAX_NAME_CHARS = 96  # 24 characters as a person counts them; the data server counts
PASSWORD_CHARS = (8, 256)
DEVICE_SECRET_BYTES = 32
MAX_TICKET_CHARS = 2048
MAX_REFRESH_CHARS = 512
MAX_ROOM_CHARS = 64
MAX_REPORT_CHARS = 500
REPORT_KINDS = frozenset({"cheat", "abuse", "collusion", "other"})
OWN_KINDS = frozenset({"vault"})
"""What a client reports about itself: no player can be named."""
MAX_CURSORS = 16
MAX_SEAT = 255


class State(enum.Enum):
    NEW = "new"  # before hello
    GREETED = "greeted"
    OPEN = "open"
    CLOSED = "closed"


class Route(enum.Enum):
    """Who answers a command."""

    HERE = "here"
    DATA = "data"
    HOST = "host"
    ROOM = "room"  # a host, once a shard is chosen


@dataclass(frozen=True, slots=True)
class Rule:
    route: Route
    states: frozenset[State]
    cost: float
    check: Callable[[Any], None]
    op: bool = False


ALWAYS = frozenset({State.NEW, State.GREETED, State.OPEN})
GREETED = frozenset({State.GREETED, State.OPEN})
OPENING = frozenset({State.GREETED})
OPEN = frozenset({State.OPEN})


def _any(_: Any) -> None:
    pass


def _limit(size: int, limit: int) -> None:
    if size > limit:
        raise Refused("TOO_LARGE", limit=limit)


def _table(ref: common_pb2.TableRef) -> None:
    if not ref.table or not 0 < len(ref.room) <= MAX_ROOM_CHARS:
        raise Refused("NO_SUCH_TABLE")


def _room(room: str) -> None:
    if not 0 < len(room) <= MAX_ROOM_CHARS:
        raise Refused("NO_SUCH_ROOM", room=room[:MAX_ROOM_CHARS])


def _amount(amount: int, *, least: int) -> None:
    if not least <= amount <= protocol.MAX_AMOUNT:
        raise Refused("BAD_AMOUNT")


def _new_password(password: str) -> None:
    if not PASSWORD_CHARS[0] <= len(password) <= PASSWORD_CHARS[1]:
        raise Refused("BAD_PASSWORD")


def _hello(body: hall_pb2.Hello) -> None:
    _limit(len(body.client), 64)
    _limit(len(body.locale), 32)
    _limit(len(body.capabilities), 32)
    for capability in body.capabilities:
        _limit(len(capability), 64)


def _open_guest(body: hall_pb2.OpenGuest) -> None:
    if len(body.device_secret) != DEVICE_SECRET_BYTES:
        raise Refused("BAD_SECRET")
    if len(body.name) > MAX_NAME_CHARS:
        raise Refused("BAD_NAME", detail="length")


def _register(body: hall_pb2.Register) -> None:
    if not 0 < len(body.name) <= MAX_NAME_CHARS:
        raise Refused("BAD_NAME", detail="length")
    _new_password(body.password)


def _login(body: hall_pb2.Login) -> None:
    if not 0 < len(body.name) <= MAX_NAME_CHARS or len(body.password) > PASSWORD_CHARS[1]:
        raise Refused("BAD_CREDENTIALS")


def _resume(body: hall_pb2.Resume) -> None:
    if not 0 < len(body.ticket) <= MAX_TICKET_CHARS or len(body.refresh_token) > MAX_REFRESH_CHARS:
        raise Refused("BAD_TICKET")
    _limit(len(body.cursors), MAX_CURSORS)
    for cursor in body.cursors:
        _table(cursor.table)


def _renew(body: hall_pb2.Renew) -> None:
    if not 0 < len(body.refresh_token) <= MAX_REFRESH_CHARS:
        raise Refused("BAD_TICKET")


def _change_password(body: hall_pb2.ChangePassword) -> None:
    if len(body.old_password) > PASSWORD_CHARS[1]:
        raise Refused("BAD_CREDENTIALS")
    _new_password(body.new_password)


def _list_rooms(body: hall_pb2.ListRooms) -> None:
    _limit(len(body.game), MAX_ROOM_CHARS)


def _quick_join(body: hall_pb2.QuickJoin) -> None:
    _room(body.room)
    _amount(body.buy_in, least=0)


def _sit(body: hall_pb2.Sit) -> None:
    _table(body.table)
    _amount(body.buy_in, least=0)
    if body.seat > MAX_SEAT:
        raise Refused("NO_SUCH_SEAT", last=MAX_SEAT)


def _at_table(body: Any) -> None:
    _table(body.table)


def _top_up(body: hall_pb2.TopUp) -> None:
    _table(body.table)
    _amount(body.amount, least=1)


def _ready(body: hall_pb2.Ready) -> None:
    _table(body.table)
    _limit(len(body.contribution), protocol.MAX_CONTRIBUTION_BYTES)


def _act(body: hall_pb2.Act) -> None:
    _table(body.table)
    _limit(len(body.action), protocol.MAX_ACTION_CHARS)


def _chat(body: hall_pb2.Chat) -> None:
    _table(body.table)
    if len(body.text) > protocol.MAX_CHAT_CHARS or not body.text.strip():
        raise Refused("BAD_CHAT")


def _report(body: hall_pb2.Report) -> None:
    if body.kind in OWN_KINDS:
        if body.player or len(body.detail) > MAX_REPORT_CHARS:
            raise Refused("BAD_REPORT", detail=body.kind)
        return
    if not body.player:
        raise Refused("NO_SUCH_PLAYER")
    if body.kind not in REPORT_KINDS:
        raise Refused("BAD_REPORT", detail="kind")
    if len(body.detail) > MAX_REPORT_CHARS:
        raise Refused("BAD_REPORT", detail=f"more than {MAX_REPORT_CHARS} characters")
    if body.HasField("table"):
        _table(body.table)


def _grid(body: hall_pb2.WatchGrid) -> None:
    _room(body.room)


RULES: Mapping[str, Rule] = {
    "hello": Rule(Route.HERE, ALWAYS, 2, _hello),
    "ping": Rule(Route.HERE, GREETED, 1, _any),
    "open_guest": Rule(Route.DATA, OPENING, 5, _open_guest, op=True),
    "register": Rule(Route.DATA, OPENING, 10, _register, op=True),
    "login": Rule(Route.DATA, OPENING, 10, _login),
    "resume": Rule(Route.DATA, OPENING, 3, _resume),
    "renew": Rule(Route.DATA, OPEN, 5, _renew, op=True),
    "logout": Rule(Route.DATA, OPEN, 2, _any),
    "change_password": Rule(Route.DATA, OPEN, 10, _change_password, op=True),
    "list_rooms": Rule(Route.HERE, GREETED, 4, _list_rooms),
    "watch_grid": Rule(Route.HOST, OPEN, 3, _grid),
    "get_wallet": Rule(Route.DATA, OPEN, 3, _any),
    "quick_join": Rule(Route.ROOM, OPEN, 4, _quick_join, op=True),
    "sit": Rule(Route.HOST, OPEN, 3, _sit, op=True),
    "stand": Rule(Route.HOST, OPEN, 2, _at_table, op=True),
    "top_up": Rule(Route.HOST, OPEN, 3, _top_up, op=True),
    "ready": Rule(Route.HOST, OPEN, 1, _ready, op=True),
    "act": Rule(Route.HOST, OPEN, 1, _act, op=True),
    "watch": Rule(Route.HOST, OPEN, 2, _at_table),
    "unwatch": Rule(Route.HOST, OPEN, 1, _at_table),
    "resync": Rule(Route.HOST, OPEN, 4, _at_table),
    "chat": Rule(Route.HOST, OPEN, 4, _chat, op=True),
    "report": Rule(Route.DATA, OPEN, 10, _report, op=True),
}


def wrong_state(state: State) -> Refused:
    """The refusal for a command that the connection's state does not allow."""
    if state is State.NEW:
        return Refused("HELLO_FIRST")
    if state is State.GREETED:
        return Refused("LOGIN_FIRST")
    return Refused("ALREADY_LOGGED_IN")


def room_of(body: Any) -> str:
    """The room a command is about, "" when it is about none."""
    if body is None:
        return ""
    fields = body.DESCRIPTOR.fields_by_name
    if "table" in fields:
        return str(body.table.room)
    return str(body.room) if "room" in fields else ""
