"""What the modules of a package may import: their own package, `paiju.rules`, and the pure
part of the standard library.

Rules read no clock, draw no random numbers, open no files. Whoever wants to cheat can; this
finds who did not know.
"""

from __future__ import annotations

import ast
import threading
from collections.abc import Iterator, Mapping

from paiju.packages.archive import BadPackage

PURE = frozenset(
    (
        *("__future__", "abc", "bisect", "collections", "contextlib", "copy", "dataclasses"),
        *("enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "math"),
        *("msgspec", "operator", "re", "statistics", "string", "struct", "textwrap", "types"),
        "typing",
    )
)
_parsing = threading.Lock()
_TEMPTING = frozenset({"__import__", "eval", "exec", "compile", "open", "input", "breakpoint"})


def check(name: str, modules: Mapping[str, str]) -> None:
    """BadPackage names module, line and what is wrong. modules: path -> source."""
    for module, source in modules.items():
        where = f"{name}/{module.replace('.', '/') or '__init__'}.py"
        try:
            tree = parse(source)
        except SyntaxError as error:
            raise BadPackage(f"{where}:{error.lineno}: {error.msg}") from None
        for line, imported in _imports(tree):
            if not _allowed(name, imported):
                raise BadPackage(
                    f"{where}:{line}: {imported} may not be imported; allowed are games.{name}, "
                    f"paiju.rules and the pure part of the standard library"
                )
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and node.id in _TEMPTING:
                raise BadPackage(f"{where}:{node.lineno}: {node.id} has no place in rules")


def parse(source: str) -> ast.Module:
    """`ast.parse`, one at a time: CPython 3.11 counts its depth for all threads together and
    fails with SystemError when two parse at once (gh-106905)."""
    with _parsing:
        return ast.parse(source)


def _imports(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.lineno, node.module or ""


def _allowed(name: str, imported: str) -> bool:
    for root in (f"games.{name}", "paiju.rules"):
        if imported == root or imported.startswith(f"{root}."):
            return True
    return imported.partition(".")[0] in PURE
