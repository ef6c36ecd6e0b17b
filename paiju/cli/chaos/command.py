"""`paiju chaos`, as it is typed. Exit status 0 says that the guarantees held;
docs/contracts/recovery.md says what they are.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from hall_client.load.driver import LoadPlan
from paiju.cli import output
from paiju.cli.chaos.figures import show
from paiju.cli.chaos.run import Run
from paiju.cli.chaos.scenario import Setup
from paiju.cli.chaos.scenarios import SCENARIOS
from paiju.cli.scratch import scratch

LEAVE_WITHIN_S = 600.0


def chaos(
    scenario: Annotated[str, typer.Argument(help=", ".join(SCENARIOS) + ".")],
    players: Annotated[int, typer.Option(min=3, help="Bots at the tables.")] = 30,
    seconds: Annotated[float, typer.Option(min=10, help="How long they play.")] = 30.0,
    every: Annotated[float, typer.Option(min=1, help="Seconds of calm between blows.")] = 5.0,
    down: Annotated[
        float | None,
        typer.Option(min=0, help="Seconds that what is struck stays away, where that is a choice."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the bots; never of the cards.")] = 7,
    json: Annotated[
        str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
    ] = None,
    database: Annotated[str, typer.Option(help="sqlite, postgresql, or a URL.")] = "sqlite",
    shared_journal: Annotated[
        bool, typer.Option("--shared-journal", help="Journals in the hall's PostgreSQL.")
    ] = False,
    gateways: Annotated[int, typer.Option(min=1, help="Gateway processes.")] = 2,
    hosts: Annotated[int, typer.Option(min=1, help="Table hosts.")] = 1,
    room: Annotated[str, typer.Option(help="Where they play.")] = "doudizhu.novice",
    think: Annotated[float, typer.Option(min=0, help="Seconds a bot thinks at most.")] = 0.25,
    data_dir: Annotated[
        Path | None, typer.Option(help="Where the hall lives; default: a folder that goes again.")
    ] = None,
) -> None:
    """Kill and cut parts of a hall in which bots play, and tell what was lost.

    Example: paiju chaos host --players 60 --seconds 40 --json -
    """
    if scenario not in SCENARIOS:
        raise typer.BadParameter(f"there is no scenario {scenario}: {', '.join(SCENARIOS)}")
    plan = LoadPlan(
        gateways=(),
        server_keys=(),
        room=room,
        players=players,
        hands=10**9,
        drops=0,
        drop_rate=0.0,
        seed=seed,
        think_s=(think / 5, think),
        deadline_s=seconds + LEAVE_WITHIN_S,
    )
    output.check_writable(json)
    with scratch("chaos") as temporary:
        run = Run(
            name=scenario,
            scenario=SCENARIOS[scenario],
            setup=Setup(folder=data_dir or temporary, database=database, down_s=down),
            plan=plan,
            seconds=seconds,
            every_s=every,
            gateways=gateways,
            hosts=hosts,
            shared_journal=shared_journal,
        )
        found = asyncio.run(run.play())
    show(output.console(json), found)
    output.write_json(json, found)
    raise typer.Exit(0 if not found["broken"] else 1)
