"""What a gateway knows of games: the rooms that are offered, sentences, and client parts.

The library of the gateway reads the machine's shelf, as those of hosts do. `run` calls
`on_change` with the new rooms whenever something was started, stopped or changed.
"""

from __future__ import annotations

import asyncio
import importlib.util
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import structlog

from game_server.gateway import catalogue
from game_server.gateway.rooms import RoomSpec
from game_server.packages.library import Edition, Key, Library
from game_server.packages.shelf import BadShelf, RoomTold, ShelfFile
from paiju.packages import archive, room_values
from paiju.packages.client_files import client_files
from paiju.rules.registry import RoomPreset
from paiju.service import refusals
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2

log = structlog.get_logger()

LOOK_EVERY_S = 0.3
PART_BYTES = 16 * 1024
KEPT = 8
"""Packages whose client parts stay in memory."""


@dataclass(frozen=True)
class _One:
    """catalogue.Packages of one version. library: knows what operators have changed of rooms."""

    library: Library
    edition: Edition

    def rooms(self) -> Sequence[RoomPreset]:
        """As they are now; without those that take no settings."""
        found = []
        for preset in self.edition.registry.rooms():
            room = self.library.room(self.edition, preset.id)
            if room is not None:
                changed = room_values.changed(preset, room.values())
                found.append(msgspec.structs.replace(preset, **changed))
        return found

    def latest(self, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
        return self.edition.registry.latest(name, parameters)


class HallGames:
    """shelf: of the library; None: only what is installed."""

    def __init__(self, library: Library, shelf: ShelfFile | None = None) -> None:
        self._library = library
        self._shelf = shelf
        self._parts: OrderedDict[Key, Mapping[str, bytes]] = OrderedDict()

    def begin(self) -> None:
        """Blocking: what is offered at the start."""
        self._library.look()
        self._library.adopt()
        self.specs()  # all games are made here, once
        self._tell()

    async def run(self, on_change: Callable[[list[RoomSpec]], None]) -> None:
        """For ever."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if await asyncio.to_thread(self._library.look):
                before = self.specs()
                self._library.adopt()
                self._library.forget(())
                if self.specs() != before:
                    on_change(self.specs())
                await asyncio.to_thread(self._tell)

    def _tell(self) -> None:
        """Blocking: what the rooms are made of, for the keeper."""
        if self._shelf is None:
            return
        found = []
        for offered in list(self._library.view.offered.values()):
            edition = offered.main
            for id, preset in edition.presets.items():
                settled = self._library.settled(edition, id)
                game = edition.game(settled.spec or preset)
                found.append(
                    RoomTold(
                        room=id,
                        package=edition.key[0],
                        version=edition.key[1],
                        preset=preset.values(),
                        schema=room_values.schema_of(game.parameters),
                        number=settled.number,
                        refused=settled.refused,
                    )
                )
        try:
            self._shelf.tell_rooms(found)
        except OSError as error:
            log.warning("packages.rooms_not_told", error=repr(error))

    # ---- rooms and sentences ---------------------------------------------------------------

    def specs(self) -> list[RoomSpec]:
        """The rooms that are offered, as new tables find them."""
        return [
            replace(
                spec,
                package=offered.main.key[0],
                package_version=offered.main.key[1],
                minimum_client=offered.offer.minimum_client,
            )
            for offered in self._library.view.offered.values()
            for spec in catalogue.room_specs(_One(self._library, offered.main))
        ]

    def sentence(self, code: str, params: Mapping[str, str], locale: str, game: str) -> str:
        """As answers.Sentences."""
        for offered in self._library.view.offered.values():
            if game in offered.main.rule_sets:
                one = _One(self._library, offered.main)
                return catalogue.sentences(one)(code, params, locale, game)
        return refusals.sentence(code, params, locale)

    # ---- client parts ----------------------------------------------------------------------

    def describe(self, package: str, version: str) -> hall_pb2.PackageParts:
        """The files of a version that clients may have. Blocking. Refused(NO_SUCH_VERSION)."""
        files = self._files((package, version))
        return hall_pb2.PackageParts(
            package=package,
            version=version,
            files=[
                hall_pb2.PackagePart(path=path, size=len(data), sha256=sha256(data).hexdigest())
                for path, data in sorted(files.items())
            ],
        )

    def part(self, request: hall_pb2.GetPackageFile) -> hall_pb2.FilePart:
        """Blocking. Refused(NO_SUCH_VERSION)."""
        files = self._files((request.package, request.version))
        data = files.get(request.path)
        if data is None:
            raise Refused("NO_SUCH_VERSION", version=f"{request.package}: {request.path}")
        start = request.offset
        return hall_pb2.FilePart(data=data[start : start + PART_BYTES], total=len(data))

    def _files(self, key: Key) -> Mapping[str, bytes]:
        found = self._parts.get(key)
        if found is None:
            found = client_files(self._read(key).files)
            self._parts[key] = found
            while len(self._parts) > KEPT:
                self._parts.popitem(last=False)
        return found

    def _read(self, key: Key) -> archive.Contents:
        versions, name = self._library.view.shelf.versions, "/".join(key)
        try:
            if self._shelf is not None and name in versions:
                return self._shelf.contents(versions, name)
            if self._library.installed(key[0]) == key[1]:
                return _installed(key[0])
        except (BadShelf, archive.BadPackage):
            pass
        raise Refused("NO_SUCH_VERSION", version=name)


def _installed(package: str) -> archive.Contents:
    spec = importlib.util.find_spec("games")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        if (Path(folder) / package).is_dir():
            return archive.unpack(archive.build(Path(folder) / package))
    raise archive.BadPackage(f"{package} is not installed")
