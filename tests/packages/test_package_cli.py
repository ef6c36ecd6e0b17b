"""`paiju package` as an author types it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.command import paiju, run


def test_from_a_copy_to_an_archive(tmp_path: Path) -> None:
    paiju("package", "new", "mygame", "--folder", str(tmp_path))
    folder = tmp_path / "mygame"
    assert "games.mygame.rules:" in (folder / "manifest.toml").read_text()
    shown = json.loads(paiju("package", "show", str(folder), "--json", "-"))
    assert shown["name"] == "mygame" and shown["rule_sets"][0] == "mygame"
    proof = json.loads(paiju("package", "test", str(folder), "--hands", "3", "--json", "-"))
    assert proof["failed"] == [] and proof["cases"] > 100
    one, two = tmp_path / "one.zip", tmp_path / "two.zip"
    for out in (one, two):
        paiju("package", "build", str(folder), "--out", str(out))
    assert one.read_bytes() == two.read_bytes()


def test_what_is_wrong_is_one_sentence(tmp_path: Path) -> None:
    for arguments, says in (
        (("new", "Bad-Name"), "no name of a package"),
        (("new", "fine", "--like", "nothing"), "no package 'nothing'"),
        (("show", str(tmp_path / "gone.zip")), "cannot be read"),
        (("build", str(tmp_path)), "has no files"),
    ):
        done = run("package", *arguments)
        assert done.returncode == 2 and says in done.stderr and "Traceback" not in done.stderr
