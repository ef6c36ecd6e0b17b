"""Mutants of the rules: would cases and kit notice a small mistake?

    python -m tests.rules.mutants --count 200 --seed 1

takes the rule modules (packages of `games`, engines of `paiju.rules`) without bots, texts and
cases, finds out which lines cases and kit execute, and draws mutants of them: another
operator, comparison or constant, a condition turned round, a statement dropped. Each is put in
place of its module in a process of its own, which runs the golden cases and a short kit of a
rule set that executes the line. A mutant is caught if that fails or does not end.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.util
import json
import random
import resource
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

from paiju.rules import cases
from paiju.rules.testkit import measure_mixing, run_kit, run_light
from tests.rules.installed import NAMES, REGISTRY, golden, purses, variants

ROOT = Path(__file__).resolve().parents[2]
NO_RULES = {"bot", "bots", "cases", "hints", "messages", "titles", "__init__"}
ENGINES_LEFT_OUT = {"testkit"}
LIMIT_S = 180
"""Seconds of processor time, however busy the machine is; so much longer it may take at most."""
_PATIENCE = 10
MEMORY = 2 << 30
"""Bytes of a process: some mutants build up lists for ever."""
DEALS = 20
"""So many show every card once in a game that deals few."""
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


class Mutant(NamedTuple):
    """number: which of the module's possible changes. rule_sets: those that execute the line."""

    path: str
    number: int
    line: int
    what: str
    rule_sets: tuple[str, ...]


# ---- making mutants ------------------------------------------------------------------------------


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


# ---- drawing them --------------------------------------------------------------------------------


def rule_modules(package: str) -> list[Path]:
    """What the rule sets of a package import of packages and engines, except through a bot."""
    manifest = tomllib.loads((ROOT / "games" / package / "manifest.toml").read_text("utf-8"))
    waiting = [rule_set["entry"].partition(":")[0] for rule_set in manifest["rule_sets"]]
    found: set[Path] = set()
    while waiting:
        path = _source(waiting.pop())
        if path is None or path in found or path.stem in NO_RULES - {"__init__"}:
            continue
        found.add(path)
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                waiting += [node.module, *(f"{node.module}.{name.name}" for name in node.names)]
    return sorted(path for path in found if path.stem != "__init__")


def _source(module: str) -> Path | None:
    """Of a module of a package or an engine; None for everything else."""
    path = ROOT / module.replace(".", "/")
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    inside = path.parent.parent in (ROOT / "games", ROOT / "paiju/rules")
    return path if inside and path.is_file() and path.parent.name not in ENGINES_LEFT_OUT else None


def executed(name: str) -> dict[str, list[int]]:
    """Module path -> lines that cases and kit run, in a process whose caches are empty."""
    done = _python("--lines", name)
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: dict[str, list[int]] = json.loads(done.stdout)
    return found


def _lines(name: str) -> dict[str, list[int]]:
    lines: dict[str, set[int]] = {
        str(path): set() for path in rule_modules(REGISTRY.package_of(name))
    }

    def enter(frame: FrameType, event: str, argument: object) -> Any:
        found = lines.get(frame.f_code.co_filename)
        if found is None:
            return None

        def step(inner: FrameType, what: str, value: object) -> Any:
            found.add(inner.f_lineno)
            return step

        return step

    sys.settrace(enter)
    try:
        examine(name, hands=1)
    finally:
        sys.settrace(None)
    return {path: sorted(found) for path, found in lines.items()}


def _python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.rules.mutants", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S * _PATIENCE,
    )


def draw(names: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants of executed lines, spread evenly over the rule sets' own lines."""
    luck = random.Random(seed)
    runs: dict[str, dict[int, set[str]]] = {}
    for name in names:
        for path, lines in executed(name).items():
            for line in lines:
                runs.setdefault(path, {}).setdefault(line, set()).add(name)
    possible = []
    for path, by_line in sorted(runs.items()):
        tree = ast.parse(Path(path).read_text("utf-8"))
        for number, (line, what, _) in enumerate(changes(tree)):
            if line in by_line:
                relative = str(Path(path).relative_to(ROOT))
                possible.append(Mutant(relative, number, line, what, tuple(sorted(by_line[line]))))
    return luck.sample(possible, min(count, len(possible)))


# ---- catching them -------------------------------------------------------------------------------


def examine(name: str, *, hands: int) -> None:
    """Cases, then the kit; AssertionError or whatever a wrong rule raises."""
    for answer in cases.check(golden(name), REGISTRY):
        assert answer.passed, f"case {answer.id}: {answer.got}"
    for game in variants(name):
        run_light(game, hands=10 * hands, seed="mutant", wealth=purses)
        run_kit(game, hands=hands, seed="mutant", wealth=purses, deep_every=3, viewers=1)
    deals = max(hands, DEALS)
    measure_mixing(REGISTRY.latest(name), hands=deals, seed="mutant", worlds=3)


def caught(mutant: Mutant, *, hands: int = 20) -> str | None:
    """Why it was noticed; None for a survivor."""
    for name in mutant.rule_sets:
        try:
            done = _python("--run", json.dumps([mutant.path, mutant.number, name, hands]))
        except subprocess.TimeoutExpired:
            return f"{name}: does not end"
        if done.returncode < 0:
            return f"{name}: does not end ({signal.Signals(-done.returncode).name})"
        if done.returncode:
            return f"{name}: {(done.stderr.strip().splitlines() or [''])[-1][:100]}"
    return None


class _Instead(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from other code."""

    def __init__(self, name: str, code: CodeType) -> None:
        self.name, self.code = name, code

    def find_spec(self, name: str, path: object, target: object = None) -> Any:
        return importlib.util.spec_from_loader(name, self) if name == self.name else None

    def exec_module(self, module: ModuleType) -> None:
        module.__file__ = self.code.co_filename
        exec(self.code, module.__dict__)


def _run(given: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
    path, number, name, hands = json.loads(given)
    if number >= 0:
        module = path.removesuffix(".py").replace("/", ".")
        for loaded in [m for m in sys.modules if m.startswith("games.") or m == module]:
            del sys.modules[loaded]
        sys.meta_path.insert(0, _Instead(module, mutated(ROOT / path, number)))
    examine(name, hands=hands)


def check(names: Sequence[str], count: int, seed: int) -> tuple[int, list[Mutant]]:
    """(how many were drawn, the survivors), told on standard error as it goes."""
    drawn, survivors = draw(names, count, seed), []
    for index, mutant in enumerate(drawn, start=1):
        why = caught(mutant)
        if why is None:
            survivors.append(mutant)
        where = f"{mutant.path}:{mutant.line}"
        print(f"{index}/{len(drawn)} {where} {mutant.what}: {why or 'SURVIVED'}", file=sys.stderr)
    return len(drawn), survivors


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", help="default: every rule set")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--lines", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        _run(given.run)
        return 0
    if given.lines:
        print(json.dumps(_lines(given.lines)))
        return 0
    names = given.game or NAMES
    drawn, survivors = check(names, given.count, given.seed)
    print(f"{drawn} mutants, {drawn - len(survivors)} caught")
    for mutant in survivors:
        print(f"  {mutant.path}:{mutant.line} {mutant.what}")
    print(dict(Counter(mutant.path for mutant in survivors)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
