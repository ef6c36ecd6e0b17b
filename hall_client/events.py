"""What a client learns without having asked; `HallClient.events()` yields these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from hall_client.mirror import Outcome
from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2


@dataclass(frozen=True, slots=True)
class Connected:
    """The session is open on a gateway; `resumed`: it had been open before."""

    gateway: str
    resumed: bool


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is gone; the client is trying to get back, unless `final`."""

    reason: str
    final: bool = False


@dataclass(frozen=True, slots=True)
class TableChanged:
    """A numbered update of a table. `events` are for animation; the view is the truth.

    seat: through whose eyes, SPECTATOR without a seat.
    """

    table: int
    epoch: int
    seq: int
    outcome: Outcome
    snapshot: bool
    events: Sequence[hall_pb2.TableEvent] = ()
    seat: int = protocol.SPECTATOR


@dataclass(frozen=True, slots=True)
class PresenceChanged:
    table: int


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is no longer followed. `reason`: STOOD, SEAT_LOST, TABLE_GONE, UNWATCHED."""

    table: int
    reason: str


@dataclass(frozen=True, slots=True)
class Noticed:
    """A notice of the hall, e.g. TABLE_RECOVERING; `table` is 0 when it is about none."""

    code: str
    text: str
    table: int = 0
    params: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ChatSaid:
    line: hall_pb2.ChatLine


@dataclass(frozen=True, slots=True)
class GridChanged:
    update: hall_pb2.GridUpdate


@dataclass(frozen=True, slots=True)
class RoomsChanged:
    """Something was started, stopped or changed: all rooms, without counts."""

    rooms: hall_pb2.RoomList


@dataclass(frozen=True, slots=True)
class WalletChanged:
    wallet: hall_pb2.Wallet


@dataclass(frozen=True, slots=True)
class Penalized:
    """Something was decided about this player. Say `heard(notice.id)` once he has seen it: until
    then it is told again with every new session, and here once per id."""

    notice: hall_pb2.PenaltyNotice


@dataclass(frozen=True, slots=True)
class Tampered:
    """A value that the client kept was changed from outside: reported, and asked for anew."""

    slot: str


Event = (
    Connected
    | Disconnected
    | TableChanged
    | PresenceChanged
    | TableClosed
    | Noticed
    | ChatSaid
    | GridChanged
    | RoomsChanged
    | WalletChanged
    | Penalized
    | Tampered
)
