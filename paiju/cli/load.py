"""`paiju load ...`: load a hall as its players, its servers or its logins would, and measure."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Annotated

import typer

from hall_client.client import HallClient
from hall_client.load import target as targets
from hall_client.load.bot import device_secret
from hall_client.load.figures import of_players
from hall_client.load.players import PlayersPlan, Runner
from hall_client.load.ramp import RampPlan, RampRunner
from hall_client.load.seating import Place, allot
from hall_client.load.target import NotHere, Target
from hall_client.load.traffic import reason_of
from paiju.cli import load_view
from paiju.cli.load_logins import logins
from paiju.cli.load_nodes import nodes
from paiju.cli.load_options import (
    Addresses,
    Ca,
    DataDir,
    Edge,
    Html,
    Json,
    Mine,
    Processes,
    Seed,
    ServerKey,
    TlsName,
    WarmUp,
    aimed,
    believed,
    guarded,
    processes_for,
)
from paiju.rules.registry import Registry
from paiju.wire.v1 import hall_pb2

HUMAN_PER_S = 0.25
"""Actions a second of a player who thinks: one in four seconds."""
CONNECTIONS_PER_CHANNEL = 100

app = typer.Typer(
    no_args_is_help=True,
    help="Load a hall and measure. Example: paiju load players --players 200 --seconds 30",
)
app.command(name="nodes")(nodes)
app.command(name="logins")(logins)

Players = Annotated[int, typer.Option(min=1, max=100_000, help="Clients that come and play.")]
Games = Annotated[
    list[str] | None,
    typer.Option(
        "--game", metavar="NAME[=PART]", help="Mix of games, e.g. --game gouji=2 --game doudizhu."
    ),
]
Arrivals = Annotated[float, typer.Option(min=0.1, help="Clients that come each second.")]
Bots = Annotated[
    bool, typer.Option("--bots", help="Play well; default: any legal action, which costs less.")
]


@app.command()
def players(
    players: Players = 60,
    seconds: Annotated[float, typer.Option(min=1, help="Measured, after the warm-up.")] = 30,
    games: Games = None,
    rate: Annotated[
        float | None,
        typer.Option(min=0, help="Actions/s of all; 0: as fast as allowed. Default: a human pace."),
    ] = None,
    warm_up: WarmUp = 5,
    arrivals: Arrivals = 100,
    edge: Edge = "grpc",
    processes: Processes = 0,
    seed: Seed = 7,
    bots: Bots = False,
    json: Json = None,
    html: Html = None,
    address: Addresses = None,
    server_key: ServerKey = "",
    ca: Ca = None,
    tls_name: TlsName = "",
    data_dir: DataDir = None,
    mine: Mine = False,
) -> None:
    """Clients with sealed channels that log in, take seats and play; what it cost the servers.

    Example: paiju load players --players 2000 --seconds 60 --json l.json --html l.html
    """
    with guarded():
        target = aimed(
            address,
            server_key,
            data_dir,
            edge=edge,
            mine=mine,
            reports=(json, html),
            tls=believed(ca, tls_name),
        )
        plan = asyncio.run(
            _plan(
                target,
                players,
                games or ["doudizhu"],
                rate=HUMAN_PER_S * players if rate is None else rate,
                seconds=seconds,
                warm_up_s=warm_up,
                arrivals_per_s=arrivals,
                processes=processes_for(processes, players),
                seed=seed,
                bots=bots,
            )
        )
        _check_files(plan, target, edge)
        run = load_view.followed(lambda told: Runner(plan, target, report=told), plan)
        figures = of_players(run)
        load_view.show_players(figures, json=json, html=html)
    raise typer.Exit(0 if figures["seated"] and figures["actions"] else 1)


@app.command()
def ramp(
    players: Players = 300,
    first: Annotated[float, typer.Option(min=1, help="Actions/s of the first step.")] = 50,
    factor: Annotated[float, typer.Option(min=1.01, help="Each step by so much more.")] = 1.3,
    step: Annotated[float, typer.Option(min=2, help="Seconds of each step.")] = 10,
    p99: Annotated[float, typer.Option(min=1, help="Milliseconds that are too slow.")] = 100,
    most: Annotated[float, typer.Option(min=1, help="Stop at so many actions/s.")] = 100_000,
    games: Games = None,
    warm_up: WarmUp = 5,
    arrivals: Arrivals = 100,
    edge: Edge = "grpc",
    processes: Processes = 0,
    seed: Seed = 7,
    bots: Bots = False,
    json: Json = None,
    html: Html = None,
    address: Addresses = None,
    server_key: ServerKey = "",
    ca: Ca = None,
    tls_name: TlsName = "",
    data_dir: DataDir = None,
    mine: Mine = False,
) -> None:
    """More and more actions a second until something gives way; names what did.

    Example: paiju load ramp --players 600 --game doudizhu_4p --edge ws
    """
    with guarded():
        target = aimed(
            address,
            server_key,
            data_dir,
            edge=edge,
            mine=mine,
            reports=(json, html),
            tls=believed(ca, tls_name),
        )
        plan = asyncio.run(
            _plan(
                target,
                players,
                games or ["doudizhu"],
                rate=first,
                seconds=0,
                warm_up_s=warm_up,
                arrivals_per_s=arrivals,
                processes=processes_for(processes, players),
                seed=seed,
                bots=bots,
            )
        )
        _check_files(plan, target, edge)
        ramping = RampPlan(first=first, factor=factor, step_s=step, p99_ms=p99, most=most)
        run = load_view.followed(
            lambda told: RampRunner(plan, target, report=told, ramp=ramping), plan
        )
        figures = load_view.with_steps(of_players(run), run)
        load_view.show_ramp(figures, json=json, html=html)
    raise typer.Exit(0 if run.steps else 1)


def _check_files(plan: PlayersPlan, target: Target, edge: str) -> None:
    """A WebSocket is a file of its own; gRPC carries a hundred clients on one."""
    each = CONNECTIONS_PER_CHANNEL if edge == "grpc" else 1
    ours = -(-plan.players // plan.processes // each) + len(target.gateways)
    gateways = [pid for name, pid in target.processes.items() if "gateway" in name]
    targets.check_files(ours, each="each process of the load")
    targets.check_files(
        -(-plan.players // each // max(1, len(gateways))), each="a gateway", processes=gateways
    )


async def _plan(
    target: Target,
    players: int,
    games: Sequence[str],
    *,
    rate: float,
    seconds: float,
    warm_up_s: float,
    arrivals_per_s: float,
    processes: int,
    seed: int,
    bots: bool,
) -> PlayersPlan:
    """Looks at the hall's rooms with one client. Raises NotHere."""
    rooms = await _rooms(target)
    mix = [_place(rooms, wanted) for wanted in games]
    asked = {place.room for place in mix}
    fillers = [
        Place(room.id, room.seats)
        for room in _first_rooms(rooms)
        if room.game in ("doudizhu_4p", "doudizhu_5p", "doudizhu") and room.id not in asked
    ]
    seats = {room.id: room.seats for room in rooms}
    return PlayersPlan(
        rooms=allot(players, mix, fillers),
        seats=seats,
        seconds=seconds,
        warm_up_s=warm_up_s,
        actions_per_s=rate,
        arrivals_per_s=arrivals_per_s,
        processes=min(processes, players),
        seed=seed,
        bots=bots,
    )


async def _rooms(target: Target) -> Sequence[hall_pb2.Room]:
    client = HallClient(
        target.gateways,
        server_keys=target.server_keys,
        kind="load",
        connect_timeout_s=5,
        tls=target.tls,
    )
    try:
        async with client:
            await client.guest(device_secret("rooms", 0))
            return await client.rooms()
    except Exception as error:
        raise NotHere(
            f"The hall at {', '.join(target.gateways)} lets nobody in ({reason_of(str(error))})."
        ) from error


def _first_rooms(rooms: Sequence[hall_pb2.Room]) -> list[hall_pb2.Room]:
    """Of each game the room for novices, else its first."""
    found: dict[str, hall_pb2.Room] = {}
    for room in rooms:
        if room.game not in found or room.id == f"{room.game}.novice":
            found[room.game] = room
    return list(found.values())


def _place(rooms: Sequence[hall_pb2.Room], wanted: str) -> Place:
    """ "gouji=2", or a room "gouji.bie_san=2". Raises NotHere, BadParameter."""
    name, _, part = wanted.partition("=")
    if part and not part.isdecimal():
        raise typer.BadParameter(f"--game {wanted}: after = comes a whole number")
    for room in [*_first_rooms(rooms), *rooms]:
        if name in (room.game, room.id):
            Registry.default().latest(room.game)  # the rules must be here, too
            return Place(room.id, room.seats, max(1, int(part or 1)))
    known = ", ".join(sorted({room.game for room in rooms}))
    raise NotHere(f"No room of this hall plays {name}; its games are {known}.")
