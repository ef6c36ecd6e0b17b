"""The shelf: what a machine has verified and what it offers, as one file beside the archives.

Written by the keeper alone, whole or not at all, and marked with a key of the machine; read by
hosts and gateways. It is all they need: with no data server and no valid metadata a machine goes
on with what is on it. Versions never leave it, so that a table in a journal can be rebuilt.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from paiju.packages.archive import BadPackage, Contents, unpack

FILE = "shelf.json"
TOLD = "rooms.json"
INSTALLED = "installed"
"""In place of a version: the one that came with the program."""
YANKED, FAULTY = "yanked", "faulty"


class BadShelf(ValueError):
    """Something on the shelf is not what the keeper put there."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A package for new tables. percent: of them take `staged`, when that is not empty."""

    package: str
    version: str
    staged: str = ""
    percent: int = 0
    minimum_client: int = 0
    change: int = 0  # of the plan that it follows


class Settings(msgspec.Struct, frozen=True, kw_only=True):
    """What operators have changed of a room. number: of the room's own settings, from 1 on."""

    number: int
    values: dict[str, int | bool | str] = {}


class Shelf(msgspec.Struct, frozen=True, kw_only=True):
    """offers: of packages with a plan; an installed package that is neither here nor `stopped` is
    offered as it is installed. versions: "NAME/VERSION" -> SHA-256 of the archive, all that was
    ever verified. bad: for no new table; YANKED or FAULTY. rooms: with settings of their own."""

    offers: list[Offer] = []
    stopped: list[str] = []
    versions: dict[str, str] = {}
    bad: dict[str, str] = {}
    rooms: dict[str, Settings] = {}


class RoomTold(msgspec.Struct, frozen=True, kw_only=True):
    """What a gateway found when it made a room's game. preset: what the package suggests, as flat
    values; schema: of the game's parameters; number: of the settings that count; refused: why
    newer ones do not."""

    room: str
    package: str
    version: str
    preset: dict[str, int | bool | str]
    schema: dict[str, dict[str, int | bool | str | None]]
    number: int
    refused: str = ""


class _Stored(msgspec.Struct, frozen=True):
    mark: str
    shelf: msgspec.Raw


class ShelfFile:
    """folder: of the keeper. key: of the machine."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self._path = folder / FILE
        self._told = folder / TOLD
        self._archives = folder / "archives"
        self._key = key

    def stamp(self) -> tuple[int, int, int]:
        """Changes with every writing; zeros when there is none."""
        try:
            found = self._path.stat()
        except OSError:
            return (0, 0, 0)
        return (found.st_mtime_ns, found.st_size, found.st_ino)

    def read(self) -> Shelf:
        """Empty when there is none yet. BadShelf."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return Shelf()
        try:
            stored = msgspec.json.decode(data, type=_Stored)
            body = bytes(stored.shelf)
            if not hmac.compare_digest(stored.mark, self._mark(body)):
                raise BadShelf("the shelf was written by somebody else")
            return msgspec.json.decode(body, type=Shelf)
        except msgspec.MsgspecError as error:
            raise BadShelf(f"the shelf cannot be read: {error}") from None

    def write(self, shelf: Shelf) -> None:
        body = msgspec.json.encode(shelf)
        draft = self._path.with_suffix(".part")
        draft.write_bytes(msgspec.json.encode(_Stored(self._mark(body), msgspec.Raw(body))))
        draft.replace(self._path)

    # What gateways tell the keeper: not marked, it decides nothing here.

    def rooms_told(self) -> list[RoomTold]:
        """Empty when there is none yet, or none that can be read."""
        try:
            return msgspec.json.decode(self._told.read_bytes(), type=list[RoomTold])
        except (OSError, msgspec.MsgspecError):
            return []

    def tell_rooms(self, rooms: list[RoomTold]) -> None:
        """When it is something else: all gateways of a machine find the same."""
        if rooms != self.rooms_told():
            draft = self._told.with_suffix(f".{os.getpid()}.part")
            draft.write_bytes(msgspec.json.encode(rooms))
            draft.replace(self._told)

    def contents(self, versions: Mapping[str, str], version: str) -> Contents:
        """The files of "NAME/VERSION", checked against its hash. BadShelf."""
        digest = versions[version]
        try:
            found = unpack((self._archives / f"{digest}.zip").read_bytes())
        except (OSError, BadPackage) as error:
            raise BadShelf(f"{version} is damaged: {error}") from None
        if found.digest != digest or f"{found.name}/{found.version}" != version:
            raise BadShelf(f"{version} is not what was verified")
        return found

    def _mark(self, body: bytes) -> str:
        return hmac.new(self._key, body, sha256).hexdigest()
