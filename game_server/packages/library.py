"""The library: versions of games that are loaded in this process, several side by side.

`look` reads the shelf and loads what is new on it (in a thread: importing takes time); `adopt`
makes that what counts, in the owner's loop. A version that cannot be loaded is left out and
reported; the package then stays at what it was. `forget` lets go of versions that are neither
offered nor used: their code leaves memory with the last table.
"""

from __future__ import annotations

import gc
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import structlog

from game_server.packages.shelf import INSTALLED, BadShelf, Offer, Settings, Shelf, ShelfFile
from game_server.rooms import load_rooms
from game_server.tables.room import RoomSpec
from paiju.packages import room_values
from paiju.packages.loader import Loaded, load, registry_of, unload
from paiju.rules.api import Game
from paiju.rules.registry import Manifest, Registry, UnknownGame

log = structlog.get_logger()

Key = tuple[str, str]  # package, version
_PARTS = 10_000


@dataclass(frozen=True, eq=False)
class Edition:
    """One version of a package, in memory. loaded: None when it is installed."""

    key: Key
    manifest: Manifest
    registry: Registry
    loaded: Loaded | None = None
    presets: Mapping[str, RoomSpec] = field(default_factory=dict)
    """Its rooms as the package suggests them."""

    @classmethod
    def of(cls, manifest: Manifest, registry: Registry, loaded: Loaded | None = None) -> Edition:
        """Raises what the package raises when its rooms' games are made. Those of an installed
        one are made when they are first asked for: a host must be there soon."""
        named = manifest.rule_set_names()
        presets = {id: room for id, room in load_rooms(registry).items() if room.game in named}
        edition = cls((manifest.name, manifest.version), manifest, registry, loaded, presets)
        for room in presets.values() if loaded is not None else ():
            room.seats_for(edition.game(room))
        return edition

    @property
    def rule_sets(self) -> set[str]:
        return self.manifest.rule_set_names()

    def game(self, room: RoomSpec) -> Game:
        return self.registry.latest(room.game, dict(room.parameters))


@dataclass(frozen=True)
class Offered:
    """A package as new tables find it."""

    offer: Offer
    main: Edition
    staged: Edition | None = None

    def edition(self, room: str, table: int) -> Edition:
        """Which version a new table takes. More percent only add tables to the staged part."""
        staged = self.staged
        if staged is None or room not in staged.presets:
            return self.main
        text = f"{self.offer.package}/{self.offer.staged}/{table}"
        part = int.from_bytes(sha256(text.encode()).digest()[:8], "big") % _PARTS
        return staged if part * 100 < self.offer.percent * _PARTS else self.main


@dataclass(frozen=True)
class View:
    """What counts from one `adopt` to the next."""

    shelf: Shelf = field(default_factory=Shelf)
    offered: Mapping[str, Offered] = field(default_factory=dict)  # by package
    rooms: Mapping[str, Offered] = field(default_factory=dict)  # by room


@dataclass(frozen=True)
class Settled:
    """A room of an edition. number: of the settings that count. refused: why those that are
    wanted do not."""

    wanted: Settings
    spec: RoomSpec | None
    number: int
    refused: str = ""


_AS_SUGGESTED = Settings(number=0)


def _with(edition: Edition, preset: RoomSpec, settings: Settings) -> RoomSpec:
    """Raises what the rules raise, and ValueError."""
    if not settings.values:
        return preset
    spec = preset.with_values(settings.values)
    game = edition.game(spec)
    if wrong := room_values.problems(
        settings.values,
        preset=preset.values(),
        schema=room_values.schema_of(game.parameters),
    ):
        raise ValueError("; ".join(wrong))
    seats, before = spec.seats_for(game), preset.seats_for(edition.game(preset))
    if seats != before:
        raise ValueError(f"with it a table would have {seats} seats, not {before}")
    return spec


class Library:
    """shelf: None: only what is installed. Owner: one loop; `look` may run in a thread."""

    def __init__(self, installed: Registry, shelf: ShelfFile | None = None) -> None:
        self._installed = {m.name: m for m in installed.packages()}
        self._registry = installed
        self._shelf = shelf
        self._stamp: tuple[int, int, int] | None = None
        self._next: View | None = None
        self._editions: dict[Key, Edition] = {}
        self._settled: dict[tuple[Key, str], Settled] = {}
        self.view = View()
        self.failed: dict[Key, tuple[str, int]] = {}
        """What could not be loaded: why, and the change of the offer that asked for it."""

    # ---- what is offered -------------------------------------------------------------------

    def look(self) -> bool:
        """Whether there is something to adopt."""
        stamp = self._shelf.stamp() if self._shelf is not None else (0, 0, 0)
        if stamp == self._stamp:
            return False
        try:
            shelf = self._shelf.read() if self._shelf is not None else Shelf()
        except BadShelf as error:
            log.error("packages.bad_shelf", error=str(error))
            self._stamp = stamp
            return False
        self._next = self._load(shelf)
        self._stamp = stamp
        return True

    def adopt(self) -> None:
        if self._next is not None:
            self.view, self._next = self._next, None

    def _load(self, shelf: Shelf) -> View:
        offers = {
            name: Offer(package=name, version=INSTALLED)
            for name in self._installed
            if name not in shelf.stopped
        }
        offers.update({offer.package: offer for offer in shelf.offers})
        offered: dict[str, Offered] = {}
        rooms: dict[str, Offered] = {}
        owners: dict[str, str] = {}  # rule set or room -> package
        for name, offer in sorted(offers.items(), key=lambda item: item[0] not in self._installed):
            found = self._offered(offer, shelf) or self._as_before(name, shelf)
            if found is None:
                continue
            names = {*found.main.presets, *found.main.rule_sets}
            if any(owners.get(one, name) != name for one in names):
                why = "it has rooms or rule sets of another package"
                self._fail(found.main.key, why, offer.change)
                continue
            owners.update(dict.fromkeys(names, name))
            offered[name] = found
            for room in found.main.presets:
                if self._settle(found.main, room, shelf.rooms.get(room)).spec is not None:
                    rooms[room] = found
        return View(shelf, offered, rooms)

    # ---- settings of rooms -----------------------------------------------------------------

    def room(self, edition: Edition, room: str) -> RoomSpec | None:
        """The room as it is now, in this edition. None: it has none, or takes no settings."""
        if room not in edition.presets:
            return None
        return self._settle(edition, room, self.view.shelf.rooms.get(room)).spec

    def settled(self, edition: Edition, room: str) -> Settled:
        """The same, with what the rules said."""
        return self._settle(edition, room, self.view.shelf.rooms.get(room))

    def _settle(self, edition: Edition, room: str, settings: Settings | None) -> Settled:
        """A room whose game refuses the settings stays as it was in this process; it is not
        offered when it was nothing yet: nobody plays for stakes that nobody has set."""
        wanted = settings or _AS_SUGGESTED
        before = self._settled.get((edition.key, room))
        if before is not None and before.wanted == wanted:
            return before
        preset = edition.presets[room]
        try:
            found = Settled(wanted, _with(edition, preset, wanted), wanted.number)
        except Exception as error:
            refused = f"{type(error).__name__}: {error}"
            kept = (before.spec, before.number) if before is not None else (None, 0)
            found = Settled(wanted, *kept, refused)
            log.error(
                "packages.room_refused",
                room=room,
                version="/".join(edition.key),
                settings=wanted.number,
                error=refused,
            )
        self._settled[edition.key, room] = found
        return found

    def _as_before(self, package: str, shelf: Shelf) -> Offered | None:
        """What was offered until now, unless it is bad."""
        found = self.view.offered.get(package)
        return None if found is None or "/".join(found.main.key) in shelf.bad else found

    def _offered(self, offer: Offer, shelf: Shelf) -> Offered | None:
        main = self._try(offer, offer.version, shelf)
        if main is None:
            return None
        staged = self._try(offer, offer.staged, shelf) if offer.staged else None
        return Offered(offer, main, staged)

    def _try(self, offer: Offer, version: str, shelf: Shelf) -> Edition | None:
        if version == INSTALLED and offer.package in self._installed:
            version = self._installed[offer.package].version
        key = (offer.package, version)
        try:
            return self._edition(key, shelf)
        except Exception as error:
            self._fail(key, f"{type(error).__name__}: {error}", offer.change)
            return None

    def _fail(self, key: Key, why: str, change: int) -> None:
        if self.failed.get(key) != (why, change):
            log.error("packages.not_loaded", version="/".join(key), error=why)
        self.failed[key] = (why, change)

    # ---- editions --------------------------------------------------------------------------

    def _edition(self, key: Key, shelf: Shelf) -> Edition:
        """Loaded, once. Raises UnknownGame, BadShelf, BadPackage, what the package raises."""
        found = self._editions.get(key)
        if found is None:
            found = self._editions[key] = self._make(key, shelf)
            self.failed.pop(key, None)
            if found.loaded is not None:
                log.info("packages.loaded", version="/".join(key))
        return found

    def _make(self, key: Key, shelf: Shelf) -> Edition:
        manifest = self._installed.get(key[0])
        if manifest is not None and manifest.version == key[1]:
            return Edition.of(manifest, self._registry)
        name = "/".join(key)
        if self._shelf is None or name not in shelf.versions:
            raise UnknownGame(f"{name} is not here")
        loaded = load(self._shelf.contents(shelf.versions, name))
        try:
            return Edition.of(loaded.contents.manifest, registry_of([loaded]), loaded)
        except BaseException:
            unload(loaded)
            raise

    def installed(self, package: str) -> str:
        """The version that came with the program; "" for none."""
        manifest = self._installed.get(package)
        return "" if manifest is None else manifest.version

    def editions(self) -> Iterator[Edition]:
        """All that are loaded."""
        yield from list(self._editions.values())

    def find(self, rule_set: str, version: str) -> Edition:
        """The version of the package that has this rule set, loaded if it is not, for a table of
        a journal. UnknownGame, and what loading raises."""
        for edition in self.editions():
            if edition.key[1] == version and rule_set in edition.rule_sets:
                return edition
        for key in self._known(version):
            if rule_set in self._manifest(key).rule_set_names():
                return self._edition(key, self.view.shelf)
        raise UnknownGame(f"no package with {rule_set} is here in version {version}")

    def _known(self, version: str) -> Iterator[Key]:
        for manifest in self._installed.values():
            if manifest.version == version:
                yield manifest.name, version
        for name in self.view.shelf.versions:
            package, _, number = name.partition("/")
            if number == version:
                yield package, number

    def _manifest(self, key: Key) -> Manifest:
        manifest = self._installed.get(key[0])
        if manifest is not None and manifest.version == key[1]:
            return manifest
        assert self._shelf is not None
        return self._shelf.contents(self.view.shelf.versions, "/".join(key)).manifest

    def forget(self, used: Collection[Key]) -> list[Key]:
        """Unload what is neither offered nor used; what that was."""
        kept = {*used}
        for view in filter(None, (self.view, self._next)):
            for offered in view.offered.values():
                kept.update(e.key for e in (offered.main, offered.staged) if e is not None)
        gone = [e for e in self.editions() if e.key not in kept and e.loaded is not None]
        for edition in gone:
            del self._editions[edition.key]
            for room in edition.presets:
                self._settled.pop((edition.key, room), None)
            assert edition.loaded is not None
            unload(edition.loaded)
            log.info("packages.unloaded", version="/".join(edition.key))
        keys = [edition.key for edition in gone]
        if keys:
            gone.clear()
            del edition
            gc.collect()
        return keys
