"""`paiju chaos`: a whole hall on this machine, bots that play, and processes killed under them.

Nothing is asked of the servers about what happened: lost and doubled actions come from the
clients' logs against the records in the database, the books from plain SQL. Exit status 0
says that the guarantees held; docs/contracts/recovery.md says what they are.
"""

from __future__ import annotations

import asyncio
import math
import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import Engine, create_engine

from hall_client.bots.mind import GameMind
from hall_client.events import Disconnected, Event
from hall_client.load.books import Books, read_books, verify_records
from hall_client.load.driver import Driver, LoadPlan
from hall_client.load.evidence import ActionLog, Verdict, compare, read_records
from hall_client.load.outage import Outage
from hall_client.load.result import LoadResult
from paiju.cli import output
from paiju.cli.local import LocalHall
from paiju.cli.scratch import scratch
from paiju.rules.registry import Registry

WARM_UP_S = 3.0
"""After the last bot has arrived: tables are full and hands run."""
BACK_WITHIN_S = 30.0
SETTLED_WITHIN_S = 30.0
LOOK_EVERY_S = 0.05


class Scenario:
    """What is killed. `strike` returns when the signal is sent; `back` when it may come again."""

    def __init__(self, hall: LocalHall, driver: Driver, outage: Outage) -> None:
        self.hall = hall
        self.driver = driver
        self.outage = outage
        self._turn = 0
        self._struck = ("", 0)  # name and pid

    async def strike(self) -> None:
        raise NotImplementedError

    def back(self) -> bool:
        """Whether clients have what they had, and the process is there again."""
        name, pid = self._struck
        return self.outage.waiting == 0 and self.hall.processes.get(name, 0) not in (0, pid)

    def _kill(self, name: str) -> None:
        pid = self.hall.processes[name]
        os.kill(pid, signal.SIGKILL)
        self._struck = (name, pid)

    def _next(self, names: Sequence[str]) -> str:
        self._turn += 1
        return names[(self._turn - 1) % len(names)]


class KillHost(Scenario):
    """A table host dies in mid-hand; Ray starts it again and it rebuilds its tables."""

    async def strike(self) -> None:
        hosts = sorted(name for name in self.hall.processes if name.startswith("local-"))
        self.outage.struck_host()
        self._kill(self._next(hosts))


class KillGateway(Scenario):
    """A gateway dies; its players come in by another one."""

    async def strike(self) -> None:
        address = self._next(self.hall.gateways)
        number = self.hall.gateways.index(address)
        self.outage.struck_gateway(
            [
                bot
                for bot, client in self.driver.clients.items()
                if client.connected and client.gateway == address
            ]
        )
        self._kill(f"local/gateway-{number}")


class KillDataServer(Scenario):
    """The data server dies; play goes on, bookings wait for it."""

    async def strike(self) -> None:
        self._at, self._counted = time.monotonic(), False
        self._kill("data-server")

    def back(self) -> bool:
        if not super().back():
            return False
        if not self._counted:
            self._counted = True
            self.outage.samples.append(time.monotonic() - self._at)
        return True


SCENARIOS: Mapping[str, type[Scenario]] = {
    "host": KillHost,
    "gateway": KillGateway,
    "data-server": KillDataServer,
}


@dataclass
class Run:
    """One run of a scenario."""

    name: str
    plan: LoadPlan
    every_s: float
    outage: Outage = field(default_factory=Outage)
    log: ActionLog = field(default_factory=ActionLog)
    blows: int = 0
    missing: int = 0
    ends_at: float = 0.0
    """Then bots begin to leave: connections that end are no interruption any more."""
    interrupted: set[int] = field(default_factory=set)

    def saw(self, bot: int, event: Event) -> None:
        if isinstance(event, Disconnected) and time.monotonic() < self.ends_at:
            self.interrupted.add(bot)
        self.outage.saw(bot, event)


def chaos(
    scenario: Annotated[str, typer.Argument(help="host, gateway or data-server.")],
    players: Annotated[int, typer.Option(min=3, help="Bots at the tables.")] = 30,
    seconds: Annotated[float, typer.Option(min=10, help="How long they play.")] = 30.0,
    every: Annotated[float, typer.Option(min=1, help="Seconds of calm between blows.")] = 5.0,
    seed: Annotated[int, typer.Option(help="Of the bots; never of the cards.")] = 7,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
    ] = None,
    database: Annotated[str, typer.Option(help="sqlite, postgresql, or a URL.")] = "sqlite",
    gateways: Annotated[int, typer.Option(min=1, help="Gateway processes.")] = 2,
    hosts: Annotated[int, typer.Option(min=1, help="Table hosts.")] = 1,
    room: Annotated[str, typer.Option(help="Where they play.")] = "doudizhu.novice",
    think: Annotated[float, typer.Option(min=0, help="Seconds a bot thinks at most.")] = 0.25,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the hall lives; default: a folder that goes again.")
    ] = None,
) -> None:
    """Kill processes of a hall in which bots play, and tell what was lost.

    Example: paiju chaos host --players 60 --seconds 40 --json -
    """
    if scenario not in SCENARIOS:
        raise typer.BadParameter(f"there is no scenario {scenario}: {', '.join(SCENARIOS)}")
    run = Run(
        scenario,
        LoadPlan(
            gateways=(),
            server_keys=(),
            room=room,
            players=players,
            hands=10**9,
            drops=0,
            drop_rate=0.0,
            seed=seed,
            think_s=(think / 5, think),
            seconds=seconds + players / 60.0,
        ),
        every_s=every,
    )
    output.check_writable(json)
    with scratch("chaos") as temporary:
        hall = LocalHall(
            data_dir=data_dir or temporary, database=database, gateways=gateways, hosts=hosts
        )
        figures = asyncio.run(_play(run, hall))
    _print(output.console(json), figures)
    output.write_json(json, figures)
    raise typer.Exit(0 if not figures["broken"] else 1)


async def _play(run: Run, hall: LocalHall) -> dict[str, Any]:
    registry = Registry.default()
    async with hall:
        plan = replace(run.plan, gateways=tuple(hall.gateways), server_keys=tuple(hall.server_keys))
        driver = Driver(plan, make_mind=lambda _: GameMind(registry), log=run.log, watch=run.saw)
        playing = asyncio.ensure_future(driver.run())
        try:
            await _blows(run, SCENARIOS[run.name](hall, driver, run.outage), playing)
            result = await playing
        finally:
            playing.cancel()
        engine = create_engine(hall.database_url)
        try:
            books = await _settled(engine, result)
            verified, wrong = await asyncio.to_thread(verify_records, engine, registry)
            verdict = compare(run.log, await asyncio.to_thread(read_records, engine))
        finally:
            engine.dispose()
    return _figures(run, result, books, verdict, verified=verified, wrong=wrong)


async def _blows(run: Run, scenario: Scenario, playing: asyncio.Future[Any]) -> None:
    """Strike, wait until everything is back, let it play on; until the time is nearly over."""
    begun = time.monotonic()
    last = begun + run.plan.seconds - run.every_s
    await asyncio.sleep(run.plan.players / run.plan.arrivals_per_s + WARM_UP_S)
    run.ends_at = begun + run.plan.seconds
    while time.monotonic() < last and not playing.done():
        await scenario.strike()
        run.blows += 1
        if not await _until(scenario.back, BACK_WITHIN_S):
            run.missing += max(1, run.outage.give_up())
        await asyncio.sleep(run.every_s)


async def _until(condition: Callable[[], bool], within_s: float) -> bool:
    until = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until:
            return False
        await asyncio.sleep(LOOK_EVERY_S)
    return True


async def _settled(engine: Engine, result: LoadResult) -> Books:
    """The books as soon as every hand is booked and every stake returned, or at the deadline."""
    until = time.monotonic() + SETTLED_WITHIN_S
    while True:
        books = await asyncio.to_thread(read_books, engine)
        done = books.settlements >= result.hands and not books.escrow and not books.open_sittings
        if done or time.monotonic() >= until:
            return books
        await asyncio.sleep(0.1)


# ---- what came of it ---------------------------------------------------------------------------


def _figures(
    run: Run,
    result: LoadResult,
    books: Books,
    verdict: Verdict,
    *,
    verified: int,
    wrong: Sequence[str],
) -> dict[str, Any]:
    samples = sorted(run.outage.samples)
    texts = [*result.errors, *wrong, *verdict.lost[:10], *verdict.double[:10]]
    figures: dict[str, Any] = {
        "scenario": run.name,
        "players": result.players,
        "blows": run.blows,
        "recovered_ms": {
            "samples": len(samples),
            "p50": _ms(samples, 0.5),
            "max": _ms(samples, 1.0),
        },
        "not_recovered": run.missing,
        "interrupted": len(run.interrupted),
        "lost_actions": len(verdict.lost),
        "double_actions": len(verdict.double),
        "acknowledged_actions": verdict.acknowledged,
        "recorded_actions": verdict.recorded,
        "hands": result.hands,
        "settlements": books.settlements,
        "records_verified": verified,
        "voided": max(result.voided, books.voided),
        "ledger": {
            "sum": books.sum,
            "unbalanced": books.unbalanced,
            "escrow": books.escrow,
        },
        "stuck_seats": books.open_sittings,
        "view_mismatches": result.view_mismatches,
        "errors": result.error_count + len(wrong),
        "error_texts": texts,
    }
    figures["broken"] = _broken(figures, records=books.records)
    return figures


def _ms(samples: Sequence[float], q: float) -> float:
    """Nearest rank; 0 without samples."""
    if not samples:
        return 0.0
    return round(1000 * samples[max(0, math.ceil(q * len(samples)) - 1)], 1)


def _broken(figures: Mapping[str, Any], *, records: int) -> list[str]:
    """The guarantees that did not hold, in words."""
    ledger = figures["ledger"]
    checks = {
        "nothing was killed": figures["blows"] > 0,
        "nobody came back": figures["recovered_ms"]["samples"] > 0,
        "not everything came back": figures["not_recovered"] == 0,
        "connections were cut": figures["scenario"] == "gateway" or figures["interrupted"] == 0,
        "acknowledged actions are lost": figures["lost_actions"] == 0,
        "actions took effect twice": figures["double_actions"] == 0,
        "hands were void": figures["voided"] == 0,
        "the ledger does not sum to zero": ledger["sum"] == 0,
        "entries are not balanced": ledger["unbalanced"] == 0,
        "coins are left in escrow": ledger["escrow"] == 0,
        "seats are left open": figures["stuck_seats"] == 0,
        "settlements and records differ": figures["settlements"] == records,
        "hands were seen that are not booked": figures["settlements"] >= figures["hands"],
        "records do not prove themselves": figures["records_verified"] == records,
        "views differed from the hall's": figures["view_mismatches"] == 0,
        "errors happened": figures["errors"] == 0,
    }
    return [text for text, held in checks.items() if not held]


def _print(console: Console, figures: Mapping[str, Any]) -> None:
    table = Table(title=f"paiju chaos {figures['scenario']}", show_header=False)
    table.add_column(style="bold")
    table.add_column(justify="right")
    recovered = figures["recovered_ms"]
    rows = {
        "blows": figures["blows"],
        "back after p50 / max": f"{recovered['p50']} / {recovered['max']} ms",
        "lost / double / acknowledged actions": (
            f"{figures['lost_actions']} / {figures['double_actions']} / "
            f"{figures['acknowledged_actions']}"
        ),
        "hands / void": f"{figures['hands']} / {figures['voided']}",
        "ledger sum / unbalanced / escrow": " / ".join(
            str(figures["ledger"][name]) for name in ("sum", "unbalanced", "escrow")
        ),
        "stuck seats": figures["stuck_seats"],
        "players interrupted": figures["interrupted"],
    }
    for name, value in rows.items():
        table.add_row(name, str(value))
    console.print(table)
    for error in figures["error_texts"][:10]:
        console.print(f"  {error}", style="red", markup=False, highlight=False)
    if figures["broken"]:
        console.print("Not as promised: " + "; ".join(figures["broken"]), style="bold red")
    else:
        console.print("Every guarantee held.", style="green")
