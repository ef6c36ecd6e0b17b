"""Small mistakes in a module's source: each possible change of one place, as `mutants` draws them.

Changed are operators, comparisons, constants and conditions; statements are dropped.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any

_TOLD = 70

_SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.And: ast.Or,
    ast.Or: ast.And,
}


def changes(tree: ast.Module) -> Iterator[tuple[int, str, Callable[[], None]]]:
    """(line, what, how) of each possible change, in the order of the source; in functions only."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from _of_statement(function)
            for node in _body(function):
                yield from _of_statement(node)
                yield from _of_expression(node)


def _body(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Nodes of its statements, without annotations, inner functions, and what only asserts."""
    waiting: list[ast.AST] = list(reversed(function.body))
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.Assert)) or _asserts_lengths(node):
            continue
        yield node
        for name, value in reversed(list(ast.iter_fields(node))):
            if name in ("annotation", "returns"):
                continue
            children = value if isinstance(value, list) else [value]
            waiting += [child for child in reversed(children) if isinstance(child, ast.AST)]


def _asserts_lengths(node: ast.AST) -> bool:
    """`strict=True` of a zip: an assertion, too."""
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _of_statement(node: ast.AST) -> Iterator[tuple[int, str, Callable[[], None]]]:
    for block in ("body", "orelse"):
        statements = getattr(node, block, None)
        if not isinstance(statements, list):
            continue
        for place, statement in enumerate(statements):
            called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
            if called or isinstance(statement, (ast.AugAssign, ast.Raise, ast.Continue, ast.Break)):

                def drop(at: int = place, among: list[ast.stmt] = statements) -> None:
                    among[at] = ast.copy_location(ast.Pass(), among[at])

                yield statement.lineno, f"dropped: {ast.unparse(statement)[:_TOLD]}", drop


def _of_expression(node: ast.AST) -> Iterator[tuple[int, str, Callable[[], None]]]:
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            if type(operator) in _SWAPS:
                yield _swap(node, node.ops, place)
    elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in _SWAPS:
        yield _swap(node, node, "op")
    elif isinstance(node, ast.Constant) and type(node.value) in (int, bool):

        def shift(at: ast.Constant = node) -> None:
            at.value = not at.value if isinstance(at.value, bool) else at.value + 1  # type: ignore[operator]

        yield node.lineno, f"constant {node.value} changed", shift
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):

        def turn(at: Any = node) -> None:
            at.test = ast.copy_location(ast.UnaryOp(ast.Not(), at.test), at.test)

        yield node.test.lineno, f"turned round: {ast.unparse(node.test)[:_TOLD]}", turn


def _swap(node: Any, holder: Any, key: Any) -> tuple[int, str, Callable[[], None]]:
    old = holder[key] if isinstance(holder, list) else getattr(holder, key)
    new = _SWAPS[type(old)]()

    def do() -> None:
        if isinstance(holder, list):
            holder[key] = new
        else:
            setattr(holder, key, new)

    what = f"{type(old).__name__} -> {type(new).__name__}: {ast.unparse(node)[:_TOLD]}"
    return node.lineno, what, do


def mutated(path: Path, number: int) -> CodeType:
    tree = ast.parse(path.read_text("utf-8"))
    for index, (_, _, change) in enumerate(changes(tree)):
        if index == number:
            change()
            return compile(ast.fix_missing_locations(tree), str(path), "exec")
    raise IndexError(number)
