"""What the page must know of the installed games: names and seats; and their client parts.

Only a package's client part is ever served: `view.js`, its help pages and `assets/`, each under
its SHA-256, which the page has from its gateway. Rules stay on servers and in this process.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import games
from paiju.packages.client_files import FOLDER, address, client_files, for_clients
from paiju.rules.registry import Registry


def client_part(package: str, folder: Path) -> dict[str, bytes]:
    """Address below the page -> content, of a package as it is installed."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {address(package, path, data): data for path, data in client_files(files).items()}


class Catalogue:
    """The installed packages, read once, and what was exported since.

    exported: the folder of `paiju package export`, where versions lie that came later; None: a
    new version's view comes with a new process, or from another web server.
    """

    def __init__(self, registry: Registry, exported: Path | None = None) -> None:
        self._registry = registry
        self._exported = exported
        self._files: dict[str, bytes] = {}
        for package in {registry.package_of(r.name) for r in registry.rule_sets()}:
            self._files |= client_part(package, _folder(package))

    def file(self, package: str, digest: str, name: str) -> bytes | None:
        """None for what there is not. Blocking when it lies in the folder."""
        found = self._files.get(f"{FOLDER}/{package}/{digest}/{name}")
        if found is not None or self._exported is None or not for_clients(name):
            return found
        folder = (self._exported / FOLDER).resolve()
        file = (folder / package / digest / name).resolve()
        if not file.is_relative_to(folder) or not file.is_file():
            return None
        data = file.read_bytes()
        return data if sha256(data).hexdigest() == digest else None

    def shown(self) -> list[dict[str, Any]]:
        """For `games.json`, in the order of the packages."""
        return [self._game(rule_set.name, rule_set.title) for rule_set in self._ordered()]

    def _ordered(self) -> list[Any]:
        return sorted(
            self._registry.rule_sets(), key=lambda found: self._registry.package_of(found.name)
        )

    def _game(self, name: str, title: Mapping[str, str]) -> dict[str, Any]:
        game = self._registry.latest(name)
        return {
            "name": name,
            "package": self._registry.package_of(name),
            "title": dict(title),
            "seats": [game.info.min_seats, game.info.max_seats],
        }


def _folder(package: str) -> Path:
    for root in games.__path__:
        found = Path(root) / package
        if found.is_dir():
            return found
    raise FileNotFoundError(package)
