"""Mutants of the rules: would cases and kit notice a small mistake?

    python -m tests.rules.mutants --count 200 --seed 1

takes the rule modules (packages of `games`, engines of `paiju.rules`) without bots, texts and
cases, finds out which lines cases and kit execute, and draws mutants of them: another
operator, comparison or constant, a condition turned round, a statement dropped. Each is put in
place of its module in a process of its own, which runs the golden cases and a short kit of a
rule set that executes the line. A mutant is caught if that fails or does not end. Of survivors
it is told whether the unit tests notice them.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import importlib.abc
import importlib.util
import json
import resource
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any, NamedTuple

import pytest

from paiju.rules import cases
from paiju.rules.testkit import measure_mixing, run_kit, run_light
from tests.rules.installed import NAMES, REGISTRY, golden, purses, variants
from tests.rules.mutations import changes, mutated

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


class Mutant(NamedTuple):
    """number: which of the module's possible changes. rule_sets: those that execute the line."""

    path: str
    number: int
    line: int
    what: str
    rule_sets: tuple[str, ...]


def equivalents() -> dict[tuple[str, str, str], str]:
    """(path, source line, what) -> why that mutant is no mistake."""
    listed = tomllib.loads(Path(__file__).with_name("equivalent_mutants.toml").read_text("utf-8"))
    return {(m["path"], m["line"], m["what"]): m["reason"] for m in listed["mutant"]}


def mistakes(survivors: Sequence[Mutant]) -> list[Mutant]:
    """Those of the survivors that are not listed as equivalent."""
    known = equivalents()
    return [m for m in survivors if (m.path, source_line(m), m.what) not in known]


def source_line(mutant: Mutant) -> str:
    return (ROOT / mutant.path).read_text("utf-8").splitlines()[mutant.line - 1].strip()


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


@lru_cache
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
    """So many mutants of executed lines, spread evenly over the rule sets' own lines.

    Each has a lot of its own, and the lowest are taken: a change of one line, or a new case
    that executes another one, exchanges few of them.
    """
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
    twins: Counter[tuple[str, str, str]] = Counter()
    lots = []
    for mutant in possible:
        named = (mutant.path, source_line(mutant), mutant.what)
        lots.append(_lot(seed, *named, str(twins[named])))
        twins[named] += 1
    drawn = sorted(range(len(possible)), key=lots.__getitem__)[:count]
    return [possible[index] for index in drawn]


def _lot(seed: int, *named: str) -> bytes:
    return hashlib.blake2b("\0".join((str(seed), *named)).encode(), digest_size=16).digest()


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


def caught(mutant: Mutant, *, hands: int = 20, limit_s: int = LIMIT_S) -> str | None:
    """Why it was noticed; None for a survivor."""
    for name in mutant.rule_sets:
        asked = json.dumps([mutant.path, mutant.number, limit_s, name, hands])
        try:
            done = _python("--run", asked)
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
    path, number, limit_s, name, hands = json.loads(given)
    _put_in_place(path, number, limit_s)
    examine(name, hands=hands)


def _put_in_place(path: str, number: int, limit_s: int) -> None:
    """Whoever imports the module from now on gets the mutant."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    if number >= 0:
        module = path.removesuffix(".py").replace("/", ".")
        for loaded in [m for m in sys.modules if m.startswith("games.") or m == module]:
            del sys.modules[loaded]
        sys.meta_path.insert(0, _Instead(module, mutated(ROOT / path, number)))


def caught_by_tests(mutant: Mutant) -> bool:
    """Whether the unit tests of the packages that use the module notice it."""
    packages = {f"games.{REGISTRY.package_of(name)}" for name in mutant.rule_sets}
    files = [
        str(path)
        for path in sorted(Path(__file__).parent.glob("test_*.py"))
        if any(package in path.read_text("utf-8") for package in packages)
    ]
    try:
        return bool(_python("--tests", json.dumps([mutant.path, mutant.number, files])).returncode)
    except subprocess.TimeoutExpired:
        return True


def _test(given: str) -> int:
    path, number, files = json.loads(given)
    _put_in_place(path, number, LIMIT_S)
    return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", "not soak", *files]))


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


def _why(mutant: Mutant) -> str:
    """What there is to say of a survivor."""
    reason = equivalents().get((mutant.path, source_line(mutant), mutant.what))
    if reason is not None:
        return f"no mistake: {reason}"
    return "unit tests notice it" if caught_by_tests(mutant) else "nothing notices it"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--game", action="append", help="default: every rule set")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--tests", help=argparse.SUPPRESS)
    parser.add_argument("--lines", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run:
        _run(given.run)
        return 0
    if given.tests:
        return _test(given.tests)
    if given.lines:
        print(json.dumps(_lines(given.lines)))
        return 0
    names = given.game or NAMES
    drawn, survivors = check(names, given.count, given.seed)
    real = mistakes(survivors)
    alike = len(survivors) - len(real)
    print(f"{drawn} mutants, {alike} no mistakes, {drawn - len(survivors)} of the others caught")
    for mutant in survivors:
        print(f"  {mutant.path}:{mutant.line} {mutant.what}: {_why(mutant)}")
    print(dict(Counter(mutant.path for mutant in survivors)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
