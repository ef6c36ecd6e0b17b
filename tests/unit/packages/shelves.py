"""A shelf with versions of the smallest package on it."""

from __future__ import annotations

from pathlib import Path

from game_server.packages.shelf import Offer, Shelf, ShelfFile
from paiju.packages import archive
from tests.packages import toy

KEY = b"k" * 32


def put(folder: Path, *blobs: bytes) -> dict[str, str]:
    """The archives as a follower leaves them; what the shelf says of them."""
    (folder / "archives").mkdir(parents=True, exist_ok=True)
    versions = {}
    for blob in blobs:
        contents = archive.unpack(blob)
        (folder / "archives" / f"{contents.digest}.zip").write_bytes(blob)
        versions[f"{contents.name}/{contents.version}"] = contents.digest
    return versions


def toss(version: str, worth: int = 5, **more: str) -> bytes:
    return archive.pack(toy.files(version=version, worth=worth, **more))


def thief() -> bytes:
    """A package that says a rule set and a room of `toss` are its own."""
    files = {p: data.replace(b"games.toss", b"games.athief") for p, data in toy.files().items()}
    manifest = files["manifest.toml"].replace(b'name = "toss"', b'name = "athief"', 1)
    return archive.pack({**files, "manifest.toml": manifest})


def offering(versions: dict[str, str], version: str, **more: object) -> Shelf:
    offer = {"package": "toss", "version": version, "change": 1}
    shelf = {name: more.pop(name) for name in ("bad", "stopped") if name in more}
    return Shelf(
        offers=[Offer(**(offer | more))],  # type: ignore[arg-type]
        versions=versions,
        **shelf,  # type: ignore[arg-type]
    )


def shelf_file(folder: Path) -> ShelfFile:
    return ShelfFile(folder, KEY)
