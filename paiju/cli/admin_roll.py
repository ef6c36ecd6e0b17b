"""`paiju admin roll`: every process under play is started anew, one after another.

Each game server does it by itself when the data server says so (game_server/supervisor/roll.py);
this asks one, waits, and asks the next. A server on which something does not come back is said,
and no other is touched. The data servers come first, one by one: a new one understands the game
servers of the release before, not the other way round.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from paiju.cli.admin_call import AdminFailed, Asking
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    write_json,
)
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

LOOK_S = 0.5


def roll(
    reason: Reason,
    servers: Annotated[
        list[str] | None, typer.Argument(help="Game servers; default: all that are alive.")
    ] = None,
    data_server: Annotated[
        list[str] | None,
        typer.Option(help="Admin ports of further data servers of the hall, as host:port."),
    ] = None,
    keep_data_servers: Annotated[
        bool, typer.Option("--keep-data-servers", help="Only gateways and table hosts.")
    ] = False,
    within: Annotated[float, typer.Option(min=1, help="Seconds for each server.")] = 600.0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Start gateways, table hosts and data servers anew under play; nobody loses anything.

    Example: paiju admin roll --reason "new version"
    """
    asking = Asking.of(address, key_file, data_dir)
    console = Console(stderr=json_file is not None and str(json_file) == "-")
    took: dict[str, float] = {}
    try:
        servers = servers or _alive(asking)
        if not keep_data_servers:
            for one in (asking, *(asking.at(where) for where in data_server or ())):
                name = f"data server {one.where}"
                took[name] = _end_data_server(one, name, reason, within, console)
        for server in servers:
            took[server] = _roll_server(asking, server, reason, within, console)
    except AdminFailed as failed:
        console.print(str(failed), markup=False, highlight=False)
        raise typer.Exit(1) from None
    finally:
        write_json(json_file, {"seconds": took})
    console.print("Every process is new.")


def _alive(asking: Asking) -> list[str]:
    return [node.server for node in _nodes(asking).nodes if node.alive]


def _nodes(asking: Asking) -> data_pb2.NodesReply:
    return asking.ask(lambda s, m: s.Nodes(data_pb2.NodesRequest(), metadata=m, timeout=CALL_S))


def _roll_server(
    asking: Asking, server: str, reason: str, within_s: float, console: Console
) -> float:
    """Seconds it took. Raises AdminFailed."""
    request = data_pb2.RollServerRequest(op=new_op(), server=server, reason=reason)
    wanted = asking.ask(lambda s, m: s.RollServer(request, metadata=m, timeout=CALL_S)).roll
    said = ""

    def done() -> bool:
        nonlocal said
        (node,) = (node for node in _nodes(asking).nodes if node.server == server)
        if node.rolling and node.rolling != said:
            said = node.rolling
            console.print(f"{server}: {said}", markup=False, highlight=False)
        return bool(node.alive and node.rolled >= wanted)

    took = _until(done, within_s, lambda: f"{server} is not through: it is at {said or 'nothing'}")
    console.print(f"{server}: done after {took:.0f} s", markup=False, highlight=False)
    return took


def _end_data_server(
    asking: Asking, name: str, reason: str, within_s: float, console: Console
) -> float:
    """Until another process answers there. Raises AdminFailed."""
    before = _nodes(asking).started_us
    request = data_pb2.EndDataServerRequest(op=new_op(), reason=reason)
    asking.ask(lambda s, m: s.EndDataServer(request, metadata=m, timeout=CALL_S))

    def new() -> bool:
        try:
            return _nodes(asking).started_us > before
        except AdminFailed:
            return False

    took = _until(new, within_s, lambda: f"{name} has ended and does not come back")
    console.print(f"{name}: done after {took:.0f} s", markup=False, highlight=False)
    return took


def _until(condition: Callable[[], bool], within_s: float, otherwise: Callable[[], str]) -> float:
    begun = time.monotonic()
    while not condition():
        if time.monotonic() - begun > within_s:
            raise AdminFailed(otherwise())
        time.sleep(LOOK_S)
    return round(time.monotonic() - begun, 1)
