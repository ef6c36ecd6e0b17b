"""`paiju demo`: a whole hall on this machine, bots that play in it, and what came of it.

The figures are read back from the database and from the records, not from what the bots
believe. Exit status 0 says that every promise held: enough hands, none void, books in
balance, dropped connections resumed without a gap, all records proved.
"""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Protocol, cast

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from sqlalchemy import Engine, create_engine

from hall_client.bots.mind import GameMind
from hall_client.load.books import Books, read_books, verify_records
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.driver import Progress as Standing
from hall_client.load.result import LoadResult
from paiju.cli import output
from paiju.cli.scratch import scratch
from paiju.rules.registry import Registry

MAX_DROPS = 20
THINK_S = 0.25
"""So long bots think at most, and a fifth of it at least: without a pause one would measure
how fast the bots are."""
ACTIONS_PER_HAND = 25
SETTLED_WITHIN_S = 30.0


class Hall(Protocol):
    """What is used of paiju.cli.local.LocalHall."""

    gateways: list[str]
    server_keys: Sequence[bytes]
    database_url: str
    table_hosts: int
    processes: Mapping[str, int]


def demo(
    players: Annotated[int, typer.Option(min=1, help="Bots at the tables.")] = 60,
    hands: Annotated[int, typer.Option(min=1, help="Hands to be finished.")] = 200,
    seed: Annotated[int, typer.Option(help="Of bots and dropped connections; never of cards.")] = 7,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
    ] = None,
    database: Annotated[str, typer.Option(help="sqlite, postgresql, or a URL.")] = "sqlite",
    gateways: Annotated[int, typer.Option(min=1, help="Gateway processes.")] = 2,
    hosts: Annotated[int, typer.Option(min=1, help="Table hosts.")] = 1,
    game: Annotated[str, typer.Option(help="Rule set, e.g. shengji or gouji.")] = "doudizhu",
    room: Annotated[
        str, typer.Option(help="Default: the game's room for novices, or its first.")
    ] = "",
    think: Annotated[
        float, typer.Option(min=0, max=10, help="Seconds a bot thinks at most.")
    ] = THINK_S,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the hall lives; default: a folder that goes again.")
    ] = None,
) -> None:
    """Start a whole hall, let bots play, print what happened, stop.

    Example: paiju demo --players 12 --hands 30 --json -
    """
    registry = Registry.default()
    place = _room(registry, game=game, room=room)
    plan = LoadPlan(
        gateways=(),
        server_keys=(),
        room=place,
        players=players,
        hands=hands,
        drops=min(MAX_DROPS, hands),
        seed=seed,
        think_s=(think / 5, think),
        drop_rate=min(0.25, max(0.01, 3 * min(MAX_DROPS, hands) / (hands * ACTIONS_PER_HAND))),
    )
    console = output.console(json)
    output.check_writable(json)
    with scratch("demo") as temporary:
        folder = data_dir or temporary
        figures = asyncio.run(
            _run(
                plan,
                registry=registry,
                hall=_local_hall(folder, database=database, gateways=gateways, hosts=hosts),
            )
        )
    _print(console, figures)
    output.write_json(json, figures)
    raise typer.Exit(0 if not figures["broken"] else 1)


def _room(registry: Registry, *, game: str, room: str) -> str:
    """The room asked for, or the first one of the game. BadParameter names what there is."""
    presets = registry.rooms()
    if room:
        if room not in {preset.id for preset in presets}:
            known = ", ".join(preset.id for preset in presets)
            raise typer.BadParameter(f"there is no room {room}; known are {known}")
        return room
    of_game = [preset.id for preset in presets if preset.game == game]
    if not of_game:
        known = ", ".join(sorted({preset.game for preset in presets}))
        raise typer.BadParameter(f"there is no game {game} with a room; known are {known}")
    novices = f"{game}.novice"
    return novices if novices in of_game else of_game[0]


def _local_hall(
    folder: Path, *, database: str, gateways: int, hosts: int
) -> AbstractAsyncContextManager[Hall]:
    local = importlib.import_module("paiju.cli.local")
    made = local.LocalHall(data_dir=folder, database=database, gateways=gateways, hosts=hosts)
    return cast("AbstractAsyncContextManager[Hall]", made)


async def _run(
    plan: LoadPlan, *, registry: Registry, hall: AbstractAsyncContextManager[Hall]
) -> dict[str, Any]:
    begun = time.monotonic()
    errors = Console(stderr=True)
    with Progress(
        TextColumn("[bold]{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TextColumn("[dim]{task.fields[more]}"),
        TimeElapsedColumn(),
        console=errors,
    ) as progress:
        task = progress.add_task("starting the hall", total=plan.hands, more="")

        def report(standing: Standing) -> None:
            more = f"{standing.actions} actions, {standing.resumes} resumes"
            progress.update(
                task, description="hands", completed=min(standing.hands, plan.hands), more=more
            )

        async with hall as running:
            plan = replace(
                plan, gateways=tuple(running.gateways), server_keys=tuple(running.server_keys)
            )
            driver = Driver(plan, make_mind=lambda _: GameMind(registry), report=report)
            result = await driver.run()
            progress.update(task, description="reading the books")
            engine = create_engine(running.database_url)
            try:
                books = await _settled(engine, result)
                verified, wrong = await asyncio.to_thread(verify_records, engine, registry)
            finally:
                engine.dispose()
            table_hosts = running.table_hosts
            progress.update(task, description="stopping the hall")
    figures = _figures(result, books, verified=verified, wrong=list(wrong))
    figures["table_hosts"] = table_hosts
    figures["seconds"] = round(time.monotonic() - begun, 3)
    figures["broken"] = _broken(plan, figures, books)
    return figures


async def _settled(engine: Engine, result: LoadResult) -> Books:
    """The books as soon as every hand is booked and every stake returned, or at the deadline."""
    until = time.monotonic() + SETTLED_WITHIN_S
    while True:
        books = await asyncio.to_thread(read_books, engine)
        done = books.settlements >= result.hands and not books.escrow and not books.open_sittings
        if done or time.monotonic() >= until:
            return books
        await asyncio.sleep(0.1)


def _figures(
    result: LoadResult, books: Books, *, verified: int, wrong: list[str]
) -> dict[str, Any]:
    figures = result.as_dict()
    figures["play_seconds"] = figures.pop("seconds")
    figures["error_texts"] = [*result.errors, *wrong]
    figures["errors"] = figures.pop("error_count") + len(wrong)
    figures["records_verified"] = verified
    figures["settlements"] = books.settlements
    figures["voided"] = max(result.voided, books.voided)
    figures["ledger"] = {
        "sum": books.sum,
        "unbalanced": books.unbalanced,
        "escrow": books.escrow,
        "open_sittings": books.open_sittings,
    }
    return figures


def _broken(plan: LoadPlan, figures: Mapping[str, Any], books: Books) -> list[str]:
    """The promises that did not hold, in words."""
    ledger = figures["ledger"]
    checks = {
        f"{plan.hands} hands were asked for": figures["hands"] >= plan.hands,
        "hands were void": figures["voided"] == 0,
        "the ledger does not sum to zero": ledger["sum"] == 0,
        "entries are not balanced": ledger["unbalanced"] == 0,
        "coins are left in escrow": ledger["escrow"] == 0,
        f"{plan.drops} resumes were asked for": figures["resumes"] >= plan.drops,
        "views differed from the hall's": figures["view_mismatches"] == 0,
        "errors happened": figures["errors"] == 0,
        "hands are not booked": books.settlements == figures["hands"],
        "records are missing or wrong": figures["records_verified"] == books.settlements,
    }
    return [text for text, held in checks.items() if not held]


def _print(console: Console, figures: Mapping[str, Any]) -> None:
    table = Table(title="paiju demo", show_header=False, title_justify="left")
    table.add_column(style="bold")
    table.add_column(justify="right")
    latency, ledger = figures["latency_ms"], figures["ledger"]
    rows = {
        "hands / void": f"{figures['hands']} / {figures['voided']}",
        "actions": f"{figures['actions']}",
        "latency p50 / p99 / max": f"{latency['p50']} / {latency['p99']} / {latency['max']} ms",
        "connections dropped and resumed": f"{figures['resumes']}",
        "views checked / different": f"{figures['views_checked']} / {figures['view_mismatches']}",
        "records proved": f"{figures['records_verified']} of {figures['settlements']}",
        "ledger sum / unbalanced / escrow": " / ".join(
            str(ledger[name]) for name in ("sum", "unbalanced", "escrow")
        ),
        "table hosts": f"{figures['table_hosts']}",
        "seconds": f"{figures['seconds']}",
    }
    for name, value in rows.items():
        table.add_row(name, value)
    console.print(table)
    for error in figures["error_texts"][:10]:
        console.print(f"  {error}", style="red", markup=False, highlight=False)
    if figures["broken"]:
        console.print("Not as promised: " + "; ".join(figures["broken"]), style="bold red")
    else:
        console.print("Every promise held.", style="green")
