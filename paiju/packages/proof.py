"""What a version must pass before anybody is offered it: its golden cases and the kit."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from paiju.packages.archive import BadPackage, Contents
from paiju.packages.loader import Loaded, load, registry_of, unload
from paiju.rules import cases as golden
from paiju.rules.registry import Registry
from paiju.rules.testkit import Violation, run_kit

HANDS = 50


@dataclass
class Proof:
    """`failed`: one sentence per case or promise that does not hold."""

    cases: int = 0
    hands: int = 0
    failed: list[str] = field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not self.failed


def prove(
    contents: Contents, *, hands: int = HANDS, tell: Callable[[str], None] = lambda _: None
) -> Proof:
    """Load a version, ask it everything, forget it. BadPackage if it cannot be loaded.

    hands: random ones per rule set; 0: only its cases, and whether its rooms can be made.
    """
    loaded = load(contents)
    try:
        return _prove(loaded, hands=hands, tell=tell)
    finally:
        unload(loaded)


def _prove(loaded: Loaded, *, hands: int, tell: Callable[[str], None]) -> Proof:
    registry, proof = registry_of([loaded]), Proof()
    _check_cases(loaded.contents, registry, proof)
    tell(f"{proof.cases} cases, {len(proof.failed)} failed")
    for rule_set in loaded.contents.manifest.rule_sets:
        try:
            for parameters in ({}, *(room.parameters for room in rule_set.rooms)):
                registry.latest(rule_set.name, parameters)
            kit = registry.latest(rule_set.name)
            played = run_kit(kit, hands=hands, seed="package").hands if hands else 0
        except Violation as violation:
            proof.failed.append(f"{rule_set.name}: {violation}")
        except Exception as error:
            proof.failed.append(f"{rule_set.name}: {type(error).__name__}: {error}")
        else:
            proof.hands += played
        tell(f"{rule_set.name}: {hands} random hands")
    return proof


def _check_cases(contents: Contents, registry: Registry, proof: Proof) -> None:
    for path in sorted(contents.files):
        if not path.endswith(".jsonl"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / Path(path).name
            file.write_bytes(contents.files[path])
            try:
                answers = list(golden.check(golden.read(file), registry))
            except golden.BadCases as error:
                raise BadPackage(str(error)) from None
        proof.cases += len(answers)
        proof.failed += [
            f"case {answer.id}: expected {answer.expected}, got {answer.got}"
            for answer in answers
            if not answer.passed
        ]
    if not proof.cases:
        proof.failed.append("there are no golden cases: a package says what is right")
