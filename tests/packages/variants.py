"""Doudizhu as an author would change it: the same package with another number and another rule."""

from __future__ import annotations

from hashlib import shake_256
from pathlib import Path

from paiju.packages import archive
from paiju.packages.loader import load, registry_of
from paiju.rules.api import Game
from paiju.rules.registry import Registry, UnknownGame

ESCAPES = (
    b"doudizhu-settle-p009",
    b"doudizhu-settle-p011",
    b"doudizhu-play-p013",
    b"doudizhu-play-p014",
)
FOLDER = Path(__file__).resolve().parents[2] / "games" / "doudizhu"


def doudizhu(
    version: str, *, escape_factor: int = 3, rules: int = 1, client_bytes: int = 0
) -> bytes:
    """escape_factor: how often the base an escape costs; with another one, rules has another
    number, too: records are replayed under the rules that they were played by. client_bytes: of
    a picture in the client part; half of it packs well."""
    contents = archive.unpack(archive.build(FOLDER))
    files = dict(contents.files)

    def change(path: str, before: str, after: str) -> None:
        assert before.encode() in files[path], (path, before)
        files[path] = files[path].replace(before.encode(), after.encode(), 1)

    change("manifest.toml", f'version = "{contents.version}"', f'version = "{version}"')
    change("classic.py", "ESCAPE_FACTOR = 3", f"ESCAPE_FACTOR = {escape_factor}")
    if escape_factor != 3:  # four cases say what an escape costs; the author writes them anew
        lines = files["cases.jsonl"].splitlines(keepends=True)
        kept = (line for line in lines if not any(case in line for case in ESCAPES))
        files["cases.jsonl"] = b"".join(kept)
    if client_bytes:
        half = client_bytes // 2
        files["assets/felt.webp"] = shake_256(b"felt").digest(half) + bytes(client_bytes - half)
    change("rules.py", "    version = 1\n", f"    version = {rules}\n")
    return archive.pack(files)


class BothVersions(Registry):
    """What bots think with while two versions are played."""

    def __init__(self, *blobs: bytes) -> None:
        super().__init__([])
        self._all = [Registry.default()]
        self._all += [registry_of([load(archive.unpack(blob))]) for blob in blobs]

    def get(self, name: str, version: int, parameters: str) -> Game:
        for registry in self._all:
            try:
                return registry.get(name, version, parameters)
            except UnknownGame:
                continue
        raise UnknownGame(f"{name} in version {version}")
