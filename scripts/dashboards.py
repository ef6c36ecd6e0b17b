"""Build the Grafana dashboards: `python scripts/dashboards.py`, or `--check` that they are built.

What is on them stands in `deploy/grafana/panels.py`; the files in `deploy/grafana/dashboards/`
are never edited.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

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


def main(arguments: Sequence[str]) -> int:
    wanted = {OUT / f"{board.name}.json": build(board) for board in BOARDS}
    if "--check" in arguments:
        present = {path: path.read_text("utf-8") for path in OUT.glob("*.json")}
        if present != wanted:
            print("the dashboards are not those of deploy/grafana/panels.py: run this again")
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
