"""The games of a table host: what its library offers, and when a version is withdrawn.

A version whose rules raise at several tables within a minute gets no new tables and its tables
end; the keeper is told and takes it from the whole machine. It is taken back by starting the
version again, which raises the change number of its offer.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import structlog

from game_server.packages.library import Edition, Key, Library
from game_server.packages.shelf import FAULTY
from game_server.tables.games import Choice, Standing
from game_server.tables.room import RoomSpec
from paiju.packages.room_values import Values
from paiju.rules.registry import UnknownGame
from paiju.service.refusals import Refused

log = structlog.get_logger()

LOOK_EVERY_S = 0.3
FAULTY_TABLES = 3
FAULTY_WITHIN_S = 60.0


@dataclass
class _Faults:
    """Of one version. since: change of the offer under which it was withdrawn; -1: it is not."""

    count: int = 0
    recent: dict[int, float] = field(default_factory=dict)  # table -> when
    withdrawn: int = -1
    last: str = ""


class HostGames:
    """used: the versions that this host's tables play, with the number of tables."""

    def __init__(
        self,
        library: Library,
        *,
        used: Callable[[], Mapping[Key, int]] = Counter,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._library = library
        self.used = used
        self._clock = clock
        self._faults: dict[Key, _Faults] = {}
        self._rooms: dict[str, RoomSpec] = {}  # every one that was offered or rebuilt here

    # ---- life ------------------------------------------------------------------------------

    def begin(self) -> None:
        """Blocking: what is offered at the start."""
        self._library.look()
        self._adopt()

    async def run(self) -> None:
        """For ever: what the keeper changes counts here soon after; what is unused leaves."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if await asyncio.to_thread(self._library.look):
                self._adopt()
            self._library.forget(self.used())

    def _adopt(self) -> None:
        self._library.adopt()
        for id, offered in self._library.view.rooms.items():
            spec = self._library.room(offered.main, id)
            if spec is not None:
                self._rooms[id] = spec

    # ---- for tables ------------------------------------------------------------------------

    def rooms(self) -> Collection[str]:
        return self._library.view.rooms.keys()

    def rule_sets(self) -> set[str]:
        """That are offered."""
        offered = self._library.view.offered.values()
        return {name for one in offered for name in one.main.rule_sets}

    def room(self, room: str) -> RoomSpec | None:
        return self._rooms.get(room)

    def choose(self, room: str, table: int) -> Choice:
        offered = self._library.view.rooms.get(room)
        if offered is None or self._withdrawn(offered.main.key):
            raise Refused("GAME_STOPPED")
        edition = offered.edition(room, table)
        if self._withdrawn(edition.key):
            edition = offered.main
        spec = self._library.room(edition, room)
        if spec is None:
            raise Refused("GAME_STOPPED")
        return Choice(spec, edition.game(spec), edition.key[1])

    def current(self, room: str, game: str, version: str) -> Choice | None:
        """As the operator wants the room now, for a table that plays this version."""
        edition = self._edition(game, version)
        spec = None if edition is None else self._library.room(edition, room)
        if edition is None or spec is None:
            return None
        return Choice(spec, edition.game(spec), version)

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
        """The version of the package that the journal names; or, of what is offered, one whose
        rules have the same number: a package may change without its rules."""
        try:
            edition = self._library.find(game, version)
        except UnknownGame:
            found = [e for e in self._library.editions() if game in e.rule_sets]
            if not found:
                raise
            edition = found[-1]
        preset = edition.presets.get(room)
        if preset is None:
            raise UnknownGame(f"there is no room {room!r} any more")
        spec = preset if values is None else preset.as_it_was(values)
        self._rooms.setdefault(room, spec)
        return Choice(spec, edition.registry.get(game, rules, parameters), edition.key[1])

    def standing(self, game: str, version: str) -> Standing:
        edition = self._edition(game, version)
        if edition is None:
            return Standing.ENDING
        view = self._library.view
        bad = view.shelf.bad.get("/".join(edition.key))
        if bad == FAULTY or self._withdrawn(edition.key):
            return Standing.BROKEN
        offered = view.offered.get(edition.key[0])
        if bad is not None or offered is None:
            return Standing.ENDING
        now = (offered.main, offered.staged)
        return Standing.OPEN if edition in now else Standing.FINISHING

    def fault(self, game: str, version: str, table: int, error: str) -> None:
        edition = self._edition(game, version)
        if edition is None:
            return
        faults = self._faults.setdefault(edition.key, _Faults())
        now = self._clock()
        faults.count, faults.last = faults.count + 1, error
        faults.recent = {
            table: at for table, at in faults.recent.items() if at > now - FAULTY_WITHIN_S
        }
        faults.recent[table] = now
        if len(faults.recent) >= FAULTY_TABLES and not self._withdrawn(edition.key):
            faults.withdrawn = self._change(edition.key[0])
            log.error("packages.withdrawn", version="/".join(edition.key), error=error)

    # ---- for the keeper --------------------------------------------------------------------

    def report(self) -> list[dict[str, Any]]:
        """Of each version that is loaded, or could not be: tables, faults, whether it is bad."""
        used = self.used()
        keys: Iterable[Key] = {e.key for e in self._library.editions()} | self._faults.keys()
        found = [self._told(key, used.get(key, 0)) for key in sorted(keys)]
        for key, (why, change) in list(self._library.failed.items()):
            told = self._told(key, used.get(key, 0))
            found.append({**told, "bad": True, "detail": why, "change": change})
        return found

    def _told(self, key: Key, tables: int) -> dict[str, Any]:
        faults = self._faults.get(key, _Faults())
        return {
            "package": key[0],
            "version": key[1],
            "tables": tables,
            "faults": faults.count,
            "bad": self._withdrawn(key),
            "detail": faults.last,
            "change": faults.withdrawn,
        }

    def by_package(self, tables: Mapping[tuple[str, str], int]) -> Counter[Key]:
        """Tables by rule set and version -> by package and version."""
        found: Counter[Key] = Counter()
        for (game, version), count in tables.items():
            found[self._key_of(game, version)] += count
        return found

    # ---- inside ----------------------------------------------------------------------------

    def _key_of(self, game: str, version: str) -> Key:
        edition = self._edition(game, version)
        return edition.key if edition is not None else (game, version)

    def _edition(self, game: str, version: str) -> Edition | None:
        for edition in self._library.editions():
            if edition.key[1] == version and game in edition.rule_sets:
                return edition
        return None

    def _withdrawn(self, key: Key) -> bool:
        faults = self._faults.get(key)
        return faults is not None and faults.withdrawn >= self._change(key[0])

    def _change(self, package: str) -> int:
        """Number of the change that the package's offer follows; 0: it has no plan."""
        offered = self._library.view.offered.get(package)
        return 0 if offered is None else offered.offer.change
