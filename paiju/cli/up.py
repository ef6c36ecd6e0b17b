"""`paiju up`: the whole hall on this machine, until Ctrl-C."""

from __future__ import annotations

import asyncio
import io
import os
import shutil
import signal
import sys
from pathlib import Path
from typing import Annotated

import segno
import typer
from rich.console import Console

from hall_client.web import certificate
from paiju.cli.config import use
from paiju.cli.local import HallFailed, LocalHall

DEFAULT_FOLDER = Path(".paiju")
DEFAULT_PORT = 7700
DEFAULT_WEB_PORT = 7780


def up(
    data_dir: Annotated[
        Path, typer.Option(envvar="PAIJU_DATA_DIR", help="Everything that the hall keeps.")
    ] = DEFAULT_FOLDER,
    port: Annotated[
        int, typer.Option(min=0, max=65_000, help="Of the first gateway; 0: free ones.")
    ] = DEFAULT_PORT,
    web_port: Annotated[
        int | None,
        typer.Option(min=0, max=65_000, help="Of the page; https takes the next one.  [7780]"),
    ] = None,
    lan: Annotated[bool, typer.Option("--lan", help="Also for this network, by https.")] = False,
    gateways: Annotated[int, typer.Option(min=1, max=16, help="Processes players reach.")] = 2,
    hosts: Annotated[int, typer.Option(min=1, max=16, help="Processes with tables.")] = 1,
    database: Annotated[str, typer.Option(help="sqlite, postgresql, or a URL.")] = "sqlite",
) -> None:
    """Start data server and game server here; Ctrl-C drains and stops them.

    Example: paiju up --port 7800 --data-dir ./hall
    """
    use(None)
    hall = LocalHall(
        data_dir=data_dir,
        database=database,
        gateways=gateways,
        hosts=hosts,
        port=port,
        # Who wants free ports for the gateways wants them for the page, too.
        web_port=(DEFAULT_WEB_PORT if port else 0) if web_port is None else web_port,
        lan=lan,
    )
    try:
        asyncio.run(_serve(hall, _play(data_dir)))
    except HallFailed as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None


async def _serve(hall: LocalHall, play: str) -> None:
    stop = asyncio.Event()
    task = asyncio.current_task()
    assert task is not None
    started = False

    def asked() -> None:
        """Once: in order. While it still starts: give up."""
        if not started:
            task.cancel()
        stop.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked)
    console = Console(highlight=False, soft_wrap=True)
    console.print("Starting the hall ...")
    try:
        async with hall:
            started = True
            _tell(console, hall, play)
            await stop.wait()
            console.print("Stopping: hands end, stakes go back ...")
        console.print("Stopped.")
    except asyncio.CancelledError:
        if not stop.is_set():
            raise
        console.print("Stopped before it was ready.")


def _tell(console: Console, hall: LocalHall, play: str) -> None:
    logs = _short(hall.logs)
    console.print(f"Paiju is ready after {hall.seconds:.1f} s.")
    console.print(f"  gateways  {', '.join(hall.gateways)}")
    console.print(f"  logs      {logs}")
    for name, url in hall.metrics.items():
        console.print(f"  metrics   {url} ({name})")
    for page in hall.pages:
        console.print(f"  page      {page}")
    _tell_lan(console, hall)
    console.print("To play, open the page in a browser, or type in a second terminal:")
    console.print(f"  {play}", style="bold")
    console.print("Ctrl-C stops the hall.")


def _tell_lan(console: Console, hall: LocalHall) -> None:
    """For telephones: where, a QR code, and how to trust a certificate nobody vouches for."""
    secure = [page for page in hall.pages if page.startswith("https")]
    if not hall.lan or not secure or hall.certificate is None:
        return
    code = io.StringIO()
    segno.make(secure[0], micro=False).terminal(code, compact=True, border=2)
    console.print(code.getvalue(), markup=False, highlight=False)
    console.print(
        "The certificate of this address is our own: the browser warns once. Compare what it "
        f"shows as SHA-256 with\n  {certificate.fingerprint(hall.certificate)}\nand go on."
    )


def _play(data_dir: Path) -> str:
    """The command line, as it works in this folder."""
    program = Path(sys.argv[0]).absolute()
    if program.name != "paiju":
        command = f"{_short(Path(sys.executable))} -m paiju.cli.main"
    elif shutil.which("paiju") == str(program):
        command = "paiju"
    else:
        command = _short(program)
    return f"{command} play" + ("" if data_dir == DEFAULT_FOLDER else f" --data-dir {data_dir}")


def _short(path: Path) -> str:
    """Relative where that is shorter."""
    relative = os.path.relpath(path)
    return relative if len(relative) < len(str(path)) else str(path)
