"""What the core tells its shell."""

from __future__ import annotations

from dataclasses import dataclass

from hall_client import events
from hall_client.errors import HallError
from paiju.wire.v1 import hall_pb2


@dataclass(frozen=True, slots=True)
class Answered:
    """A command of the caller has its answer."""

    id: int
    answer: hall_pb2.Answer


@dataclass(frozen=True, slots=True)
class Failed:
    """A command of the caller will not be answered any more, or was refused."""

    id: int
    error: HallError


@dataclass(frozen=True, slots=True)
class Hangup:
    """Cut this connection; `elsewhere`: this gateway does not want us, try another first.
    hint: which one, if it named one."""

    reason: str
    elsewhere: bool = False
    hint: str = ""


Happening = Answered | Failed | Hangup | events.Event
