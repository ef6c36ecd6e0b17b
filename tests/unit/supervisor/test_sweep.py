"""What the dead left below /tmp goes; what anybody may still need stays."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from game_server.supervisor import sweep
from game_server.supervisor.folders import write_json
from game_server.supervisor.leftovers import LIST, Record, started_at


def _folder(tmp_path: Path, name: str, **changed: Any) -> Path:
    """A folder that this process owns, unless its mark is changed."""
    folder = tmp_path / f"paiju-{name}"
    folder.mkdir()
    sweep.claim(folder)
    owner = json.loads((folder / sweep.OWNER).read_text())
    write_json(folder / sweep.OWNER, {**owner, **changed})
    return folder


@pytest.fixture
def dead() -> dict[str, int]:
    """A pid under which nothing runs that began at that moment."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    found = {"pid": process.pid, "started": started_at(process.pid)}
    process.communicate(b"")
    return found


def test_only_folders_of_the_provably_dead_go(tmp_path: Path, dead: dict[str, int]) -> None:
    here = sweep._place()["machine"]
    host = here.rpartition("/")[0]
    stay = [
        _folder(tmp_path, "alive"),
        _folder(tmp_path, "other-machine", **dead, machine=f"elsewhere/{here}"),
        _folder(tmp_path, "other-pids", **dead, pids="pid:[1]"),
        _folder(tmp_path, "unknown-start", **{**dead, "started": 0}),
    ]
    torn = _folder(tmp_path, "torn")
    (torn / sweep.OWNER).write_text("{")
    silent = tmp_path / "paiju-silent"
    silent.mkdir()
    link = tmp_path / "paiju-link"
    gone = [
        _folder(tmp_path, "before-boot", machine=f"{host}/another-boot"),
        _folder(tmp_path, "dead", **dead),
    ]
    target = _folder(tmp_path, "x", **dead).rename(tmp_path / "elsewhere")
    link.symlink_to(target)
    assert sweep.sweep(tmp_path) == gone
    assert not any(folder.exists() for folder in gone)
    assert all(folder.exists() for folder in [*stay, torn, silent, link, target])


def test_a_pid_that_was_given_out_again_is_somebody_else(tmp_path: Path) -> None:
    folder = _folder(tmp_path, "reused", started=started_at(1) + 10**9)
    assert sweep.sweep(tmp_path) == [folder]


def test_children_that_still_end_keep_their_folder(tmp_path: Path, dead: dict[str, int]) -> None:
    folder = _folder(tmp_path, "ending", **dead)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    Record(folder).add(child.pid, "game-server")
    assert sweep.sweep(tmp_path) == []
    child.communicate(b"")
    assert (folder / LIST).exists()
    assert sweep.sweep(tmp_path) == [folder]
