"""Games for a host under test, instead of packages on a machine."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from game_server.tables.games import Choice, Standing
from game_server.tables.room import RoomSpec
from paiju.packages.room_values import Values
from paiju.rules.api import Game


@dataclass(frozen=True)
class FixedGames:
    """The same games from start to end. game_of: (name, rules version, parameters) -> rules."""

    specs: Mapping[str, RoomSpec]
    latest: Callable[[RoomSpec], tuple[Game, str]]
    game_of: Callable[[str, int, str], Game]

    def rooms(self) -> Collection[str]:
        return self.specs.keys()

    def room(self, room: str) -> RoomSpec | None:
        return self.specs.get(room)

    def choose(self, room: str, table: int) -> Choice:
        return Choice(self.specs[room], *self.latest(self.specs[room]))

    def current(self, room: str, game: str, version: str) -> Choice | None:
        return None

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
        spec = self.specs.get(room)
        if spec is None:
            raise LookupError(f"there is no room {room!r} any more")
        spec = spec if values is None else spec.as_it_was(values)
        return Choice(spec, self.game_of(game, rules, parameters), version)

    def standing(self, game: str, version: str) -> Standing:
        return Standing.OPEN

    def fault(self, game: str, version: str, table: int, error: str) -> None:
        pass
