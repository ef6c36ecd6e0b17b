"""What a room fixes for all its tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from paiju.packages import room_values
from paiju.packages.room_values import Value, Values
from paiju.rules.api import Game

COIN = "coin"
SCORE = "score"

DEFAULT_TURN_MS = 30_000


@dataclass(frozen=True, kw_only=True)
class RoomSpec:
    """A room preset as tables need it. Amounts in whole units, times in milliseconds."""

    id: str
    game: str
    currency: str  # COIN or SCORE
    parameters: Mapping[str, object] = field(default_factory=dict)
    buy_in_min: int = 0  # also what a seat needs to be dealt in
    buy_in_max: int = 0
    buy_in_default: int = 0
    turn_ms: Mapping[str, int] = field(default_factory=dict)  # by deadline key
    reserve_ms: int = 0  # per seat and hand, runs after the turn's time
    seats: int = 0  # of a table; 0: as many as the game allows
    newcomers_continue: bool = False
    """Whether a match over several hands goes on when a seat changes hands; else it ends then
    and what is owed lapses."""
    claim_ms: int = 300  # in which actions out of turn are collected before the rules order them
    ready_ms: int = 60_000  # full table or end of hand -> ready, else stood up
    away_turn_ms: int = 2_000  # a turn of a seat without connection
    away_ms: int = 10_000  # who has been absent for so long loses the seat when no hand runs

    def values(self) -> dict[str, Value]:
        """What an operator may change of it, as it is here."""
        return room_values.values_of(self)

    def with_values(self, values: Values) -> RoomSpec:
        """The same room with other values; nothing is checked."""
        return replace(self, **room_values.changed(self, values))

    def as_it_was(self, values: Values) -> RoomSpec:
        """The same room when it had exactly these values, all that `values()` gave."""
        return replace(self, parameters={}, turn_ms={}).with_values(values)

    @property
    def plays_for_coins(self) -> bool:
        return self.currency == COIN

    def seats_for(self, game: Game) -> int:
        """How many seats a table of the game has here. ValueError: the game cannot have that."""
        info = game.info
        seats = self.seats or info.max_seats
        if not info.min_seats <= seats <= info.max_seats:
            raise ValueError(
                f"room {self.id}: {seats} seats, but {game.name} has "
                f"{info.min_seats} to {info.max_seats}"
            )
        return seats

    def time_for(self, key: str) -> int:
        """Milliseconds of a turn with this deadline key."""
        return self.turn_ms.get(key, DEFAULT_TURN_MS)
