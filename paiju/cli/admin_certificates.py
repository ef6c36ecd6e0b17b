"""`paiju admin certificates`: an authority of one's own for bare machines, and what it gives."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from paiju.cli.admin_options import Json, table_of, write_json
from paiju.cli.output import console, fail
from paiju.wire.tls.authority import CA_DAYS, CA_FILE, CA_KEY_FILE, DAYS, Authority
from paiju.wire.tls.files import BadTls, check_certificates
from paiju.wire.tls.identity import NotYours, identity_of

certificates = typer.Typer(
    no_args_is_help=True,
    help="Certificates for TLS between servers, and for players on bare machines. "
    "Example: paiju admin certificates init --cell cell-1 --dir ./authority",
)
Dir = Annotated[Path, typer.Option("--dir", help="Folder of the authority.")]
HERE = Path("authority")


@certificates.command()
def init(
    cell: Annotated[str, typer.Option(help="Whose authority it is.")] = "cell-1",
    folder: Dir = HERE,
    days: Annotated[int, typer.Option(min=1, max=36_500, help="How long it is valid.")] = CA_DAYS,
) -> None:
    """Make the authority of a cell: ca.pem for everybody, ca-key.pem for this folder alone.

    Example: paiju admin certificates init --cell cell-1 --dir ./authority
    """
    try:
        Authority.make(folder, cell=cell, days=days)
    except BadTls as bad:
        fail(str(bad))
    typer.echo(f"{folder / CA_FILE} goes to every machine of {cell}")
    typer.echo(f"{folder / CA_KEY_FILE} stays here: whoever has it can pose as any server")


@certificates.command()
def issue(
    role: Annotated[
        str, typer.Option(help="data-server, game-server, operator, or players (the edge).")
    ],
    name: Annotated[str, typer.Option(help="Of a game server: as in its --server.")],
    address: Annotated[
        list[str] | None,
        typer.Option(help="IP address or host name by which others reach it; several times."),
    ] = None,
    folder: Dir = HERE,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the two files; default: the authority's.")
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=3650, help="How long it is valid.")] = DAYS,
) -> None:
    """Give a program its certificate: NAME.pem and NAME-key.pem, in place of older ones.

    Example: paiju admin certificates issue --role data-server --name data-1 --address 10.0.0.1
    """
    try:
        made, key = Authority.load(folder).issue(
            out or folder, role=role, name=name, addresses=address or (), days=days
        )
    except BadTls as bad:
        fail(str(bad))
    typer.echo(f"{made} and {key}: for {role} {name}, {days} days")


@certificates.command()
def show(
    files: Annotated[list[Path], typer.Argument(help="PEM files.")], json_file: Json = None
) -> None:
    """Whom certificates name and until when; exit 1 when one cannot be used.

    Example: paiju admin certificates show authority/data-1.pem
    """
    table = table_of("file", "for", "valid until")
    rows = []
    bad = False
    for path in files:
        try:
            found = check_certificates(path, path.read_bytes())[0]
        except (BadTls, OSError) as error:
            bad = True
            table.add_row(str(path), "BAD", str(error))
            rows.append({"file": str(path), "ok": False, "detail": str(error)})
            continue
        try:
            who = identity_of(found).uri()
        except NotYours:
            who = found.subject.rfc4514_string()
        ends = found.not_valid_after_utc.astimezone(UTC)
        table.add_row(str(path), who, f"{ends:%Y-%m-%d %H:%M} UTC")
        left_s = (ends - datetime.now(UTC)).total_seconds()
        rows.append({"file": str(path), "ok": True, "for": who, "days": int(left_s // 86_400)})
    console(None if json_file is None else str(json_file)).print(table)
    write_json(json_file, {"certificates": rows})
    if bad:
        raise typer.Exit(1)
