"""Small plots as SVG, for pages that need nothing but themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 720, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 28, 30
COLOURS = ("#2563eb", "#dc2626", "#16a34a", "#d97706", "#7c3aed", "#0891b2")
Point = tuple[float, float]


@dataclass(frozen=True)
class Line:
    name: str
    points: Sequence[Point]


@dataclass(frozen=True)
class _Scale:
    """From values to pixels. ticks: where a grid line with its label goes."""

    at: Callable[[float], float]
    ticks: Sequence[tuple[float, str]]


def plot(
    title: str, lines: Sequence[Line], *, unit: str, x_ticks: Sequence[tuple[float, str]] = ()
) -> str:
    """An SVG element. x_ticks: (value, label); without any the x axis is seconds."""
    shown = [line for line in lines if line.points]
    if not shown:
        return ""
    xs = [x for line in shown for x, _ in line.points]
    highest = max(y for line in shown for _, y in line.points)
    across = _across(min(xs), max(xs), x_ticks)
    up = _up(highest)
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">',
        f'<text class="title" x="{_LEFT}" y="16">{escape(title)} ({escape(unit)})</text>',
        *_grid(across, up),
        *(_drawn(line, COLOURS[n % len(COLOURS)], across, up) for n, line in enumerate(shown)),
        *_legend(shown),
        "</svg>",
    ]
    return "\n".join(parts)


def _across(low: float, high: float, ticks: Sequence[tuple[float, str]]) -> _Scale:
    span = (high - low) or 1.0
    width = WIDTH - _LEFT - _RIGHT
    if not ticks:
        step = nice(span / 8)
        first = math.ceil(low / step)
        ticks = [(n * step, f"{n * step:g}") for n in range(first, math.floor(high / step) + 1)]
    return _Scale(lambda x: _LEFT + (x - low) / span * width, ticks)


def _up(highest: float) -> _Scale:
    top = highest or 1.0
    step = nice(top / 4)
    top = math.ceil(top / step) * step
    height = HEIGHT - _TOP - _BOTTOM
    ticks = [(n * step, f"{n * step:g}") for n in range(round(top / step) + 1)]
    return _Scale(lambda y: HEIGHT - _BOTTOM - y / top * height, ticks)


def nice(rough: float) -> float:
    """1, 2 or 5 times a power of ten, not below `rough`."""
    if rough <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * m for m in (1, 2, 5, 10) if power * m >= rough * 0.999999)


def _grid(across: _Scale, up: _Scale) -> list[str]:
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    rows = [
        f'<path class="grid" d="M{_LEFT} {up.at(y):.1f}H{right}"/>'
        f'<text class="y" x="{_LEFT - 6}" y="{up.at(y) + 4:.1f}">{label}</text>'
        for y, label in up.ticks
    ]
    columns = [
        f'<path class="grid" d="M{across.at(x):.1f} {_TOP}V{bottom}"/>'
        f'<text class="x" x="{across.at(x):.1f}" y="{bottom + 16}">{escape(label)}</text>'
        for x, label in across.ticks
    ]
    return rows + columns


def _drawn(line: Line, colour: str, across: _Scale, up: _Scale) -> str:
    points = " ".join(f"{across.at(x):.1f},{up.at(y):.1f}" for x, y in line.points)
    return f'<polyline points="{points}" stroke="{colour}"/>'


def _legend(lines: Sequence[Line]) -> list[str]:
    if len(lines) == 1:
        return []
    parts, at = [], WIDTH - _RIGHT
    for number, line in reversed(list(enumerate(lines))):
        colour = COLOURS[number % len(COLOURS)]
        parts.append(
            f'<text class="legend" x="{at}" y="16" fill="{colour}">{escape(line.name)}</text>'
        )
        at -= 8 * len(line.name) + 14
    return parts
