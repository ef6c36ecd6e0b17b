"""What the page must know of the installed games: names, seats, where their pages and views lie.

Only a package's client part is ever served: `view.js`, its help pages and `assets/`, each under
its SHA-256. Rules stay on servers and in this process.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import games
from paiju.packages.client_files import FOLDER, VIEW, address, client_files
from paiju.rules.registry import Registry

LOCALES = ("zh", "en")


def client_part(package: str, folder: Path) -> dict[str, bytes]:
    """Address below the page -> content, of a package that lies in a folder."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
    return {address(package, path, data): data for path, data in client_files(files).items()}


class Catalogue:
    """The installed packages, read once, and the versions that came later (`add`).

    Files of older versions stay: a page that is open may still ask for them.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._newest: dict[str, list[str]] = {}  # package -> addresses
        self._versions: dict[str, str] = {}
        self._files: dict[str, bytes] = {}
        for rule_set in registry.rule_sets():
            package = registry.package_of(rule_set.name)
            if package not in self._versions:
                self.add(package, registry.package_version(rule_set.name), _folder(package))

    def has(self, package: str, version: str) -> bool:
        """Whether this is the version that pages are told of."""
        return self._versions.get(package) == version

    def add(self, package: str, version: str, folder: Path) -> None:
        """From now on pages are told of this version, whose files lie in the folder."""
        files = client_part(package, folder)
        self._files |= files
        self._newest[package] = list(files)
        self._versions[package] = version

    def file(self, package: str, digest: str, name: str) -> bytes | None:
        """None for what there is not, or not with that SHA-256."""
        return self._files.get(f"{FOLDER}/{package}/{digest}/{name}")

    def packages(self) -> dict[str, dict[str, Any]]:
        """Of each package its version, and where its view and its help are."""
        return {
            package: {"version": self._versions[package], **_places(addresses)}
            for package, addresses in sorted(self._newest.items())
        }

    def shown(self) -> list[dict[str, Any]]:
        """For `hall.json`, in the order of the packages."""
        return [self._game(rule_set.name, rule_set.title) for rule_set in self._ordered()]

    def _ordered(self) -> list[Any]:
        return sorted(
            self._registry.rule_sets(), key=lambda found: self._registry.package_of(found.name)
        )

    def _game(self, name: str, title: Mapping[str, str]) -> dict[str, Any]:
        game = self._registry.latest(name)
        package = self._registry.package_of(name)
        return {
            "name": name,
            "package": package,
            "title": dict(title),
            "seats": [game.info.min_seats, game.info.max_seats],
            **_places(self._newest[package]),
        }


def _places(addresses: Iterable[str]) -> dict[str, Any]:
    """Where the view is, and in which languages there is help."""
    by_path = {found.split("/", 3)[3]: found for found in addresses}
    helps = [locale for locale in LOCALES if f"help.{locale}.md" in by_path]
    return {"view": by_path.get(VIEW), "help": helps}


def _folder(package: str) -> Path:
    for root in games.__path__:
        found = Path(root) / package
        if found.is_dir():
            return found
    raise FileNotFoundError(package)
