"""Metrics, alerts and runbooks: each against promtool and against a hall that runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import urllib.request
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from paiju.cli.local import LocalHall

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = ROOT / "deploy/prometheus/alerts.yml"
TESTS = ROOT / "deploy/prometheus/alerts_test.yml"
SERIES_MAX = 5_000

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is missing: Debian's package prometheus"
)


def promtool(*arguments: object, text: str | None = None) -> None:
    done = subprocess.run(
        ["promtool", *map(str, arguments)], input=text, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def alerts() -> list[dict[str, Any]]:
    return [r for g in yaml.safe_load(RULES.read_text())["groups"] for r in g["rules"]]


@needs_promtool
def test_the_alerts_fire_when_they_must_and_not_before() -> None:
    promtool("check", "config", "--syntax-only", ROOT / "deploy/prometheus/prometheus.yml")
    promtool("check", "rules", RULES)
    promtool("test", "rules", TESTS)


def test_every_alert_has_a_runbook_a_severity_and_a_test() -> None:
    tested = {
        test["alertname"]
        for group in yaml.safe_load(TESTS.read_text())["tests"]
        for test in group["alert_rule_test"]
        if test["exp_alerts"]
    }
    names = [alert["alert"] for alert in alerts()]
    assert len(names) == len(set(names)) >= 12
    assert tested == set(names)
    for alert in alerts():
        assert alert["labels"]["severity"] in ("page", "ticket", "none")
        page = ROOT / alert["annotations"]["runbook"]
        assert page.read_text().startswith(f"# {alert['alert']}\n")
    assert {page.stem for page in (ROOT / "docs/runbooks").glob("*.md")} == set(names)


async def test_what_a_running_hall_exposes(tmp_path: Path) -> None:
    async with LocalHall(data_dir=tmp_path / "hall") as hall:
        texts = {name: _get(url) for name, url in hall.metrics.items()}
    known: set[str] = set()
    for name, text in texts.items():
        series = [line for line in text.splitlines() if line and not line.startswith("#")]
        assert len(series) < SERIES_MAX, f"{name} has {len(series)} series"
        for family in text_string_to_metric_families(text):
            known.update(sample.name for sample in family.samples)
            known.add(family.name)
            for sample in family.samples:
                assert not {"player", "table", "session", "op"} & sample.labels.keys()
        if shutil.which("promtool"):
            promtool("check", "metrics", text=text)
    # A rule about a metric that is not there would be silent for ever.
    for alert in alerts():
        for metric in re.findall(r"paiju_[a-z_]+", alert["expr"]):
            assert metric in known, f"{alert['alert']}: nobody exposes {metric}"


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())
