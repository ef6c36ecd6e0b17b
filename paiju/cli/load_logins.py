"""`paiju load logins`: how many people a data server lets in."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

import typer
from rich.progress import Progress

from hall_client.load.data_calls import DataServer, DataTarget
from hall_client.load.figures import machine
from hall_client.load.logins import KINDS, Logins
from hall_client.load.machine import DATA, Watch, spent
from hall_client.load.openloop import Failed, Loop
from hall_client.load.target import NotHere
from paiju.cli import load_view
from paiju.cli.load_nodes import DataDir, DataServerAddress, TokenFile
from paiju.cli.load_options import Html, Json, Mine, WarmUp, data_target, guarded

DAY_S = 86_400


def logins(
    kind: Annotated[str, typer.Option(help="password, resume, register or guests.")] = "resume",
    seconds: Annotated[float, typer.Option(min=1, help="Measured, after the warm-up.")] = 20,
    rate: Annotated[
        float, typer.Option(min=0, help="A second; 0: as many as the data server takes.")
    ] = 0,
    at_once: Annotated[
        int, typer.Option(min=1, help="Callers at the same time, without a rate.")
    ] = 16,
    accounts: Annotated[int, typer.Option(min=1, help="That are made before.")] = 64,
    warm_up: WarmUp = 2,
    json: Json = None,
    html: Html = None,
    data_server: DataServerAddress = "",
    token_file: TokenFile = None,
    data_dir: DataDir = None,
    mine: Mine = False,
) -> None:
    """Logins by password, by refresh token (resume), new accounts (register), or guests that come,
    come again and leave. Asked of the data server as a gateway asks.

    Example: paiju load logins --kind resume --seconds 20 --json -
    """
    if kind not in KINDS:
        raise typer.BadParameter(f"--kind is one of {', '.join(KINDS)}")
    with guarded():
        target = data_target(data_server, token_file, data_dir, mine=mine, reports=(json, html))
        with load_view.bar() as progress:
            try:
                figures = asyncio.run(
                    _run(
                        target,
                        kind,
                        seconds,
                        warm_up,
                        rate=rate,
                        at_once=at_once,
                        accounts=max(accounts, 2 * at_once),
                        progress=progress,
                    )
                )
            except Failed as failed:
                raise NotHere(f"The data server at {target.address} refuses: {failed}.") from None
        load_view.show(f"paiju load logins, {kind}", _rows(figures), figures, json=json, html=html)


async def _run(
    target: DataTarget,
    kind: str,
    seconds: float,
    warm_up_s: float,
    *,
    rate: float,
    at_once: int,
    accounts: int,
    progress: Progress,
) -> dict[str, Any]:
    stopped = asyncio.Event()
    watch = Watch({DATA: target.pid} if target.pid else {})
    task = progress.add_task("making accounts", total=accounts, more="")
    with load_view.interruptible(stopped.set):
        async with DataServer(target) as server:
            logins = Logins(server)
            await logins.prepare(kind, accounts, lambda done: progress.update(task, completed=done))
            loop = Loop({kind: logins.kind(kind, per_s=rate, at_once=at_once)}, stopped)
            progress.update(task, description="warming up", total=None)
            await loop.run(warm_up_s)
            progress.update(task, description="measuring", total=seconds)
            before = watch.look()
            await loop.run(seconds, each=lambda passed: progress.update(task, completed=passed))
            cpu = spent(before, watch.look())
    return _figures(kind, loop, cpu, stopped.is_set())


def _figures(kind: str, loop: Loop, cpu: dict[str, float], interrupted: bool) -> dict[str, Any]:
    whole, seconds = loop.together(), max(loop.seconds, 1e-9)
    calls = 3 if kind == "guests" else 1
    per_s = whole.done * calls / seconds
    known = DATA in cpu and whole.done
    return {
        "kind": kind,
        "seconds": round(loop.seconds, 3),
        "interrupted": interrupted,
        "logins": whole.done,
        "operations_per_s": round(per_s, 1),
        "operations_per_day": round(per_s * DAY_S),
        "latency_ms": whole.timings.summary(),
        "errors": whole.failed,
        "error_reasons": dict(whole.errors.most_common(20)),
        "data_server_cores": round(cpu[DATA] / seconds, 3) if DATA in cpu else None,
        "data_server_ms_per_operation": round(1000 * cpu[DATA] / (whole.done * calls), 3)
        if known
        else None,
        "machine": machine(),
        "curve": whole.timings.curve(),
        "over_time": loop.over_time,
    }


def _rows(figures: dict[str, Any]) -> load_view.Rows:
    latency, cores = figures["latency_ms"], figures["data_server_cores"]
    known = "not of this machine" if cores is None else f"{cores} cores"
    each = figures["data_server_ms_per_operation"]
    rows = [
        ("seconds", f"{figures['seconds']}" + (" (interrupted)" if figures["interrupted"] else "")),
        ("operations per second", f"{figures['operations_per_s']}"),
        ("  that is a day", f"{figures['operations_per_day']:,}"),
        ("latency p50 / p99 / max", f"{latency['p50']} / {latency['p99']} / {latency['max']} ms"),
        ("data server", known + (f", {each} ms of CPU each" if each else "")),
        ("errors", str(figures["errors"])),
    ]
    return rows + [(f"  {why}", str(count)) for why, count in figures["error_reasons"].items()]
