"""Client parts of games: got from the gateway in pieces, checked by SHA-256, kept in a folder.

The hashes come over the sealed channel from a gateway that has verified the package by the
repository's signatures. A file that was begun goes on where it stopped, also after a lost
connection or in another process; a version's files are shown as one folder, whole or not at
all, so that two versions never mix.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from hall_client.commands import Commands
from hall_client.errors import Refused
from paiju.wire.v1 import hall_pb2

LARGEST = 2 * 2**20
"""Bytes of one file; a gateway that offers more is not believed."""
_PAUSE_S = 0.5
_AGAIN = frozenset({"TOO_FAST", "BUSY", "RETRY"})

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""(bytes that are here, bytes of all files)"""


class BadPart(Exception):
    """What came is not what the gateway had said."""


@dataclass(frozen=True)
class PartStore:
    """folder: of this client; `folder/NAME/VERSION` is a version that is whole."""

    folder: Path

    def path(self, package: str, version: str) -> Path | None:
        """Where the version is; None: it has to be got."""
        found = self.folder / package / version
        return found if found.is_dir() else None

    async def get(
        self, client: Commands, package: str, version: str, *, progress: Progress = lambda *_: None
    ) -> Path:
        """The version's folder, got if it is not here. BadPart, and what calls raise."""
        there = self.path(package, version)
        if there is not None:
            return there
        parts = await _patiently(lambda: client.package(package, version))
        if (parts.package, parts.version) != (package, version):
            raise BadPart(f"{parts.package} {parts.version} came instead of {package} {version}")
        draft = self.folder / package / f".{version}"
        total, here = sum(part.size for part in parts.files), 0
        for part in parts.files:
            file = _inside(draft, part)

            def told(size: int, before: int = here) -> None:
                progress(before + size, total)

            await self._file(client, parts, part, file, told)
            here += part.size
        wanted = {_inside(draft, part) for part in parts.files}
        for stray in {path for path in draft.rglob("*") if path.is_file()} - wanted:
            stray.unlink()  # of an earlier try
        target = self.folder / package / version
        if target.is_dir():  # another client of this folder was quicker
            shutil.rmtree(draft)
        else:
            draft.replace(target)
        return target

    async def _file(
        self,
        client: Commands,
        parts: hall_pb2.PackageParts,
        part: hall_pb2.PackagePart,
        file: Path,
        told: Callable[[int], None],
    ) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        got = file.read_bytes() if file.exists() else b""
        if len(got) > part.size:
            got = b""
        while len(got) < part.size:
            where = (parts.package, parts.version, part.path, len(got))
            piece = await _patiently(partial(client.package_file, *where))
            if piece.total != part.size or not piece.data:
                raise BadPart(f"{part.path} has changed on the way")
            got += piece.data
            file.write_bytes(got)
            told(len(got))
        if sha256(got).hexdigest() != part.sha256:
            file.unlink(missing_ok=True)  # nothing of it is kept
            raise BadPart(f"{part.path} is not what was published")
        file.write_bytes(got)


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer; a gateway that asks for a pause gets it."""
    while True:
        try:
            return await ask()
        except Refused as refused:
            if refused.code not in _AGAIN:
                raise
            await asyncio.sleep(max(_PAUSE_S, refused.retry_after_ms / 1000))


def _inside(folder: Path, part: hall_pb2.PackagePart) -> Path:
    """Where a file goes. BadPart: it would go elsewhere, or is too large."""
    path = (folder / part.path).resolve()
    if not path.is_relative_to(folder.resolve()) or path == folder.resolve():
        raise BadPart(f"{part.path!r} is no path of a package")
    if part.size > LARGEST:
        raise BadPart(f"{part.path} has {part.size} bytes, allowed are {LARGEST}")
    return path
