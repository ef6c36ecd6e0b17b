"""A package as one zip: the same files give the same bytes, and nothing odd gets in or out.

What is in it: manifest.toml, modules (*.py), cases.jsonl, help.*.md, view.js and assets; paths
are relative, `/`-separated, of plain names. No links, no folders as entries, no two entries of
one name.
"""

from __future__ import annotations

import io
import re
import stat
import tomllib
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from paiju.rules.registry import Manifest

PACKED_MAX = 150 * 1024
"""Bytes of the archive."""
UNPACKED_MAX = 2 * 1024 * 1024
"""Bytes of all files together; a bomb ends here."""
FILES_MAX = 200
NAME = re.compile(r"[a-z][a-z0-9_]{1,39}")
VERSION = re.compile(r"(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})\.(0|[1-9]\d{0,5})")
_PATH = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}(/[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}){0,3}")
_KINDS = {".toml", ".py", ".jsonl", ".md", ".js", ".css", ".svg", ".png", ".webp", ".woff2", ".ogg"}
_SKIPPED = {"__pycache__"}
_TIME = (1980, 1, 1, 0, 0, 0)  # the first that a zip can name


class BadPackage(ValueError):
    """Says which file is wrong and what would be right."""


@dataclass(frozen=True)
class Contents:
    """The files of one package, checked. `digest`: SHA-256 of the archive, hexadecimal."""

    manifest: Manifest
    files: Mapping[str, bytes]
    digest: str

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def version(self) -> str:
        return self.manifest.version

    def modules(self) -> dict[str, str]:
        """Module path inside the package ("rules", "" for the package itself) -> source."""
        found = {}
        for path, data in self.files.items():
            if path.endswith(".py"):
                dotted = path[:-3].replace("/", ".")
                name = "" if dotted == "__init__" else dotted.removesuffix(".__init__")
                found[name] = data.decode("utf-8")
        return found


def build(folder: Path) -> bytes:
    """The archive of a package's folder. BadPackage."""
    files = {}
    try:
        for path in sorted(folder.rglob("*")):
            if _SKIPPED & set(path.relative_to(folder).parts):
                continue
            if path.is_symlink():
                raise BadPackage(f"{path}: links are not packed; copy the file")
            if path.is_file():
                files[path.relative_to(folder).as_posix()] = path.read_bytes()
    except OSError as error:
        raise BadPackage(f"{folder} cannot be read: {error.strerror}") from None
    if not files:
        raise BadPackage(f"{folder} has no files")
    blob = pack(files)
    unpack(blob)
    return blob


def pack(files: Mapping[str, bytes]) -> bytes:
    """The archive of these files: sorted, without dates and owners, always the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, files[path], compresslevel=9)
    return out.getvalue()


def unpack(blob: bytes) -> Contents:
    """The files of an archive, after every check that needs no code to run. BadPackage."""
    if len(blob) > PACKED_MAX:
        raise BadPackage(f"the archive has {len(blob)} bytes, allowed are {PACKED_MAX}")
    try:
        with zipfile.ZipFile(io.BytesIO(blob)) as archive:
            files = _read(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as error:
        raise BadPackage(f"not an archive: {error}") from None
    return Contents(_manifest(files), files, sha256(blob).hexdigest())


def _read(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = archive.infolist()
    if len(entries) > FILES_MAX:
        raise BadPackage(f"{len(entries)} files, allowed are {FILES_MAX}")
    files: dict[str, bytes] = {}
    room = UNPACKED_MAX
    for entry in entries:
        path = entry.filename
        if _PATH.fullmatch(path) is None or ".." in path:
            raise BadPackage(f"{path[:120]!r} is no path of a package")
        if Path(path).suffix not in _KINDS:
            raise BadPackage(f"{path}: files of this kind are not packed")
        if path in files:
            raise BadPackage(f"{path} is there twice")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise BadPackage(f"{path} is not a plain file")
        if entry.flag_bits & 1:
            raise BadPackage(f"{path} is encrypted")
        with archive.open(entry) as file:
            data = file.read(room + 1)  # the entry's own idea of its size is not trusted
        room -= len(data)
        if room < 0:
            raise BadPackage(f"unpacked it has over {UNPACKED_MAX} bytes")
        files[path] = data
    return files


def _manifest(files: Mapping[str, bytes]) -> Manifest:
    try:
        text = files["manifest.toml"].decode("utf-8")
        manifest = msgspec.convert(tomllib.loads(text), Manifest, strict=True)
    except KeyError:
        raise BadPackage("manifest.toml is missing") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadPackage(f"manifest.toml: {error}") from None
    if NAME.fullmatch(manifest.name) is None:
        raise BadPackage(f"manifest.toml: name {manifest.name!r}: small letters, digits and _")
    if VERSION.fullmatch(manifest.version) is None:
        raise BadPackage(f"manifest.toml: version {manifest.version!r}: three numbers, as 1.0.2")
    if not manifest.rule_sets:
        raise BadPackage("manifest.toml: at least one rule set is needed")
    own = f"games.{manifest.name}"
    for rule_set in manifest.rule_sets:
        for entry in filter(None, (rule_set.entry, rule_set.cases)):
            module, separator, what = entry.partition(":")
            inside = module.removeprefix(own).removeprefix(".").replace(".", "/")
            there = {f"{inside}.py", f"{inside}/__init__.py"} & files.keys()
            if not module.startswith(f"{own}.") or not separator or not what or not there:
                raise BadPackage(
                    f"manifest.toml: {entry!r} is no part of this package; "
                    f"it looks like {own}.rules:NAME"
                )
        for room in rule_set.rooms:
            if not room.id.startswith(f"{rule_set.name}."):
                raise BadPackage(f"manifest.toml: room {room.id} must begin with {rule_set.name}.")
    return manifest


def number(version: str) -> tuple[int, ...]:
    """What versions are ordered by: 1.10.0 comes after 1.9.0."""
    return tuple(int(part) for part in version.split("."))


def newest(versions: Iterable[str]) -> str:
    """The highest of them; "" for none."""
    return max(versions, key=number, default="")
