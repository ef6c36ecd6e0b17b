"""`paiju package export`: client parts as files, for any web server."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Annotated

import typer

from paiju.cli import output
from paiju.cli.package_files import Json, packed
from paiju.packages import archive
from paiju.packages.client_files import address, client_files


def export(
    folder: Annotated[Path, typer.Argument(help="Where to; what is there already stays.")],
    packages: Annotated[
        list[Path] | None,
        typer.Argument(help="Folders or archives. Default: what is installed here."),
    ] = None,
    json: Json = None,
) -> None:
    """Write what browsers need of packages, each file under its SHA-256: served as `/p/` by any
    web server, to be kept for ever.

    Pages load them with the hashes that their gateway tells them: whoever has the web server can
    hold files back, not change them.

    Example: paiju package export /srv/www/hall mygame-1.1.0.zip
    """
    listed: dict[str, str] = {}
    for package in packages or list(_installed()):
        contents = archive.unpack(packed(package))
        for path, data in client_files(contents.files).items():
            name = address(contents.name, path, data)
            _write(folder / name, data)
            listed[name] = sha256(data).hexdigest()
    output.console(json).print(f"{folder}: {len(listed)} files", highlight=False)
    output.write_json(json, {"folder": str(folder), "files": listed})


def _write(file: Path, data: bytes) -> None:
    """Whole or not at all; the same address always has the same content."""
    if file.exists() and file.read_bytes() == data:
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.part")
    draft.write_bytes(data)
    draft.replace(file)


def _installed() -> Iterator[Path]:
    import games

    for root in games.__path__:
        yield from (path.parent for path in sorted(Path(root).glob("*/manifest.toml")))
