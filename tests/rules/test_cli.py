"""`paiju rules`: what it prints, writes and how it ends."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

import games.doudizhu
from paiju.cli.rules import app
from paiju.rules import record
from tests.rules.test_sdk import _record

CASES = str(Path(games.doudizhu.__file__).parent / "cases.jsonl")
run = CliRunner().invoke


def test_check_ends_zero_only_if_all_pass(tmp_path: Path) -> None:
    good = run(app, ["check", CASES, "--json", "-"])
    assert good.exit_code == 0
    assert json.loads(good.stdout) == {"total": 494, "passed": 494, "failed": []}
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text('{"id":"w-1","game":"doudizhu","op":"classify","cards":"3s","expect":[]}\n')
    bad = run(app, ["check", CASES, str(wrong), "--json", str(tmp_path / "out.json")])
    assert bad.exit_code == 1
    assert "wrong.jsonl, line 1" in bad.output.replace("\n", "")
    assert "w-1" in bad.output and "expected []" in bad.output and "single" in bad.output
    assert json.loads((tmp_path / "out.json").read_text())["failed"] == ["w-1"]


def test_a_file_that_is_no_cases_is_named(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text("{}\n")
    result = run(app, ["check", str(path)])
    assert result.exit_code == 2 and "line 1" in result.output
    assert run(app, ["check", str(tmp_path / "none.jsonl")]).exit_code == 2


def test_replay_and_verify(tmp_path: Path) -> None:
    made = _record()
    path = tmp_path / "hands.jsonl"
    path.write_bytes(record.encode(made) + b"\n" + record.encode(made) + b"\n")
    replayed = run(app, ["replay", str(path), "--json", "-"])
    assert [hand["deltas"] for hand in json.loads(replayed.stdout)] == [made.outcome.deltas] * 2
    assert run(app, ["verify", str(path)]).exit_code == 0
    doctored = json.loads(record.encode(made)) | {"hand": 9}
    path.write_text(json.dumps(doctored))
    refused = run(app, ["verify", str(path), "--json", "-"])
    assert refused.exit_code == 1
    assert json.loads(refused.stdout)["proved"] == 0


def test_bench_reports_what_it_measured() -> None:
    result = run(app, ["bench", "doudizhu", "--seconds", "0.2", "--json", "-"])
    figures = json.loads(result.stdout)
    assert figures["game"] == "doudizhu" and figures["playouts_per_s"] > 0
    assert set(figures) == {
        *("game", "playouts_per_s", "actions_per_s"),
        *("legal_us", "apply_us", "view_us"),
    }
    assert run(app, ["bench", "nope"]).exit_code == 2
