"""What all `paiju load` commands share: options, the aim, and faults that become sentences."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hall_client.links import is_address
from hall_client.load import target as targets
from hall_client.load.crew import WorkerDied
from hall_client.load.data_calls import DataTarget
from hall_client.load.target import NotHere, Target
from hall_client.terminal import places
from hall_client.tls import Tls
from paiju.cli import output
from paiju.wire import server_keys
from paiju.wire.tls.files import BadTls

PLAYERS_PER_PROCESS = 500

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
]
Html = Annotated[str | None, typer.Option("--html", metavar="FILE", help="Also a page with plots.")]
Addresses = Annotated[
    list[str] | None,
    typer.Option(
        "--address",
        metavar="HOST:PORT",
        help="Gateways, by TLS grpcs:// or wss://; default: this machine's hall.",
    ),
]
ServerKey = Annotated[
    str, typer.Option(metavar="KEY", help="The hall's public key; needed with --address.")
]
Ca = Annotated[
    Path | None, typer.Option(metavar="FILE", help="With TLS: the authorities to believe; PEM.")
]
TlsName = Annotated[
    str, typer.Option(metavar="NAME", help="With TLS: what the certificate must name.")
]
DataDir = Annotated[
    Path | None, typer.Option(help="Of this machine's hall; default $PAIJU_DATA_DIR, .paiju.")
]
Mine = Annotated[
    bool, typer.Option("--i-own-this-target", help="The target is not this machine, and is yours.")
]
Edge = Annotated[str, typer.Option(help="grpc or ws (WebSocket).")]
Processes = Annotated[int, typer.Option(min=0, max=64, help="Of load; 0: as many as it takes.")]
Seed = Annotated[int, typer.Option(help="Of the clients' choices; never of the cards.")]
WarmUp = Annotated[float, typer.Option(min=0, help="Seconds that do not count.")]


def aimed(
    addresses: Sequence[str] | None,
    server_key: str,
    data_dir: Path | None,
    *,
    edge: str,
    mine: bool,
    reports: Sequence[str | None],
    tls: Tls,
) -> Target:
    """Where the load goes, once it is clear that it may and can. Raises NotHere, BadParameter."""
    if edge not in ("grpc", "ws"):
        raise typer.BadParameter("--edge is grpc or ws")
    for file in reports:
        output.check_writable(file)
    if addresses:
        target = Target(gateways=_checked(addresses, edge), server_keys=_keys(server_key), tls=tls)
    else:
        target = targets.local(places.data_dir(data_dir), edge=edge)
    targets.check_owner(target.gateways, mine=mine)
    targets.check_answers(target.gateways)
    targets.check_space(*([target.folder] if target.folder else []), Path.cwd())
    return target


def data_target(
    address: str,
    token_file: Path | None,
    data_dir: Path | None,
    *,
    mine: bool,
    reports: Sequence[str | None],
) -> DataTarget:
    """The data server to load, once it may and can be. Raises NotHere, BadParameter."""
    for file in reports:
        output.check_writable(file)
    if address:
        if not is_address(address):
            raise typer.BadParameter(f"--data-server: {address!r} is not HOST:PORT")
        if token_file is None:
            raise typer.BadParameter("--data-server needs --token-file, the token of its cluster")
        try:
            target = DataTarget(address, token_file.read_text("ascii").strip())
        except (OSError, ValueError):
            raise typer.BadParameter(f"--token-file: {token_file} cannot be read") from None
    else:
        target = DataTarget.local(places.data_dir(data_dir))
    targets.check_owner([target.address], mine=mine)
    targets.check_answers([target.address])
    targets.check_space(*([target.folder] if target.folder else []), Path.cwd())
    return target


def believed(ca: Path | None, tls_name: str) -> Tls:
    """How certificates of gateways are checked. Raises NotHere."""
    try:
        return Tls(name=tls_name) if ca is None else Tls.load(ca, name=tls_name)
    except BadTls as error:
        raise NotHere(f"--ca: {error}.") from None


def _checked(addresses: Sequence[str], edge: str) -> tuple[str, ...]:
    for address in addresses:
        if not is_address(address):
            raise typer.BadParameter(f"--address: {address!r} is not HOST:PORT")
    if edge == "ws":
        return tuple(a if "://" in a else f"ws://{a}" for a in addresses)
    return tuple(addresses)


def _keys(server_key: str) -> tuple[bytes, ...]:
    try:
        return server_keys.pinned(server_key)
    except server_keys.BadKeys as error:
        raise typer.BadParameter(f"--server-key: {error}") from None


def processes_for(asked: int, clients: int) -> int:
    """As asked; else enough for so many clients, and no more than twice the cores."""
    most = 2 * (os.cpu_count() or 1)
    return asked or max(1, min(most, -(-clients // PLAYERS_PER_PROCESS)))


@contextmanager
def guarded() -> Iterator[None]:
    """What cannot be is a sentence and exit 1."""
    try:
        yield
    except (NotHere, WorkerDied) as error:
        output.fail(str(error))
