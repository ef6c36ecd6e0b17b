"""Code of packages, several versions side by side.

A version lives under a module name of its own, `paiju_games.NAME_DIGEST`; absolute imports of
`games.NAME` inside it are turned to that name before compiling, so no version ever sees
another's modules. `unload` forgets it: the memory goes when the last table that uses it does.
"""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import linecache
import sys
import threading
import types
import typing
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from paiju.packages import imports
from paiju.packages.archive import Contents
from paiju.rules.registry import Registry

ROOT = "paiju_games"
_DIGITS = 16  # of the archive's SHA-256


class Loaded:
    """One version in memory. `resolve`: "games.NAME.module:thing" -> the thing."""

    def __init__(self, contents: Contents) -> None:
        self.contents = contents
        self.module = f"{ROOT}.{contents.name}_{contents.digest[:_DIGITS]}"

    def resolve(self, entry: str) -> Any:
        """Import what the manifest names. Whatever the package raises comes through."""
        dotted, _, name = entry.partition(":")
        own = f"games.{self.contents.name}"
        return getattr(importlib.import_module(self.module + dotted.removeprefix(own)), name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """Finds and runs the modules of all loaded versions. Owner: this module."""

    def __init__(self) -> None:
        self._sources: dict[str, tuple[str, str, bool]] = {}  # module -> own name, source, package

    def add(self, module: str, own: str, modules: Mapping[str, str]) -> None:
        folders = {""} | {name.rpartition(".")[0] for name in modules if "." in name}
        for name in folders | modules.keys():
            full = f"{module}.{name}" if name else module
            is_package = name in folders or not name
            self._sources[full] = (own, modules.get(name, ""), is_package)

    def remove(self, module: str) -> None:
        for name in self.below(module):
            self._sources.pop(name, None)

    def below(self, module: str) -> list[str]:
        return [n for n in self._sources if n == module or n.startswith(f"{module}.")]

    # ---- what the import system asks -------------------------------------------------------

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname == ROOT:
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        found = self._sources.get(fullname)
        if found is None:
            return None
        spec = importlib.machinery.ModuleSpec(
            fullname, self, origin=_file(fullname), is_package=found[2]
        )
        spec.has_location = True  # so that tracebacks show the source
        return spec

    def is_package(self, fullname: str) -> bool:
        return fullname == ROOT or self._sources[fullname][2]

    def get_source(self, fullname: str) -> str:
        return "" if fullname == ROOT else self._sources[fullname][1]

    def get_code(self, fullname: str) -> types.CodeType:
        if fullname == ROOT:
            return compile("", _file(ROOT), "exec")
        own, source, _ = self._sources[fullname]
        version = ".".join(fullname.split(".")[:2])
        tree = _Renamed(f"games.{own}", version).visit(imports.parse(source))
        return compile(ast.fix_missing_locations(tree), _file(fullname), "exec")


def _file(module: str) -> str:
    """Its name in tracebacks, for which `get_source` is asked."""
    return f"{module.replace('.', '/')}.py"


class _Renamed(ast.NodeTransformer):
    """`from games.NAME.x import y` -> `from VERSION.x import y`."""

    def __init__(self, own: str, version: str) -> None:
        self._own = own
        self._version = version

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST:
        if node.level == 0 and node.module is not None:
            node.module = self._name(node.module)
        return node

    def visit_Import(self, node: ast.Import) -> ast.AST:
        for alias in node.names:
            renamed = self._name(alias.name)
            if renamed != alias.name and alias.asname is None:
                raise ImportError(f"say `from {self._own} import ...` instead of import")
            alias.name = renamed
        return node

    def _name(self, module: str) -> str:
        if module == self._own or module.startswith(f"{self._own}."):
            return self._version + module[len(self._own) :]
        return module


_finder = _Finder()
_lock = threading.Lock()


def load(contents: Contents) -> Loaded:
    """Make a version importable; nothing of it runs before it is resolved. BadPackage."""
    modules = contents.modules()
    imports.check(contents.name, modules)
    loaded = Loaded(contents)
    with _lock:
        if _finder not in sys.meta_path:
            sys.meta_path.append(_finder)
        _finder.add(loaded.module, contents.name, modules)
    return loaded


def registry_of(loaded: Iterable[Loaded]) -> Registry:
    """The games of these versions; one version per package."""
    versions = list(loaded)
    return Registry(
        [version.contents.manifest for version in versions],
        resolve={version.contents.name: version.resolve for version in versions},
    )


def unload(loaded: Loaded) -> None:
    """Forget a version. Objects of it that are still in use go on working."""
    with _lock:
        for name in _finder.below(loaded.module):
            sys.modules.pop(name, None)
        _finder.remove(loaded.module)
        parent = sys.modules.get(ROOT)
        if parent is not None:
            vars(parent).pop(loaded.module.rpartition(".")[2], None)
        _clear_caches()
    importlib.invalidate_caches()


def _clear_caches() -> None:
    """Caches of code that stays may hold things of code that goes: those of the shared engines
    (decks and states as keys), of `typing` (`Base[State]`) and of tracebacks. They fill again."""
    for name, module in list(sys.modules.items()):
        if name.startswith("paiju.rules"):
            for value in list(vars(module).values()):
                clear = getattr(value, "cache_clear", None)
                if clear is not None:
                    clear()
    for clear in getattr(typing, "_cleanups", ()):
        clear()
    linecache.clearcache()
