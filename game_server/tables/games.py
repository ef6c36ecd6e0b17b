"""Which games a host has, and what becomes of the tables of each version.

`Games` is what tables ask; `game_server/packages/hosting.py` answers it from the packages of the
machine.
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from typing import NamedTuple, Protocol

from game_server.tables.room import RoomSpec
from paiju.packages.room_values import Values
from paiju.rules.api import Game


class Standing(enum.Enum):
    """Of a version, for the tables that play it."""

    OPEN = "open"
    FINISHING = "finishing"
    """Another version has begun: no newcomers, but a full table plays on."""
    ENDING = "ending"
    """Stopped: the hand and the match end, then everybody stands up."""
    BROKEN = "broken"
    """Its rules raise: the hand ends, then everybody stands up."""


class Choice(NamedTuple):
    """What a table is made of. version: of the package."""

    room: RoomSpec
    game: Game
    version: str


class Games(Protocol):
    def rooms(self) -> Collection[str]:
        """Ids of the rooms that are offered."""
        ...

    def room(self, room: str) -> RoomSpec | None:
        """What the room fixes, also for a room that is not offered any more; None: never seen."""
        ...

    def choose(self, room: str, table: int) -> Choice:
        """For a new table. Refused(GAME_STOPPED)."""
        ...

    def current(self, room: str, game: str, version: str) -> Choice | None:
        """What a table of this version shall play next; None: what it plays."""
        ...

    def rebuild(
        self,
        *,
        room: str,
        game: str,
        rules: int,
        parameters: str,
        version: str,
        values: Values | None = None,
    ) -> Choice:
        """For a table of the journal: that version, with the room's values of that time (None: a
        row of an older program). LookupError or ValueError when it is gone."""
        ...

    def standing(self, game: str, version: str) -> Standing: ...

    def fault(self, game: str, version: str, table: int, error: str) -> None:
        """The rules raised at a table."""
        ...
