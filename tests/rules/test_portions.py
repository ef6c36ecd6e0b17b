"""Long runs go on where they were, and count nothing that was not played to its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.rules.portions import LongRun, for_a_while, to_the_end


class Plays:
    """Remembers what was played; the portion `breaks` fails."""

    def __init__(self, breaks: int = -1) -> None:
        self.seeds: list[str] = []
        self.breaks = breaks

    def __call__(self, name: str, hands: int, seed: str) -> None:
        if seed.endswith(f" {self.breaks}"):
            raise AssertionError(seed)
        self.seeds.append(seed)


def run(folder: Path, plays: Plays, **more: Any) -> LongRun:
    usual = {"name": "doudizhu", "kind": "light", "hands": 40, "portion": 10, "sources": "a"}
    return LongRun(play=plays, folder=folder, **{**usual, **more})


def test_a_run_goes_on_behind_the_last_whole_portion(tmp_path: Path) -> None:
    first = Plays(breaks=2)
    with pytest.raises(AssertionError):
        to_the_end(run(tmp_path, first))
    assert first.seeds == ["light 0", "light 1"]
    second = Plays()
    again = run(tmp_path, second)
    assert again.played() == 20
    to_the_end(again)
    assert second.seeds == ["light 2", "light 3"]
    assert run(tmp_path, Plays()).finished()


def test_other_sources_kinds_and_sizes_begin_anew(tmp_path: Path) -> None:
    to_the_end(run(tmp_path, Plays()))
    for other in ({"sources": "b"}, {"kind": "watched"}, {"name": "gouji"}, {"portion": 20}):
        assert run(tmp_path, Plays(), **other).played() == 0


def test_a_line_that_was_cut_off_does_not_count(tmp_path: Path) -> None:
    to_the_end(run(tmp_path, Plays()))
    file = tmp_path / "portions.jsonl"
    file.write_text(file.read_text()[:-5])
    left = Plays()
    to_the_end(run(tmp_path, left))
    assert left.seeds == ["light 3"]
    assert run(tmp_path, Plays()).finished()


def test_the_one_that_is_least_far_goes_first(tmp_path: Path) -> None:
    plays, other = Plays(), Plays()
    runs = [run(tmp_path, plays), run(tmp_path, other, name="gouji", hands=20)]
    runs[0].go_on()
    for_a_while(runs, 10)
    assert all(one.finished() for one in runs)
    assert len(plays.seeds) == 4 and len(other.seeds) == 2
    for_a_while([run(tmp_path, plays, sources="c")], 0)
    assert len(plays.seeds) == 4
