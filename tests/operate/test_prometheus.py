"""Metrics, alerts, runbooks, dashboards: against promtool and against a hall that runs."""

from __future__ import annotations

import asyncio
import json
import os
import re
import runpy
import shutil
import signal
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from hall_client.bots.mind import GameMind
from hall_client.load.driver import Driver, LoadPlan
from paiju.cli.local import LocalHall, free_ports
from paiju.rules.registry import Registry

ROOT = Path(__file__).resolve().parent.parent.parent
RULES = ROOT / "deploy/prometheus/alerts.yml"
TESTS = sorted((ROOT / "deploy/prometheus").glob("alerts*_test.yml"))
BOARDS = ROOT / "deploy/grafana/dashboards"
SERIES_MAX = 5_000
CHAOS = {
    panel.title
    for board in runpy.run_path(str(ROOT / "deploy/grafana/panels.py"))["BOARDS"]
    for row in board.rows
    for panel in row.panels
    if any(query.chaos for query in panel.queries)
}
"""Panels of which a query has series only after something has failed; `make soak` makes it fail."""

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
    promtool("test", "rules", *TESTS)


def test_every_alert_has_a_runbook_a_severity_and_a_test() -> None:
    tested = {
        test["alertname"]
        for file in TESTS
        for group in yaml.safe_load(file.read_text())["tests"]
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


def test_dashboards_and_alerts_are_built_from_their_sources() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts/watching.py", "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"Commands refused, by code"} == CHAOS
    assert {path.stem for path in BOARDS.glob("*.json")} == {
        *("cluster", "game-server", "data-server", "game", "business")
    }


@needs_promtool
def test_promtool_understands_every_query(tmp_path: Path) -> None:
    """As recording rules, in one file: promtool 2.42 parses no single expression offline."""
    rules = [{"record": f"q:{n}", "expr": expr} for n, (_, _, expr) in enumerate(queries())]
    assert len(rules) > 60
    file = tmp_path / "queries.yml"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    promtool("check", "rules", file)


def queries() -> Iterator[tuple[str, str, str]]:
    """(dashboard, panel, expression) of all; Grafana's variables hold everything."""
    for path in sorted(BOARDS.glob("*.json")):
        for panel in json.loads(path.read_text())["panels"]:
            for target in panel.get("targets", ()):
                expr = target["expr"].replace("$__rate_interval", "10s")
                yield path.stem, panel["title"], re.sub(r"\$(instance|game)", ".*", expr)


@contextmanager
def prometheus(folder: Path, metrics: dict[str, str], *, alertmanager: str = "") -> Iterator[str]:
    """A real one that scrapes them each second by the shipped configuration; its address."""
    folder.mkdir()
    config = yaml.safe_load((ROOT / "deploy/prometheus/prometheus.yml").read_text())
    config["global"] = {
        name: "1s" for name in ("scrape_interval", "scrape_timeout", "evaluation_interval")
    }
    (folder / "prometheus.yml").write_text(yaml.safe_dump(config))
    shutil.copy(RULES, folder)
    (folder / "targets").mkdir()
    for program in ("data-server", "game-server"):
        targets = [urllib.parse.urlsplit(metrics[program]).netloc]
        file = folder / f"targets/{program}s.json"
        file.write_text(json.dumps([{"targets": targets}]))
    receivers = [{"targets": [alertmanager]}] if alertmanager else []
    (folder / "targets/alertmanagers.json").write_text(json.dumps(receivers))
    address = f"127.0.0.1:{free_ports(0, 1, '')}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                *("prometheus", f"--config.file={folder / 'prometheus.yml'}"),
                *(f"--storage.tsdb.path={folder / 'data'}", f"--web.listen-address={address}"),
            ],
            stdout=log,
            stderr=log,
        )
        try:
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(10)


def ask(address: str, expr: str) -> list[Any]:
    """The series that the query returns now; none while it does not answer."""
    question = urllib.parse.urlencode({"query": expr})
    try:
        answer = json.loads(_get(f"{address}/api/v1/query?{question}"))
    except OSError:
        return []
    assert answer["status"] == "success", answer
    found: list[Any] = answer["data"]["result"]
    return found


def plan_of(hall: LocalHall, *, deadline_s: float = 60) -> LoadPlan:
    return LoadPlan(
        gateways=tuple(hall.gateways),
        server_keys=hall.server_keys,
        room="doudizhu.novice",
        players=3,
        hands=2,
        drops=0,
        seed=1,
        deadline_s=deadline_s,
    )


async def play(hall: LocalHall) -> None:
    registry = Registry.default()
    result = await Driver(plan_of(hall), make_mind=lambda _: GameMind(registry)).run()
    assert result.errors == [] and result.hands >= 2


async def silent_panels(
    address: str, *, within_s: float, all_of_them: bool = False
) -> dict[str, str]:
    """Panel -> query of those that still return nothing when the time is over.

    It ends sooner when only those of CHAOS are left, unless all of them are wanted.
    """
    until = time.monotonic() + within_s
    left = [(f"{board}: {panel}", expr) for board, panel, expr in queries()]
    while left and time.monotonic() < until:
        left = [(p, e) for p, e in left if not await asyncio.to_thread(ask, address, e)]
        await asyncio.sleep(0.5)
        if not all_of_them and {panel.partition(": ")[2] for panel, _ in left} <= CHAOS:
            break
    return dict(left)


async def test_what_a_running_hall_exposes_and_the_dashboards_show(tmp_path: Path) -> None:
    async with LocalHall(data_dir=tmp_path / "hall") as hall:
        if shutil.which("prometheus"):
            with prometheus(tmp_path / "prometheus", hall.metrics) as address:
                await play(hall)
                silent = await silent_panels(address, within_s=30)
                assert {panel.partition(": ")[2] for panel in silent} <= CHAOS, silent
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
    # Nor does an operator find anything under a name that only the docs have.
    for page in (ROOT / "docs/operations.md", *(ROOT / "docs/runbooks").glob("*.md")):
        for metric in re.findall(r"\bpaiju_(?:data|host|gateway|supervisor)_\w+", page.read_text()):
            assert metric in known, f"{page.name}: nobody exposes {metric}"


@contextmanager
def alertmanager(folder: Path) -> Iterator[str]:
    """A real one with the shipped configuration; its address."""
    folder.mkdir()
    address = f"127.0.0.1:{free_ports(0, 1, '')}"
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                "prometheus-alertmanager",
                f"--config.file={ROOT / 'deploy/prometheus/alertmanager.yml'}",
                *(f"--storage.path={folder / 'data'}", f"--web.listen-address={address}"),
                "--cluster.listen-address=",
            ],
            stdout=log,
            stderr=log,
        )
        try:
            yield address
        finally:
            process.terminate()
            process.wait(10)


async def told(address: str, *, until: Callable[[set[str]], bool]) -> set[str]:
    """Names of the alerts that Alertmanager has, as soon as they are as wanted."""
    end = time.monotonic() + 120
    while True:
        try:
            answer = await asyncio.to_thread(_get, f"http://{address}/api/v2/alerts?active=true")
            names = {alert["labels"]["alertname"] for alert in json.loads(answer)}
            if until(names):
                return names
        except OSError:
            names = set()
        assert time.monotonic() < end, names
        await asyncio.sleep(1)


@pytest.mark.soak
@pytest.mark.skipif(
    shutil.which("prometheus-alertmanager") is None, reason="prometheus-alertmanager is missing"
)
async def test_a_killed_game_server_is_told_and_taken_back(tmp_path: Path) -> None:
    """And the panels that only a fault fills have series then."""
    async with LocalHall(data_dir=tmp_path / "hall") as hall:
        with (
            alertmanager(tmp_path / "alertmanager") as manager,
            prometheus(tmp_path / "prometheus", hall.metrics, alertmanager=manager) as address,
        ):
            await play(hall)
            await told(manager, until=lambda names: "Watchdog" in names)
            with hall.held_down("data-server"):
                os.kill(hall.processes["data-server"], signal.SIGKILL)
                # Nobody can log in; the gateways say RETRY.
                registry = Registry.default()
                plan = plan_of(hall, deadline_s=10)
                await Driver(plan, make_mind=lambda _: GameMind(registry)).run()
                await told(manager, until=lambda names: "DataServerDown" in names)
            assert await silent_panels(address, within_s=30, all_of_them=True) == {}
            await told(manager, until=lambda names: "DataServerDown" not in names)

            with hall.held_down("game-server"):
                os.kill(hall.processes["game-server"], signal.SIGKILL)
                await told(manager, until=lambda names: "GameServerDown" in names)
            await told(manager, until=lambda names: "GameServerDown" not in names)


def _get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=10) as answer:
        return str(answer.read().decode())
