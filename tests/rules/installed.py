"""The installed rule sets as the tests play them: cases, parameters, purses."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import resources
from pathlib import Path

from paiju.rules import cases
from paiju.rules.api import Game
from paiju.rules.registry import Registry

REGISTRY = Registry.default()
NAMES = [rule_set.name for rule_set in REGISTRY.rule_sets()]
SEATS_MAX = 12
OWN = Path(__file__).parent / "cases"
"""Cases of ours that no package ships: corners that cases and kit had not looked into."""


def variants(name: str) -> list[Game]:
    """The game with its defaults and with the parameters of each room, every one once."""
    rooms = [room.parameters for room in REGISTRY.rooms() if room.game == name]
    games = [REGISTRY.latest(name, parameters) for parameters in ({}, *rooms)]
    return list({game.id: game for game in games}.values())


def golden(name: str) -> list[cases.Case]:
    """The rule set's cases, from the files cases*.jsonl of its package and from OWN."""
    package = REGISTRY.package_of(name)
    with resources.as_file(resources.files(f"games.{package}")) as folder:
        files = [*sorted(folder.glob("cases*.jsonl")), *sorted(OWN.glob(f"{package}*.jsonl"))]
        found = [case for path in files for case in cases.read(path)]
    return [case for case in found if case["game"] == name]


def purses(number: int) -> Sequence[int] | None:
    """Score play, then small purses that cap what is won and lost, then large ones."""
    if number % 3 == 0:
        return None
    scale = 40 if number % 3 == 1 else 4000
    return [(number * 37 + seat * 101) % 25 * scale + 1 for seat in range(SEATS_MAX)]
