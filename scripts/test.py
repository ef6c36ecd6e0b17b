"""Run the tests in parts: `make test`, or `python scripts/test.py [arguments of pytest]`.

Each part has a budget of seconds, measured on two cores; one that needs half as much again
is reported, so that the whole stays worth running. A path among the arguments runs that
path alone; every other argument goes to pytest in each part. Ends with the closing lines of
pytest and the sum of all parts.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parent.parent
TOLERANCE = 1.5
NOTHING_COLLECTED = 5
WORKERS = ["-n", "2", "--dist", "worksteal"]
_CLOSING = re.compile(r"^(=+ )?\d+ \w+.* in [\d.]+s")
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True)
class Part:
    """`paths` are patterns below tests/. What lies in `at_once` of them runs on two workers."""

    name: str
    budget_s: float
    paths: tuple[str, ...]
    at_once: tuple[str, ...] = ()


PARTS = (
    Part("rules", 150, ("rules", "unit/rules"), ("rules", "unit/rules")),
    Part("sealed", 60, ("sealed", "unit/sealed", "integration/sealed*")),
    Part("chaos+sim", 150, ("chaos", "sim"), ("sim",)),
    Part(
        *("packages", 60, ("packages", "unit/packages", "integration/packages*")),
        at_once=("packages", "unit/packages", "integration/packages"),
    ),
    Part("load", 40, ("load", "perf", "integration/load*")),
    Part(
        *("operate", 120, ("operate", "cluster", "integration/up*", "integration/supervisor*")),
        at_once=("operate", "integration/up"),
    ),
    Part("web", 180, ("web",)),
    Part("rest", 100, ("*",), ("unit", "compat", "acceptance", "integration")),
)


@dataclass
class Result:
    seconds: float = 0.0
    counts: dict[str, int] = field(default_factory=lambda: {"passed": 0, "failed": 0, "skipped": 0})
    closing: list[str] = field(default_factory=list)
    broken: bool = False
    """pytest itself did not get to its end."""

    def add(self, other: Result) -> None:
        self.seconds += other.seconds
        self.closing += other.closing
        self.broken |= other.broken
        for name, number in other.counts.items():
            self.counts[name] += number


def has_tests(path: Path) -> bool:
    if path.is_file():
        return path.name.startswith("test_") and path.suffix == ".py"
    return any(path.rglob("test_*.py"))


def claim(parts: Sequence[Part], tests: Path) -> dict[str, tuple[list[Path], list[Path]]]:
    """Part -> what runs on workers, what runs alone. No test is in two parts."""
    claimed: dict[str, tuple[list[Path], list[Path]]] = {}
    taken: set[Path] = set()
    for part in parts:
        at_once = {p for pattern in part.at_once for p in tests.glob(pattern)}
        found: list[Path] = []
        for pattern in part.paths:
            for path in sorted(tests.glob(pattern)):
                found += _without(path, taken)
        found = [path for path in found if has_tests(path)]
        taken.update(found)
        fast = [p for p in found if at_once & {p, *p.parents}]
        claimed[part.name] = (fast, [p for p in found if p not in fast])
    return claimed


def _without(path: Path, taken: set[Path]) -> list[Path]:
    """`path`, or what is left of it when parts of it are taken."""
    if path in taken:
        return []
    if not any(path in other.parents for other in taken):
        return [path]
    return [left for child in sorted(path.iterdir()) for left in _without(child, taken)]


def run(arguments: Iterable[str]) -> Result:
    """One pytest; its output goes through, its counts and closing line are kept."""
    result = Result()
    colour = "yes" if sys.stdout.isatty() else "no"
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [
            *(sys.executable, "-m", "pytest", f"--color={colour}", f"--junitxml={report}"),
            *("-o", "junit_logging=no", *arguments),
        ]
        with subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=_environment()
        ) as pytest:
            assert pytest.stdout is not None
            for line in pytest.stdout:
                sys.stdout.write(line)
                sys.stdout.flush()
                plain = _COLOUR.sub("", line).strip()
                if _CLOSING.match(plain):
                    result.closing = [plain]
        result.seconds = time.monotonic() - begun
        result.broken = pytest.returncode not in (0, 1, NOTHING_COLLECTED)
        failed = pytest.returncode == 1
        if report.exists():
            _count(report, result)
    result.broken |= failed and not result.counts["failed"]
    return result


def _environment() -> dict[str, str]:
    """The checkout first on the path, so that the tests see it and nothing installed."""
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": path}


def _count(report: Path, result: Result) -> None:
    for suite in ElementTree.parse(report).getroot().iter("testsuite"):
        total, failures, errors, skipped = (
            int(suite.get(name, "0")) for name in ("tests", "failures", "errors", "skipped")
        )
        # A test that passed and whose fixture failed at its end is one case, counted as failed.
        result.counts["failed"] += failures + errors
        result.counts["skipped"] += skipped
        result.counts["passed"] += max(0, total - failures - errors - skipped)


def main() -> int:
    arguments = sys.argv[1:]
    marker = "not soak"
    if "--soak" in arguments:
        arguments.remove("--soak")
        marker = "soak"
        os.environ.setdefault("PYTEST_TIMEOUT", "0")
    if "-m" not in arguments:
        arguments = ["-m", marker, *arguments]
    total = Result()
    lines: list[str] = []
    chosen = [a for a in arguments if (ROOT / a.split("::")[0]).exists()]
    if chosen:
        total.add(run(arguments))
    else:
        for part, (fast, alone) in zip(PARTS, claim(PARTS, ROOT / "tests").values(), strict=True):
            result = Result()
            for paths, workers in ((fast, WORKERS), (alone, [])):
                if paths:
                    relative = [str(path.relative_to(ROOT)) for path in paths]
                    print(f"\n--- {part.name}: {' '.join(relative)}", flush=True)
                    result.add(run([*workers, *arguments, *relative]))
            if not fast and not alone:
                continue
            total.add(result)
            over = result.seconds > TOLERANCE * part.budget_s
            lines.append(
                f"{part.name:<10} {result.seconds:7.1f} s of {part.budget_s:4.0f}"
                + ("   WARNING: half as much again as its budget" if over else "")
            )
    if lines:
        print("\n" + "\n".join(lines))
        print(f"{'together':<10} {total.seconds:7.1f} s\n")
    for line in total.closing:
        print(line)
    if total.broken:
        print("pytest itself failed, see above")
    counts = total.counts
    skipped = f", {counts['skipped']} skipped" if counts["skipped"] else ""
    print(f"total: {counts['passed']} passed, {counts['failed']} failed{skipped}")
    return 1 if total.broken or counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
