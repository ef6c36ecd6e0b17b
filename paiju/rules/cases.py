"""Golden cases: questions to the rules with their one right answer, in JSON Lines.

A case that asks for an unknown game or operation, or lacks a field, fails; nothing crashes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from paiju.rules.api import SPECTATOR
from paiju.rules.registry import Registry, UnknownGame


class BadCases(ValueError):
    """The file cannot be read as cases; names file, line and field."""


class Answer(NamedTuple):
    """What came of one case. got: the answer, or a sentence about why there is none.

    place: file and line, as far as known.
    """

    id: str
    passed: bool
    expected: Any
    got: Any
    place: str = ""


class Case(dict[str, Any]):
    """A case that knows its place, and which of its fields was looked at last."""

    def __init__(self, fields: Mapping[str, Any], place: str = "") -> None:
        super().__init__(fields)
        self.place = place
        self.looked_at = ""

    def __getitem__(self, field: str) -> Any:
        self.looked_at = field
        return super().__getitem__(field)

    def get(self, field: str, default: Any = None) -> Any:
        self.looked_at = field
        return super().get(field, default)


def read(path: Path) -> Iterator[Case]:
    """The cases of a file. BadCases."""
    lines_of: dict[str, int] = {}
    try:
        lines = path.read_text("utf-8").splitlines()
    except OSError as error:
        raise BadCases(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
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
        if case["id"] in lines_of:
            before = lines_of[case["id"]]
            raise BadCases(f"{path}, line {number}: field 'id' is the one of line {before}")
        lines_of[case["id"]] = number
        yield Case(case, f"{path}, line {number}")


def check(cases: Iterable[Mapping[str, Any]], registry: Registry) -> Iterator[Answer]:
    """One answer per case."""
    for fields in cases:
        case = fields if isinstance(fields, Case) else Case(fields)
        passed, got = False, None
        try:
            operation = registry.case_operations(case["game"]).get(case["op"])
            if operation is None:
                raise LookupError(f"{case['game']} knows no operation {case['op']!r}")
            got = operation(case)
            passed = _equal(case["op"], case["expect"], got)
        except UnknownGame as error:
            got = str(error)
        except KeyError as error:
            got = f"field {error} is missing"
        except Exception as error:
            got = f"field {case.looked_at!r}: {type(error).__name__}: {error}"
        yield Answer(case["id"], passed, case["expect"], got, case.place)


def told(case: Mapping[str, Any], game: Any, state: Any) -> dict[str, Any]:
    """What a `play` of any game may ask for beside its own fields: keys of the `view` that
    `viewer` has (a spectator, when the case names none), the lines that the viewer's list of
    actions has, as `listed`, and at the end `carry` and `next_first`.

    game, state: the package's own classes, whose actions are of a narrower type than the
    interface says."""
    asked, found, viewer = case["expect"], dict[str, Any](), case.get("viewer", SPECTATOR)
    if "view" in asked:
        found["view"] = json.loads(json.dumps(state.view(viewer)))
    if "listed" in asked:
        actions = state.legal_actions(viewer)
        found["listed"] = sorted(game.format(action) for action in actions)
    if state.is_terminal() and asked.keys() & {"carry", "next_first"}:
        outcome = state.outcome()
        found |= {"carry": dict(outcome.carry), "next_first": outcome.next_first}
    return found


def _equal(op: str, expected: Any, got: Any) -> bool:
    if op == "classify" and isinstance(expected, list) and isinstance(got, list):
        return sorted(map(_key, expected)) == sorted(map(_key, got))
    # Of a hand that is played only what the case names; a refusal always has a `code`, too.
    if op == "play" and isinstance(expected, dict) and isinstance(got, dict):
        if "illegal_at" in got and "illegal_at" not in expected:
            return False
        return all(name in got and _same(name, expected[name], got[name]) for name in expected)
    return bool(expected == got)


def _same(name: str, expected: Any, got: Any) -> bool:
    if name in ("to_act", "listed"):
        return sorted(expected) == sorted(got)
    if name == "view":
        return all(key in got and got[key] == expected[key] for key in expected)
    return bool(expected == got)


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
