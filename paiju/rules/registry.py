"""The game packages that are installed, read from their manifests.

A package is a folder of the namespace `games` with a `manifest.toml`; a rule set's module is
imported when it is first asked for.
"""

from __future__ import annotations

import contextlib
import importlib
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import msgspec

from paiju.rules.api import Game

KEPT_GAMES = 512
"""With so many parameters a game is kept; what was not asked for longest is made anew."""


class UnknownGame(LookupError):
    """No installed package has that rule set, or not in that version."""


class BadManifest(ValueError):
    """Names the file and what is wrong in it."""


class RoomPreset(msgspec.Struct, frozen=True, kw_only=True):
    """A room that a package suggests. Amounts in units, times in milliseconds."""

    id: str
    title: dict[str, str]
    currency: str  # "coin" or "score"
    parameters: dict[str, int | bool | str] = {}
    buy_in_min: int = 0
    buy_in_max: int = 0
    buy_in_default: int = 0
    turn_ms: dict[str, int] = {}
    reserve_ms: int = 0
    seats: int = 0  # of a table; 0: as many as the game allows
    newcomers_continue: bool = False  # a match goes on when a seat changes hands
    game: str = ""  # filled in: the rule set it stands under


class RuleSet(msgspec.Struct, frozen=True, kw_only=True):
    """One game of a package. entry: "module:function", parameters -> Game."""

    name: str
    title: dict[str, str]
    entry: str
    cases: str = ""  # "module:mapping", operation -> function
    rooms: list[RoomPreset] = []


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """manifest.toml of a package."""

    name: str
    version: str
    sdk: str
    rule_sets: list[RuleSet]

    def rule_set_names(self) -> set[str]:
        return {rule_set.name for rule_set in self.rule_sets}


def _read(path: Path) -> Manifest:
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Manifest)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise BadManifest(f"{path}: {error}") from None


def _load(entry: str) -> Any:
    module, _, name = entry.partition(":")
    return getattr(importlib.import_module(module), name)


class Registry:
    """Games by name. Games are immutable and shared.

    resolve: package -> how its entries ("module:name") become things; for packages that are
    not named here they are imported.
    """

    def __init__(
        self,
        manifests: Iterable[Manifest],
        *,
        resolve: Mapping[str, Callable[[str], Any]] | None = None,
    ) -> None:
        self._resolve = dict(resolve or {})
        self._packages = {m.name: m for m in manifests}
        self._rule_sets = {r.name: (m, r) for m in self._packages.values() for r in m.rule_sets}
        self._games: OrderedDict[tuple[str, str], Game] = OrderedDict()

    @classmethod
    def default(cls) -> Registry:
        """The packages installed beside this program, in all folders of `games`."""
        try:
            folders = list(importlib.import_module("games").__path__)
        except ModuleNotFoundError:
            folders = []
        return cls(
            _read(path)
            for folder in folders
            for path in sorted(Path(folder).glob("*/manifest.toml"))
        )

    def packages(self) -> Sequence[Manifest]:
        return list(self._packages.values())

    def rule_sets(self) -> Sequence[RuleSet]:
        return [rule_set for _, rule_set in self._rule_sets.values()]

    def _entry(self, name: str) -> tuple[Manifest, RuleSet]:
        found = self._rule_sets.get(name)
        if found is None:
            known = ", ".join(sorted(self._rule_sets)) or "none"
            raise UnknownGame(f"no game {name!r} is installed (installed: {known})")
        return found

    def _thing(self, name: str, entry: str) -> Any:
        return self._resolve.get(self._entry(name)[0].name, _load)(entry)

    def package_of(self, name: str) -> str:
        """Name of the package that has the rule set."""
        return self._entry(name)[0].name

    def package_version(self, name: str) -> str:
        """Version of the package that has the rule set."""
        return self._entry(name)[0].version

    def latest(self, name: str, parameters: Mapping[str, Any] | None = None) -> Game:
        """For new tables. ValueError names a parameter that is unknown or out of range."""
        key = (name, msgspec.json.encode(parameters or {}, order="deterministic").decode())
        game = self._games.get(key)
        if game is None:
            make = self._thing(name, self._entry(name)[1].entry)
            game = self._games[key] = cast(Game, make(dict(parameters or {})))
            if len(self._games) > KEPT_GAMES:
                self._games.popitem(last=False)
        else:
            with contextlib.suppress(KeyError):  # another thread has dropped it
                self._games.move_to_end(key)
        return game

    def get(self, name: str, version: int, parameters: str) -> Game:
        """For running tables and replays: exactly that version of the rules."""
        game = self.latest(name, msgspec.json.decode(parameters) if parameters else {})
        if game.id.version != version:
            raise UnknownGame(f"{name} is installed in version {game.id.version}, not {version}")
        return game

    def case_operations(self, name: str) -> Mapping[str, Any]:
        """Operation -> function of the rule set's golden cases."""
        cases = self._entry(name)[1].cases
        return cast("Mapping[str, Any]", self._thing(name, cases)) if cases else {}

    def rooms(self) -> Sequence[RoomPreset]:
        """The rooms that the installed packages suggest."""
        return [
            msgspec.structs.replace(room, game=rule_set.name)
            for rule_set in self.rule_sets()
            for room in rule_set.rooms
        ]
