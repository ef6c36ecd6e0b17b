"""Packages as `paiju package` commands take them: folders or archives."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paiju.cli import output
from paiju.packages import archive, imports, proof

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
]
Package = Annotated[Path, typer.Argument(help="A package's folder, or its archive.")]


def read(path: Path) -> bytes:
    """A file; a sentence and exit 2 when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        output.fail(f"{path} cannot be read: {error.strerror}", code=2)


def packed(package: Path) -> bytes:
    """The archive; a sentence and exit 2 when it is none."""
    try:
        blob = archive.build(package) if package.is_dir() else read(package)
        archive.unpack(blob)
    except archive.BadPackage as error:
        output.fail(f"{package}: {error}", code=2)
    return blob


def tested(package: Path, hands: int) -> bytes:
    """The archive of a package that passes everything; sentences and exit 1 when it does not."""
    blob = packed(package)
    contents = archive.unpack(blob)
    try:
        imports.check(contents.name, contents.modules())
        found = proof.prove(contents, hands=hands)
    except archive.BadPackage as error:
        output.fail(str(error))
    if not found.holds:
        output.fail("\n".join([*(f"failed {s}" for s in found.failed), "it is not published"]))
    return blob
