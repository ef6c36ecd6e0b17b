"""What all `paiju admin` commands share: options, tables, and how an answer is shown."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from google.protobuf.message import Message
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from paiju.cli.admin_call import DEFAULT_ADDRESS
from paiju.cli.output import why
from paiju.cli.plain import plain
from paiju.service.ids import now_us

CALL_S = 30.0

Json = Annotated[
    Path | None, typer.Option("--json", help="Write the answer as JSON; - is standard output.")
]
Address = Annotated[
    str | None,
    typer.Option(
        envvar="PAIJU_ADMIN_ADDRESS",
        help=f"Admin port of a data server; default: from the data folder, else {DEFAULT_ADDRESS}.",
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(
        envvar="PAIJU_ADMIN_KEY_FILE", help="Operator key; default: admin-key in the data folder."
    ),
]
DataDir = Annotated[
    Path, typer.Option(envvar="PAIJU_DATA_DIR", help="Data folder of the embedded default.")
]
Reason = Annotated[str, typer.Option(help="Why; it is written into the audit.")]

HOME = Path(".paiju")


class PlainTable(Table):
    """Cells are shown as they are: what players wrote is neither markup nor a command to the
    operator's terminal."""

    def add_row(self, *cells: RenderableType | None, **more: Any) -> None:
        super().add_row(*(_shown(cell) for cell in cells), **more)


def _shown(cell: RenderableType | None) -> RenderableType | None:
    if not isinstance(cell, str):
        return cell
    return Text("".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in cell))


def table_of(*columns: str) -> Table:
    table = PlainTable(box=None)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def age_s(time_us: int) -> str:
    """How many seconds ago that was."""
    return f"{(now_us() - time_us) / 1e6:.0f}"


def moment(time_us: int) -> str:
    """For people; seconds are of no use to them here."""
    return f"{datetime.fromtimestamp(time_us / 1e6, UTC):%Y-%m-%d %H:%M} UTC"


def show(reply: Message, json_file: Path | None, *parts: Any) -> None:
    """For people on standard output, unless that is where the JSON goes."""
    to_stdout = json_file is not None and str(json_file) == "-"
    console = Console(stderr=to_stdout)
    for part in parts:
        console.print(part, markup=False)
    write_json(json_file, plain(reply))


def write_json(json_file: Path | None, value: dict[str, Any]) -> None:
    """To the file, to standard output for "-", nowhere for None."""
    if json_file is None:
        return
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    if str(json_file) == "-":
        sys.stdout.write(text)
    else:
        try:
            json_file.write_text(text)
        except OSError as error:
            typer.echo(f"--json {why(error)}", err=True)
            raise typer.Exit(2) from None
