"""How `paiju load` shows a run: progress while it goes on, a table, JSON and a page at the end."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hall_client.load.page import page
from hall_client.load.players import Phase, PlayersPlan, PlayersRun, Runner, Standing
from hall_client.load.target import write_report
from paiju.cli import output

Rows = Sequence[tuple[str, str]]


@contextlib.contextmanager
def interruptible(stop: Callable[[], None]) -> Any:
    """Inside the running loop: Ctrl-C and SIGTERM end the run early and keep what there is."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)


def bar() -> Progress:
    """On standard error: standard output may be JSON."""
    return Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TextColumn("[dim]{task.fields[more]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
    )


def followed(make: Callable[[Callable[[Standing], None]], Runner], plan: PlayersPlan) -> PlayersRun:
    """Run it with a progress bar. Raises WorkerDied."""
    with bar() as progress:
        task = progress.add_task("starting", total=1.0, more="")

        def told(standing: Standing) -> None:
            if standing.phase is Phase.MEASURING:
                done = standing.passed_s / plan.seconds if plan.seconds else None
                more = f"{standing.actions} actions, p99 {standing.p99_ms:.1f} ms"
            else:
                done = standing.seated / plan.players
                more = f"{standing.connected} connected, {standing.seated} seated"
            if standing.errors:
                more += f", {standing.errors} errors"
            progress.update(task, description=standing.phase.value, completed=done or 0, more=more)

        async def run() -> PlayersRun:
            runner = make(told)
            with interruptible(runner.stop):
                return await runner.run()

        return asyncio.run(run())


def show(
    title: str, rows: Rows, figures: Mapping[str, Any], *, json: str | None, html: str | None
) -> None:
    """The table for people; JSON and page where they were asked for. Raises NotHere."""
    console = output.console(json)
    table = Table(title=title, show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(justify="right")
    for name, value in rows:
        table.add_row(name, value)
    console.print(table)
    output.write_json(json, figures)
    if html is not None:
        write_report(Path(html), page(title, rows, figures))
        console.print(f"page: {html}", highlight=False)


def show_players(figures: Mapping[str, Any], *, json: str | None, html: str | None) -> None:
    show("paiju load players", player_rows(figures), figures, json=json, html=html)


def player_rows(figures: Mapping[str, Any]) -> Rows:
    latency, raw = figures["latency_ms"], figures["latency_ms_uncorrected"]
    rows = [
        ("players / connected / seated", _joined(figures, "players", "connected", "seated")),
        ("seconds", f"{figures['seconds']}" + (" (interrupted)" if figures["interrupted"] else "")),
        ("actions, per second", f"{figures['actions']}, {figures['actions_per_s']}"),
        ("deliveries per second", f"{figures['deliveries_per_s']}"),
        ("latency p50 / p99 / max", f"{latency['p50']} / {latency['p99']} / {latency['max']} ms"),
        ("  as seen, uncorrected", f"{raw['p50']} / {raw['p99']} / {raw['max']} ms"),
        ("server CPU per 1,000 actions", _known(figures["server_cpu_s_per_1k_actions"], "s")),
        ("memory per player", _known(figures["kb_per_player"], "kB")),
    ]
    for role, spent in figures["roles"].items():
        rows.append(
            (f"  {role}", f"{spent['cores']} cores, {spent['mb']} MB ({spent['grown_mb']:+} MB)")
        )
    load = figures["load"]
    rows.append(("load itself", f"{load['cores']} cores in {load['processes']} processes"))
    rows += _faults(figures)
    return rows


def _faults(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    rows = [("errors", str(figures["errors"]))]
    rows += [(f"  {reason}", str(number)) for reason, number in figures["error_reasons"].items()]
    rows += [(f"turned away: {why}", str(number)) for why, number in figures["refused"].items()]
    return rows


def with_steps(figures: dict[str, Any], run: PlayersRun) -> dict[str, Any]:
    """A ramp's figures: its steps, and what the last one ran into."""
    figures["steps"] = [asdict(step) for step in run.steps]
    figures["limit"] = run.steps[-1].limit if run.steps else ""
    figures["most_actions_per_s"] = max(
        (step.actions_per_s for step in run.steps if not step.limit), default=0.0
    )
    return figures


def show_ramp(figures: Mapping[str, Any], *, json: str | None, html: str | None) -> None:
    rows = [
        (
            f"{step['wanted_per_s']:g} actions/s wanted",
            f"{step['actions_per_s']:g}, p99 {step['latency_ms']['p99']} ms, "
            f"{sum(step['cpu'].values()):.2f} cores",
        )
        for step in figures["steps"]
    ]
    rows.append(("most that held", f"{figures['most_actions_per_s']:g} actions/s"))
    rows.append(("limit", figures["limit"] or "none was hit"))
    rows += _faults(figures)
    show("paiju load ramp", rows, figures, json=json, html=html)


def _joined(figures: Mapping[str, Any], *names: str) -> str:
    return " / ".join(str(figures[name]) for name in names)


def _known(value: float | None, unit: str) -> str:
    return "not known: the hall is not on this machine" if value is None else f"{value} {unit}"
