"""The table of commands: for each the states in which it is allowed, who answers it, whether it
needs an operation id, what it costs in tokens, and the limits of each of its fields.

A field without a limit here is a failing test. A command that breaks a limit is refused;
whether it makes sense at its table is for the host to say. The handlers are the routes of
session.py; the token buckets are in limits.py.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from game_server.gateway import fields as f
from game_server.gateway.fields import Choice, Limit, Many, Range, Size
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2

MAX_NAME_CHARS = 96  # 24 characters as a person counts them; the data server counts
PASSWORD_CHARS = (8, 256)
DEVICE_SECRET_BYTES = 32
MAX_TICKET_CHARS = 2048
MAX_REFRESH_CHARS = 512
MAX_REPORT_CHARS = 500
REPORT_KINDS = frozenset({"cheat", "abuse", "collusion", "other"})
OWN_KINDS = frozenset({"vault"})
"""What a client reports about itself: no player can be named."""
MAX_CURSORS = 16
MAX_PACKAGE_CHARS = 40
MAX_PATH_CHARS = 404
MAX_SEAT = 255
MAX_KEY_CHARS = 64


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


class Pace(enum.Enum):
    """What costs others more than us: coins that move, rows of the journal, whole views."""

    SEATS = "seats"
    READY = "ready"
    VIEWS = "views"
    HANDS = "hands"


@dataclass(frozen=True, slots=True)
class Rule:
    """pace: what it shares a second, slower bucket of tokens with (limits.py)."""

    route: Route
    states: frozenset[State]
    cost: float
    op: bool = False
    pace: Pace | None = None
    fields: Mapping[str, Limit] = field(default_factory=dict)

    def check(self, body: Any) -> None:
        """Raises Refused when a field is out of bounds."""
        f.check(self.fields, body)


ALWAYS = frozenset({State.NEW, State.GREETED, State.OPEN})
GREETED = frozenset({State.GREETED, State.OPEN})
OPENING = frozenset({State.GREETED})
OPEN = frozenset({State.OPEN})

_NEW_NAME = Size(MAX_NAME_CHARS, least=1, code="BAD_NAME", detail="length")
_NEW_PASSWORD = Size(PASSWORD_CHARS[1], least=PASSWORD_CHARS[0], code="BAD_PASSWORD")
_CREDENTIAL = Size(PASSWORD_CHARS[1], code="BAD_CREDENTIALS")
_BUY_IN = f.amount(0)
_KEY = Size(MAX_KEY_CHARS)
_AT_TABLE: Mapping[str, Limit] = {"table": f.table}


def _report(body: hall_pb2.Report) -> None:
    """A report is about another player, or of a kind that is about oneself."""
    if body.kind in OWN_KINDS and body.player:
        raise Refused("BAD_REPORT", detail=body.kind)
    if body.kind not in OWN_KINDS and not body.player:
        raise Refused("NO_SUCH_PLAYER")


@dataclass(frozen=True, slots=True)
class ReportRule(Rule):
    def check(self, body: Any) -> None:
        _report(body)
        f.check(self.fields, body)


RULES: Mapping[str, Rule] = {
    "hello": Rule(Route.HERE, ALWAYS, 2, fields={
        "major": f.anything, "minor": f.anything, "build": f.anything, "view_api": f.anything,
        "client": Size(64), "locale": Size(32), "capabilities": Many(32, Size(64)),
    }),
    "ping": Rule(Route.HERE, GREETED, 1, fields={"nonce": f.anything}),
    "open_guest": Rule(Route.DATA, OPENING, 5, op=True, fields={
        "device_secret": Size(DEVICE_SECRET_BYTES, least=DEVICE_SECRET_BYTES, code="BAD_SECRET"),
        "name": Size(MAX_NAME_CHARS, code="BAD_NAME", detail="length"),
    }),
    "register": Rule(Route.DATA, OPENING, 10, op=True, fields={
        "name": _NEW_NAME, "password": _NEW_PASSWORD,
    }),
    "login": Rule(Route.DATA, OPENING, 10, fields={
        "name": Size(MAX_NAME_CHARS, least=1, code="BAD_CREDENTIALS"), "password": _CREDENTIAL,
    }),
    "resume": Rule(Route.DATA, OPENING, 3, fields={
        "ticket": Size(MAX_TICKET_CHARS, least=1, code="BAD_TICKET"),
        "refresh_token": Size(MAX_REFRESH_CHARS, code="BAD_TICKET"),
        "connection": f.anything,
        "cursors": Many(MAX_CURSORS, f.cursor),
    }),
    "renew": Rule(Route.DATA, OPEN, 5, op=True, fields={
        "refresh_token": Size(MAX_REFRESH_CHARS, least=1, code="BAD_TICKET"),
    }),
    "logout": Rule(Route.DATA, OPEN, 2),
    "change_password": Rule(Route.DATA, OPEN, 10, op=True, fields={
        "old_password": _CREDENTIAL, "new_password": _NEW_PASSWORD,
    }),
    "list_rooms": Rule(Route.HERE, GREETED, 4, fields={"game": Size(f.MAX_ROOM_CHARS)}),
    "watch_grid": Rule(Route.HOST, OPEN, 3, pace=Pace.VIEWS, fields={
        "room": f.room, "shard": Range(0, f.MAX_SHARD, "NO_SUCH_TABLE"), "stop": f.anything,
    }),
    "get_package": Rule(Route.HERE, OPEN, 3, fields={
        "package": Size(MAX_PACKAGE_CHARS), "version": Size(MAX_PACKAGE_CHARS),
    }),
    "get_package_file": Rule(Route.HERE, OPEN, 3, fields={
        "package": Size(MAX_PACKAGE_CHARS), "version": Size(MAX_PACKAGE_CHARS),
        "path": Size(MAX_PATH_CHARS), "offset": f.anything,
    }),
    "get_wallet": Rule(Route.DATA, OPEN, 3),
    "quick_join": Rule(Route.ROOM, OPEN, 4, op=True, pace=Pace.SEATS, fields={
        "room": f.room, "buy_in": _BUY_IN, "own": f.anything, "key": _KEY,
    }),
    "sit": Rule(Route.HOST, OPEN, 3, op=True, pace=Pace.SEATS, fields={
        "table": f.table, "buy_in": _BUY_IN,
        "seat": Range(0, MAX_SEAT, "NO_SUCH_SEAT", show="last"), "key": _KEY,
    }),
    "stand": Rule(Route.HOST, OPEN, 2, op=True, pace=Pace.SEATS, fields={
        "table": f.table, "abandon": f.anything,
    }),
    "top_up": Rule(Route.HOST, OPEN, 3, op=True, pace=Pace.SEATS, fields={
        "table": f.table, "amount": f.amount(1),
    }),
    "ready": Rule(Route.HOST, OPEN, 1, op=True, pace=Pace.READY, fields={
        "table": f.table, "not_ready": f.anything,
        "contribution": Size(protocol.MAX_CONTRIBUTION_BYTES),
    }),
    "act": Rule(Route.HOST, OPEN, 1, op=True, fields={
        "table": f.table, "action": Size(protocol.MAX_ACTION_CHARS),
        "hand": f.anything, "decided_on": f.anything,
    }),
    "watch": Rule(Route.HOST, OPEN, 2, pace=Pace.VIEWS, fields={
        "table": f.table, "cursor": f.cursor_or_none, "key": _KEY,
    }),
    "unwatch": Rule(Route.HOST, OPEN, 1, fields=_AT_TABLE),
    "resync": Rule(Route.HOST, OPEN, 4, pace=Pace.VIEWS, fields={
        "table": f.table, "check": f.anything,
    }),
    "chat": Rule(Route.HOST, OPEN, 4, op=True, fields={"table": f.table, "text": f.spoken}),
    "list_hands": Rule(Route.DATA, OPEN, 4, pace=Pace.HANDS, fields={
        "before_us": Range(0, f.MAX_ID, "NOT_YOUR_HAND"),
    }),
    "get_hand": Rule(Route.DATA, OPEN, 4, pace=Pace.HANDS, fields={
        "table": Range(1, f.MAX_ID, "NOT_YOUR_HAND"), "hand": Range(1, f.MAX_ID, "NOT_YOUR_HAND"),
    }),
    "heard": Rule(Route.DATA, OPEN, 2, fields={"penalty": Range(1, f.MAX_ID, "NO_SUCH_PENALTY")}),
    "report": ReportRule(Route.DATA, OPEN, 10, op=True, fields={
        "player": Range(0, f.MAX_ID, "NO_SUCH_PLAYER"),
        "kind": Choice(REPORT_KINDS | OWN_KINDS, "BAD_REPORT", "kind"),
        "detail": Size(
            MAX_REPORT_CHARS, code="BAD_REPORT", detail=f"more than {MAX_REPORT_CHARS} characters"
        ),
        "table": f.table_or_none,
    }),
}  # fmt: skip


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
    if "table" in fields and fields["table"].message_type is not None:
        return str(body.table.room)
    return str(body.room) if "room" in fields else ""
