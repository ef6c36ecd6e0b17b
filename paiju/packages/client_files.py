"""The files of a package that clients may have, and where browsers find them.

`view.js`, help pages and `assets/`; never rules or cases. A file lies under its own SHA-256, so
what is under an address never changes, any web server can carry it for ever, and whoever has been
told the hash by a gateway knows address and content at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath

VIEW = "view.js"
FOLDER = "p"


def for_clients(path: str) -> bool:
    name = PurePosixPath(path)
    if len(name.parts) == 1:
        return path == VIEW or (name.suffix == ".md" and path.startswith("help."))
    return name.parts[0] == "assets"


def client_files(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Of a package's files those that clients may have."""
    return {path: data for path, data in sorted(files.items()) if for_clients(path)}


def address(package: str, path: str, data: bytes) -> str:
    """Where a browser finds the file, below the page."""
    return f"{FOLDER}/{package}/{sha256(data).hexdigest()}/{path}"
