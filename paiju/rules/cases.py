"""Golden cases: questions to the rules with their one right answer, in JSON Lines.

A case that asks for an unknown game or operation, or lacks a field, fails; nothing crashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from paiju.rules.registry import Registry, UnknownGame


class BadCases(ValueError):
    """The file cannot be read as cases; names file, line and field."""


class Answer(NamedTuple):
    """What came of one case. got: the answer, or a sentence about why there is none."""

    id: str
    passed: bool
    expected: Any
    got: Any


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The cases of a file. BadCases."""
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise BadCases(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(lines, start=1):
        try:
            case = json.loads(line)
        except ValueError as error:
            raise BadCases(f"{path}, line {number}: no JSON: {error}") from None
        if not isinstance(case, dict):
            raise BadCases(f"{path}, line {number}: an object is needed")
        for field in ("id", "game", "op"):
            if not isinstance(case.get(field), str):
                raise BadCases(f"{path}, line {number}: field {field!r} (text) is needed")
        if "expect" not in case:
            raise BadCases(f"{path}, line {number}: field 'expect' is needed")
        yield case


def check(cases: Iterable[dict[str, Any]], registry: Registry) -> Iterator[Answer]:
    """One answer per case."""
    for case in cases:
        expected = case["expect"]
        try:
            operation = registry.case_operations(case["game"]).get(case["op"])
            if operation is None:
                raise LookupError(f"{case['game']} knows no operation {case['op']!r}")
            got = operation(case)
        except UnknownGame as error:
            yield Answer(case["id"], False, expected, str(error))
        except KeyError as error:
            yield Answer(case["id"], False, expected, f"field {error} is missing")
        except Exception as error:
            yield Answer(case["id"], False, expected, f"{type(error).__name__}: {error}")
        else:
            yield Answer(case["id"], _equal(case["op"], expected, got), expected, got)


def _equal(op: str, expected: Any, got: Any) -> bool:
    if op == "classify" and isinstance(expected, list) and isinstance(got, list):
        return sorted(map(_key, expected)) == sorted(map(_key, got))
    if op == "play" and isinstance(expected, dict) and isinstance(got, dict):
        if "illegal_at" in got and "illegal_at" not in expected:
            return False
        return all(name in got and _same(name, expected[name], got[name]) for name in expected)
    return bool(expected == got)


def _same(name: str, expected: Any, got: Any) -> bool:
    if name == "to_act":
        return sorted(expected) == sorted(got)
    return bool(expected == got)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
