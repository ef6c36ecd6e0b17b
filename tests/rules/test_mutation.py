"""Would a small mistake in the rules be noticed? (`mutants` makes them.)

In CI only that the tool works, about 15 s; in soak 200 mutants, of which at least 93 % are
caught. Not counted are those that equivalent_mutants.toml shows to be no mistakes.
"""

from __future__ import annotations

import ast

import pytest

from tests.rules import mutants, mutations
from tests.rules.installed import NAMES

SOURCE = """
def f(a: int, b: int = 3) -> int:
    if a < b and a != 7:
        raise ValueError
    g(a)
    a += 1
    return a + b
"""


def test_each_change_is_one_small_mistake() -> None:
    whole = ast.unparse(ast.parse(SOURCE)).splitlines()
    found = []
    for number in range(len(list(mutations.changes(ast.parse(SOURCE))))):
        tree = ast.parse(SOURCE)
        line, what, change = list(mutations.changes(tree))[number]
        change()
        other = ast.unparse(ast.fix_missing_locations(tree)).splitlines()
        differing = [i for i, (x, y) in enumerate(zip(whole, other, strict=True), 1) if x != y]
        assert differing == [line - 1], what  # the source begins with an empty line
        found.append(what.split(":")[0])
    assert sorted(found) == sorted(
        [
            *("turned round", "And -> Or", "Lt -> LtE", "NotEq -> Eq", "constant 7 changed"),
            *("dropped", "dropped", "dropped", "Add -> Sub", "constant 1 changed", "Add -> Sub"),
        ]
    )


def test_mistakes_are_caught_and_the_rules_as_they_are_pass() -> None:
    drawn = mutants.draw(["doudizhu"], 4, seed=5)
    assert drawn == mutants.draw(["doudizhu"], 4, seed=5)
    reasons = [mutants.caught(mutant, hands=1, limit_s=20) for mutant in drawn]
    assert sum(reason is not None for reason in reasons) >= 2, reasons
    assert mutants.caught(drawn[0]._replace(number=-1), hands=1) is None


def test_the_mutants_that_are_no_mistakes_are_those_of_today() -> None:
    """A reason that nothing in the sources belongs to any more is to be dropped."""
    for path, line, what in mutants.equivalents():
        text = (mutants.ROOT / path).read_text("utf-8")
        lines = [number for number, one in enumerate(text.splitlines(), 1) if one.strip() == line]
        possible = {(n, said) for n, said, _ in mutations.changes(ast.parse(text))}
        assert any((number, what) in possible for number in lines), (path, line, what)


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_200_mutants() -> None:
    drawn, survivors = mutants.check(NAMES, 200, seed=1)
    real = mutants.mistakes(survivors)
    for mutant in real:
        print(f"survived: {mutant.path}:{mutant.line} {mutant.what}")
    assert len(real) <= 0.07 * (drawn - len(survivors) + len(real)), real
