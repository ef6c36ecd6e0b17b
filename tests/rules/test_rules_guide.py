"""The example of docs/rules-guide.md is a game: built from the page, it passes everything.

About 4 s.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import games
from paiju.rules import cases
from paiju.rules.api import CHANCE, Game
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng
from paiju.rules.testkit import measure_mixing, run_kit, run_light

PAGE = Path(__file__).parents[2] / "docs/rules-guide.md"
FENCE = re.compile(r"^```\w+ games/(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The package as the page shows it; fences of one file are its parts in order."""
    root = tmp_path_factory.mktemp("games")
    files: dict[str, str] = {"higher/__init__.py": ""}
    for name, text in FENCE.findall(PAGE.read_text("utf-8")):
        files[name] = f"{files[name]}\n\n{text}" if files.get(name) else text
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")
    games.__path__.append(str(root))
    yield root / "higher"
    games.__path__.remove(str(root))
    for module in [name for name in sys.modules if name.startswith("games.higher")]:
        del sys.modules[module]


@pytest.fixture(scope="module")
def game(folder: Path) -> Game:
    return Registry.default().latest("higher")


def test_the_page_holds_the_whole_package(folder: Path) -> None:
    found = {path.name for path in folder.iterdir()}
    assert found >= {"__init__.py", "manifest.toml", "rules.py", "cases.py", "cases.jsonl"}
    rooms = [room for room in Registry.default().rooms() if room.game == "higher"]
    assert [room.id for room in rooms] == ["higher.novice"]


def test_its_golden_cases_pass(folder: Path) -> None:
    answers = list(cases.check(cases.read(folder / "cases.jsonl"), Registry.default()))
    assert len(answers) >= 4 and all(answer.passed for answer in answers)


def test_it_passes_the_kit(game: Game) -> None:
    def purses(number: int) -> list[int] | None:
        return None if number % 2 else [3, 1, 0, 5, 2, 1]

    assert run_light(game, hands=200, seed="guide", wealth=purses).hands == 200
    report = run_kit(game, hands=40, seed="guide", deep_every=4, wealth=purses)
    assert report.worlds_differ >= 0.9 * report.worlds > 0
    assert report.patch_p95() <= 600
    assert measure_mixing(game, hands=40, seed="guide").worlds >= 1000


def test_its_bot_beats_random_players(game: Game) -> None:
    """Over 400 duplicate deals the bot in seat 0 wins more than a random player there."""
    won = {True: 0, False: 0}
    for deal in range(400):
        for thinks in won:
            chance, luck = ShakeRng(b"deal %d" % deal), ShakeRng(b"luck %d" % deal)
            state = game.new_state(3)
            while not state.is_terminal():
                (seat,) = state.to_act()
                legal = state.legal_actions(seat)
                if seat == CHANCE:
                    action = state.sample_chance(chance)
                elif seat == 0 and thinks:
                    action = state.hint(0)
                else:
                    action = legal[luck.below(len(legal))]
                state.apply(seat, action)
            won[thinks] += state.outcome().deltas[0]
    assert won[True] > won[False] + 100
