"""`paiju admin secrets`: all secrets of a hall at once, for deployments that hand them out."""

from __future__ import annotations

import secrets as entropy
from pathlib import Path
from typing import Annotated

import typer

from data_server.folder import ADMIN_KEY, CLUSTER_TOKEN, TICKET_KEYS
from data_server.keys import Keys, read_or_make, rotate
from paiju.cli.output import fail
from paiju.service.ids import now_us
from paiju.wire.server_keys import BadKeys, ServerKeys, encode

OVERLAP_S = 600
"""Tickets live for 300 s at most."""
WORDS = (CLUSTER_TOKEN, ADMIN_KEY, "cell-secret", "ray-token", "journal-key")
SEAL_KEYS = "seal-keys.json"

secrets = typer.Typer(
    no_args_is_help=True,
    help="Secrets of a hall, for deployments that hand them out as files. "
    "Example: paiju admin secrets make --dir ./secrets",
)


@secrets.command()
def make(
    folder: Annotated[Path, typer.Option("--dir", help="Where they go; made when missing.")],
) -> None:
    """Make what is missing, mode 0600; what is there stays. Prints the hall's public keys.

    Example: paiju admin secrets make --dir ./secrets
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name in WORDS:
            read_or_make(folder / name, entropy.token_hex(32))
        Keys.from_json(read_or_make(folder / TICKET_KEYS, Keys.new().to_json()))
        keys = ServerKeys.load_or_create(folder / SEAL_KEYS)
    except OSError as error:
        fail(f"{error.filename or folder}: {error.strerror}")
    except (BadKeys, ValueError) as error:
        fail(str(error))
    typer.echo(",".join(encode(key) for key in keys.public))


@secrets.command("rotate-tickets")
def rotate_tickets(
    file: Annotated[Path, typer.Option(help="ticket-keys.json.")],
) -> None:
    """Put a new key in front; the former one is good for ten minutes more.

    Copy the file to all data servers within that time; each reads it again within 30 s.

    Example: paiju admin secrets rotate-tickets --file ./secrets/ticket-keys.json
    """
    try:
        rotate(file, now_us=now_us(), overlap_us=OVERLAP_S * 10**6)
    except OSError as error:
        fail(f"{file}: {error.strerror}")
    except ValueError as error:
        fail(f"{file}: {error}")
    typer.echo(f"{file}: copy it to all data servers within {OVERLAP_S // 60} minutes")
