"""`paiju load nodes`: a data server with simulated game servers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress

from hall_client.load.data_calls import DataServer
from hall_client.load.figures import machine
from hall_client.load.machine import DATA, Watch, spent
from hall_client.load.nodes import Fleet, NodesPlan
from hall_client.load.openloop import Failed, Loop
from hall_client.load.target import NotHere
from paiju.cli import load_view
from paiju.cli.load_options import Html, Json, Mine, Seed, WarmUp, data_target, guarded

_LONG_S = 3600.0

DataServerAddress = Annotated[
    str, typer.Option("--data-server", metavar="HOST:PORT", help="Default: this machine's hall.")
]
TokenFile = Annotated[
    Path | None, typer.Option(help="The cluster token; needed with --data-server.")
]
DataDir = Annotated[
    Path | None, typer.Option(help="Of this machine's hall; default $PAIJU_DATA_DIR, .paiju.")
]


def nodes(
    number: Annotated[int, typer.Option("--nodes", min=1, max=10_000, help="Game servers.")] = 100,
    seconds: Annotated[float, typer.Option(min=1, help="Measured, after the warm-up.")] = 30,
    players: Annotated[int, typer.Option(min=0, help="Guests that they have in all.")] = 300,
    heartbeat: Annotated[float, typer.Option(min=0.2, help="Seconds between two of one.")] = 5,
    presence: Annotated[float, typer.Option(min=0, help="Changes a second, of all.")] = 240,
    settlements: Annotated[float, typer.Option(min=0, help="Hands a second, of all.")] = 50,
    reports: Annotated[float, typer.Option(min=0, help="Reports a second, of all.")] = 1,
    look_ups: Annotated[float, typer.Option(min=0, help="Look-ups of people a second.")] = 20,
    vanish: Annotated[int, typer.Option(min=0, help="Nodes that fall silent at the end.")] = 0,
    warm_up: WarmUp = 3,
    seed: Seed = 7,
    json: Json = None,
    html: Html = None,
    data_server: DataServerAddress = "",
    token_file: TokenFile = None,
    data_dir: DataDir = None,
    mine: Mine = False,
) -> None:
    """Game servers that register, beat, tell who comes and goes, settle, report and look people up.

    They take no players of the hall. Example: paiju load nodes --nodes 1000 --seconds 60 --json -
    """
    with guarded():
        target = data_target(data_server, token_file, data_dir, mine=mine, reports=(json, html))
        plan = NodesPlan(
            nodes=number,
            players=players,
            seconds=seconds,
            heartbeat_s=heartbeat,
            presence_per_s=presence,
            settlements_per_s=settlements,
            reports_per_s=reports,
            look_ups_per_s=look_ups,
            vanish=min(vanish, number),
            seed=seed,
        )
        with load_view.bar() as progress:
            try:
                figures = asyncio.run(_run(plan, target, warm_up, progress))
            except Failed as failed:
                raise NotHere(f"The data server at {target.address} refuses: {failed}.") from None
        load_view.show("paiju load nodes", _rows(figures), figures, json=json, html=html)


async def _run(
    plan: NodesPlan, target: Any, warm_up_s: float, progress: Progress
) -> dict[str, Any]:
    stopped = asyncio.Event()
    task = progress.add_task("registering", total=plan.nodes, more="")

    def told(done: int) -> None:
        progress.update(task, completed=done)

    watch = Watch({DATA: target.pid} if target.pid else {})
    with load_view.interruptible(stopped.set):
        async with DataServer(target) as server:
            fleet = Fleet(server, plan)
            await fleet.register(told)
            progress.update(task, description="seating", total=plan.players)
            async with _beating(fleet, stopped):
                await fleet.seat(told)
            loop = Loop(fleet.kinds(), stopped)
            progress.update(task, description="warming up", total=None)
            await loop.run(warm_up_s)
            progress.update(task, description="measuring", total=plan.seconds)
            before = watch.look()
            await loop.run(
                plan.seconds, each=lambda passed: progress.update(task, completed=passed)
            )
            cpu = spent(before, watch.look())
            alive = await server.alive()
            gone_s = await _vanish(fleet, stopped, plan)
            progress.update(task, description="leaving", total=None)
            left = await fleet.stand()
    return {**_figures(plan, loop, cpu, stopped.is_set()), **_end(fleet, alive, gone_s, left)}


async def _vanish(fleet: Fleet, stopped: asyncio.Event, plan: NodesPlan) -> float | None:
    if not plan.vanish or stopped.is_set():
        return None
    async with _beating(fleet, stopped):
        return await fleet.vanish()


@asynccontextmanager
async def _beating(fleet: Fleet, stopped: asyncio.Event) -> AsyncIterator[None]:
    """Heartbeats go on while something else takes longer than a lease."""
    loop = Loop({"heartbeat": fleet.kinds()["heartbeat"]}, stopped)
    beating = asyncio.ensure_future(loop.run(_LONG_S))
    try:
        yield
    finally:
        beating.cancel()
        await asyncio.gather(beating, return_exceptions=True)


def _figures(
    plan: NodesPlan, loop: Loop, cpu: dict[str, float], interrupted: bool
) -> dict[str, Any]:
    whole, seconds = loop.together(), max(loop.seconds, 1e-9)
    return {
        "nodes": plan.nodes,
        "players": plan.players,
        "seconds": round(loop.seconds, 3),
        "interrupted": interrupted,
        "operations": whole.done,
        "operations_per_s": round(whole.done / seconds, 1),
        "latency_ms": whole.timings.summary(),
        "errors": whole.failed,
        "error_reasons": dict(whole.errors.most_common(20)),
        "kinds": {
            name: {
                "per_s": round(count.done / seconds, 1),
                "latency_ms": count.timings.summary(),
                "errors": count.failed,
            }
            for name, count in loop.counts.items()
        },
        "data_server_cores": round(cpu[DATA] / seconds, 3) if DATA in cpu else None,
        "seed": plan.seed,
        "machine": machine(),
        "curve": whole.timings.curve(),
        "over_time": loop.over_time,
    }


def _end(fleet: Fleet, alive: set[str] | None, gone_s: float | None, left: int) -> dict[str, Any]:
    ours = {node.name for node in fleet.nodes}
    return {
        "registered": None if alive is None else len(alive & ours),
        "lease_s": fleet.nodes[0].lease_ms / 1000,
        "vanished": fleet.plan.vanish,
        "gone_after_s": gone_s,
        "stakes_left": left,
    }


def _rows(figures: dict[str, Any]) -> load_view.Rows:
    cores = figures["data_server_cores"]
    rows = [
        ("game servers / registered", f"{figures['nodes']} / {figures['registered']}"),
        ("seconds", f"{figures['seconds']}" + (" (interrupted)" if figures["interrupted"] else "")),
        ("operations per second", f"{figures['operations_per_s']}"),
    ]
    for name, kind in figures["kinds"].items():
        latency = kind["latency_ms"]
        rows.append(
            (f"  {name}", f"{kind['per_s']}/s, p50 {latency['p50']}, p99 {latency['p99']} ms")
        )
    rows.append(("data server", "not of this machine" if cores is None else f"{cores} cores"))
    if figures["vanished"]:
        rows.append(
            (
                f"{figures['vanished']} fell silent",
                f"gone after {figures['gone_after_s']} s (lease {figures['lease_s']:g} s)",
            )
        )
    rows.append(("errors", str(figures["errors"])))
    rows += [(f"  {reason}", str(count)) for reason, count in figures["error_reasons"].items()]
    return rows
