"""A seat of a table and who sits on it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any, NamedTuple

from game_server.tables.op import NO_OP, Op


class SeatState(enum.Enum):
    """RESERVED until the data server has moved the buy-in; LEAVING until it has moved it back."""

    RESERVED = "reserved"
    SEATED = "seated"
    LEAVING = "leaving"


class Reservation(NamedTuple):
    """What is being asked of the data server for a reserved seat; asked again after a crash."""

    amount: int
    session_epoch: int
    op: Op = NO_OP


@dataclass(slots=True, kw_only=True)
class Seat:
    """One player's sitting. `stake` is what lies in its escrow, 0 in score rooms."""

    player: int
    name: str
    state: SeatState = SeatState.RESERVED
    reservation: Reservation | None = None
    sitting: int = 0
    stake: int = 0
    pending: int = 0  # coins of top-ups that the data server has not answered yet
    topped: Op = NO_OP  # of the newest top-up that `stake` holds
    ready: bool = False
    contribution: bytes = b""
    away_since: int | None = None  # monotonic ms; None while the player is connected
    leaves: str = ""  # why it is LEAVING: asked, away, idle, retired or shutdown

    @property
    def seated(self) -> bool:
        return self.state is SeatState.SEATED

    def shown(self) -> dict[str, Any]:
        """What everybody may know of it (view key `@seatN`)."""
        return {
            "player": str(self.player),
            "name": self.name,
            "ready": self.ready,
            "stake": self.stake,
            "leaving": self.state is SeatState.LEAVING,
        }
