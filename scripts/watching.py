"""Build the files for watching: `python scripts/watching.py`, or `--check` that they are built.

* `deploy/grafana/dashboards/`, from `deploy/grafana/panels.py`
* `deploy/kubernetes/base/alerts.yaml`, from `deploy/prometheus/alerts.yml`

What is built is never edited.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from grafana_foundation_sdk.builders import dashboard as grafana
from grafana_foundation_sdk.builders import prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import (
    DashboardCursorSync,
    DataSourceRef,
    VariableRefresh,
)

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "deploy/grafana"))

from panels import BOARDS, Board, Panel  # noqa: E402

OUT = ROOT / "deploy/grafana/dashboards"
ALERTS = ROOT / "deploy/prometheus/alerts.yml"
RULE = ROOT / "deploy/kubernetes/base/alerts.yaml"
SOURCE = DataSourceRef(type_val="prometheus", uid="${datasource}")
STAT_SPAN, GRAPH_SPAN, STAT_HEIGHT, GRAPH_HEIGHT = 4, 12, 4, 8
"""Of a row of 24."""


def build(board: Board) -> str:
    """The file's text."""
    made = (
        grafana.Dashboard(f"Paiju: {board.title}")
        .uid(f"paiju-{board.name}")
        .description(board.description)
        .tags(["paiju"])
        .readonly()
        .tooltip(DashboardCursorSync.CROSSHAIR)
        .refresh("10s")
        .time("now-1h", "now")
        .timezone("browser")
        .with_variable(
            grafana.DatasourceVariable("datasource").label("Prometheus").type("prometheus")
        )
    )
    for variable in board.variables:
        made = made.with_variable(
            grafana.QueryVariable(variable.name)
            .label(variable.label)
            .datasource(SOURCE)
            .query(f"label_values({variable.metric}, {variable.source})")
            .refresh(VariableRefresh.ON_TIME_RANGE_CHANGED)
            .multi(True)
            .include_all(True)
            .all_value(".*")
        )
    for row in board.rows:
        made = made.with_row(grafana.Row(row.title))
        for panel in row.panels:
            made = made.with_panel(_panel(panel))
    content = json.loads(JSONEncoder(sort_keys=True).encode(made.build()))
    return json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def _panel(panel: Panel) -> Any:
    made: Any
    if panel.number:
        made = stat.Panel().span(STAT_SPAN).height(STAT_HEIGHT)
    else:
        made = timeseries.Panel().span(GRAPH_SPAN).height(GRAPH_HEIGHT).fill_opacity(10).min(0)
    made = made.title(panel.title).description(panel.says).unit(panel.unit).datasource(SOURCE)
    for letter, query in zip("ABCDEFGH", panel.queries, strict=False):
        target = prometheus.Dataquery().ref_id(letter).expr(query.expr).datasource(SOURCE)
        target = target.legend_format(query.legend) if query.legend else target
        made = made.with_target(target.instant() if panel.number else target.range())
    return made


def rule() -> str:
    """The alerts as the Prometheus operator wants them."""
    made = {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "paiju"},
        "spec": yaml.safe_load(ALERTS.read_text("utf-8")),
    }
    head = "# Built by scripts/watching.py from deploy/prometheus/alerts.yml; not to be edited.\n"
    return head + yaml.safe_dump(made, sort_keys=False, width=96)


def main(arguments: Sequence[str]) -> int:
    wanted = {OUT / f"{board.name}.json": build(board) for board in BOARDS}
    wanted[RULE] = rule()
    if "--check" in arguments:
        files = [*OUT.glob("*.json"), RULE]
        present = {path: path.read_text("utf-8") for path in files if path.exists()}
        if present != wanted:
            print("dashboards or alerts are not those of their sources: run scripts/watching.py")
            return 1
        return 0
    OUT.mkdir(parents=True, exist_ok=True)
    for path in set(OUT.glob("*.json")) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
