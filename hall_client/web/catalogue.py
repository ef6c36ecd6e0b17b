"""What the page must know of the installed games: names, seats, where their pages and views lie.

Only a package's client part is ever served: `view.js`, its help pages and `assets/`. Rules
stay on servers and in this process.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import games
from paiju.rules.registry import Registry

LOCALES = ("zh", "en")
VIEW = "view.js"


@dataclass(frozen=True)
class ClientPart:
    """The files of one package that browsers may have. tag: changes whenever one of them does."""

    package: str
    tag: str
    files: Mapping[str, bytes]

    @property
    def base(self) -> str:
        return f"p/{self.package}/{self.tag}/"


def client_part(package: str, folder: Path) -> ClientPart:
    """Read a package's client part from where it is installed."""
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and _for_clients(PurePosixPath(name)):
            files[name] = path.read_bytes()
    digest = hashlib.sha256()
    for name, content in files.items():
        digest.update(f"{name} {len(content)} ".encode() + content)
    return ClientPart(package, digest.hexdigest()[:16], files)


def _for_clients(name: PurePosixPath) -> bool:
    if len(name.parts) == 1:
        return name.name == VIEW or (name.suffix == ".md" and name.name.startswith("help."))
    return name.parts[0] == "assets"


class Catalogue:
    """The installed packages, read once, and the versions that came later (`add`).

    Files of older versions stay: a page that is open may still ask for them.
    """

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._parts: dict[str, ClientPart] = {}  # the newest
        self._versions: dict[str, str] = {}
        self._all: dict[tuple[str, str], ClientPart] = {}  # by package and tag
        for rule_set in registry.rule_sets():
            package = registry.package_of(rule_set.name)
            if package not in self._parts:
                self.add(package, registry.package_version(rule_set.name), _folder(package))

    def has(self, package: str, version: str) -> bool:
        """Whether this is the version that pages are told of."""
        return self._versions.get(package) == version

    def add(self, package: str, version: str, folder: Path) -> None:
        """From now on pages are told of this version, whose files lie in the folder."""
        part = client_part(package, folder)
        self._parts[package] = self._all[package, part.tag] = part
        self._versions[package] = version

    def file(self, package: str, tag: str, name: str) -> bytes | None:
        """None for what there is not, or not in this version."""
        part = self._all.get((package, tag))
        return part.files.get(name) if part is not None else None

    def packages(self) -> dict[str, dict[str, Any]]:
        """Of each package its version, and where its view and its help are."""
        return {
            package: {"version": self._versions[package], **_places(part)}
            for package, part in sorted(self._parts.items())
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
        return {
            "name": name,
            "package": self._registry.package_of(name),
            "title": dict(title),
            "seats": [game.info.min_seats, game.info.max_seats],
        }


def _places(part: ClientPart) -> dict[str, Any]:
    return {
        "view": part.base + VIEW if VIEW in part.files else None,
        "help": {
            locale: part.base + f"help.{locale}.md"
            for locale in LOCALES
            if f"help.{locale}.md" in part.files
        },
    }


def _folder(package: str) -> Path:
    for root in games.__path__:
        found = Path(root) / package
        if found.is_dir():
            return found
    raise FileNotFoundError(package)
