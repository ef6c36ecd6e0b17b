"""What a session asks its shell to do. Updates to the player wait in the session's outbox.

Whatever carries a `ref` is answered by exactly one call of the session with that ref, or by
none when the session is closed by then.
"""

from __future__ import annotations

from dataclasses import dataclass

from google.protobuf.message import Message

from paiju.wire.v1 import hall_pb2, host_pb2


@dataclass(frozen=True, slots=True)
class AskData:
    """Call the data server. `rpc` is a key of data_client.CALLS.

    opens: the answer is a session that takes the player's place at this gateway.
    """

    ref: int
    rpc: str
    request: Message
    opens: bool = False


@dataclass(frozen=True, slots=True)
class CheckTicket:
    """Verify a ticket (or renew it by the refresh token, under `op`) and open the session."""

    ref: int
    resume: hall_pb2.Resume
    op: bytes


@dataclass(frozen=True, slots=True)
class ToHost:
    """Send a command to the host that owns the shard. `command.id` is the shell's to set."""

    ref: int
    room: str
    shard: int
    command: host_pb2.HostCommand


@dataclass(frozen=True, slots=True)
class Join:
    """Choose a shard of the room and send the quick join there."""

    ref: int
    room: str
    command: host_pb2.HostCommand


@dataclass(frozen=True, slots=True)
class AskRooms:
    """List the rooms of a game, of all games when it is empty."""

    ref: int
    game: str


@dataclass(frozen=True, slots=True)
class AskPackage:
    """Look into the client part of a package."""

    ref: int
    request: hall_pb2.GetPackage | hall_pb2.GetPackageFile


@dataclass(frozen=True, slots=True)
class Close:
    """Send what waits in the outbox, then end the connection. Nothing comes after it."""

    reason: str


Effect = AskData | CheckTicket | ToHost | Join | AskRooms | AskPackage | Close
