"""A run as one HTML file that needs nothing else: figures, plots over time, percentile curve."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from hall_client.load.plot import Line, plot

_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root {{ color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }}
body {{ max-width: 780px; margin: 2rem auto; padding: 0 1rem; }}
svg {{ width: 100%; height: auto; margin: .5rem 0; }}
svg text {{ font-size: 11px; fill: currentColor; }}
svg .title {{ font-size: 13px; font-weight: 600; }}
svg .y, svg .legend {{ text-anchor: end; }}
svg .x {{ text-anchor: middle; }}
svg .legend {{ fill: revert-layer; font-size: 12px; }}
svg .grid {{ stroke: currentColor; opacity: .15; fill: none; }}
svg polyline {{ fill: none; stroke-width: 1.6; }}
table {{ border-collapse: collapse; }}
td, th {{ padding: .15rem 1rem .15rem 0; text-align: left; vertical-align: top; }}
td:last-child {{ font-variant-numeric: tabular-nums; }}
</style></head><body>
"""


def page(title: str, rows: Sequence[tuple[str, str]], figures: Mapping[str, Any]) -> str:
    """rows: as the terminal's table has them. figures: over_time, curve, steps and machine of
    figures.py, as far as there are any."""
    parts = [_HEAD.format(title=escape(title)), f"<h1>{escape(title)}</h1>", _table(rows)]
    over_time = figures.get("over_time") or []
    parts += _over_time(over_time) if over_time else []
    if figures.get("curve"):
        parts.append(_curve(figures["curve"]))
    if figures.get("steps"):
        parts += _steps(figures["steps"])
    if figures.get("machine"):
        parts += ["<h2>Machine</h2>", _table([(k, str(v)) for k, v in figures["machine"].items()])]
    return "\n".join([*parts, "</body></html>\n"])


def _table(rows: Sequence[tuple[str, str]]) -> str:
    body = "".join(f"<tr><th>{escape(k)}</th><td>{escape(v)}</td></tr>" for k, v in rows)
    return f"<table>{body}</table>"


def _over_time(points: Sequence[Mapping[str, Any]]) -> list[str]:
    def line(name: str, value: Any) -> Line:
        return Line(name, [(p["second"], float(value(p))) for p in points])

    latency = [
        line(name, lambda p, name=name: p["latency_ms"][name]) for name in ("p50", "p99", "max")
    ]
    roles = sorted({role for p in points for role in p.get("cpu", {})})
    cpu = [line(role, lambda p, role=role: p["cpu"].get(role, 0.0)) for role in roles]
    done = "actions" if "actions" in points[0] else "operations"
    return [
        plot(f"{done} over time", [line(done, lambda p: p[done])], unit="per second"),
        plot("latency over time", latency, unit="ms, corrected"),
        plot("deliveries over time", [line("deliveries", lambda p: p["deliveries"])], unit="1/s")
        if "deliveries" in points[0]
        else "",
        plot("errors over time", [line("errors", lambda p: p["errors"])], unit="per second"),
        plot("CPU by role", cpu, unit="cores"),
    ]


def _curve(curve: Sequence[tuple[float, float]]) -> str:
    """Percentiles on a scale of nines: each step to the right is ten times rarer."""

    def nines(percentile: float) -> float:
        return -math.log10(max(1e-6, 1 - percentile / 100))

    ends = [(p, ms) for p, ms in curve if p < 100]
    ticks = [(nines(p), f"{p:g} %") for p in (0, 50, 90, 99, 99.9, 99.99, 99.999)]
    points = [(nines(p), ms) for p, ms in ends]
    return plot("latency by percentile", [Line("latency", points)], unit="ms", x_ticks=ticks)


def _steps(steps: Sequence[Mapping[str, Any]]) -> list[str]:
    p99 = [(step["actions_per_s"], step["latency_ms"]["p99"]) for step in steps]
    roles = sorted({role for step in steps for role in step["cpu"]})
    cpu = [
        Line(role, [(s["actions_per_s"], s["cpu"].get(role, 0.0)) for s in steps]) for role in roles
    ]
    return [
        plot("p99 by actions per second", [Line("p99", sorted(p99))], unit="ms"),
        plot("CPU by actions per second", cpu, unit="cores"),
    ]
