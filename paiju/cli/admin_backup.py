"""`paiju admin backup`, `restore` and `restored`: copies of the hall's database."""

from __future__ import annotations

import asyncio
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from sqlalchemy.exc import SQLAlchemyError

from data_server.settings import DataSettings
from data_server.store import backup as copies
from paiju.cli.admin_options import HOME, DataDir, Json, Reason, write_json
from paiju.cli.output import why
from paiju.service.ids import now_us
from paiju.service.settings import load

WHO = "operator"

Url = Annotated[
    str | None, typer.Option(help="Database; default: hall.sqlite3 in the data folder.")
]


def backup(
    target: Annotated[Path, typer.Argument(help="The new file; never overwritten.")],
    data_dir: DataDir = HOME,
    database_url: Url = None,
    json_file: Json = None,
) -> None:
    """Copy the database while the hall runs, and check the copy. SQLite only.

    Keep ticket-keys.json in another place: the two together are worth more to a thief.
    For PostgreSQL see docs/operations.md.

    Example: paiju admin backup /backup/hall-monday.sqlite3 --data-dir /srv/paiju
    """
    source = _sqlite_file(data_dir, database_url)
    try:
        copies.copy(source, target)
        made = asyncio.run(copies.check(target))
    except OSError as error:
        _fail(why(error))
    except ValueError as error:
        _fail(str(error))
    typer.echo(
        f"{target}: {made.bytes} bytes, {made.players} players, {made.settlements} settlements; "
        "the ledger is even",
        err=True,
    )
    write_json(json_file, asdict(made))


def restore(
    source: Annotated[Path, typer.Argument(help="A copy that `backup` made.")],
    reason: Reason,
    data_dir: DataDir = HOME,
    database_url: Url = None,
    json_file: Json = None,
) -> None:
    """Put a copy back. All data servers must be stopped; game servers may go on playing.

    What is there now is kept beside it. Everybody has to log in again.

    Example: paiju admin restore /backup/hall-monday.sqlite3 --reason "disk died" --data-dir hall
    """
    target = _sqlite_file(data_dir, database_url)
    if copies.in_use(target):
        _fail(f"{target} is in use by a data server; stop it first")
    if not reason.strip():
        _fail("a reason is needed")
    draft = target.with_name(f"{target.name}.restoring")
    try:
        draft.unlink(missing_ok=True)
        copies.copy(source, draft)
        found = asyncio.run(copies.check(draft))
        asyncio.run(copies.prepare(f"sqlite:///{draft}", who=WHO, why=reason))
        aside = _put_aside(target)
        draft.replace(target)
    except OSError as error:
        _fail(why(error))
    except ValueError as error:
        _fail(str(error))
    typer.echo(
        f"{target} is the copy of {source}: {found.players} players, "
        f"{found.settlements} settlements" + (f"; the former is {aside}" if aside else ""),
        err=True,
    )
    write_json(json_file, {**asdict(found), "aside": str(aside) if aside else None})


def restored(
    database_url: Annotated[str, typer.Option(help="postgresql://USER@HOST/DATABASE")],
    reason: Reason,
    json_file: Json = None,
) -> None:
    """After PostgreSQL was put back to an earlier moment, before the data servers start.

    Leaves a gap of ids, ends all sessions and notes the moment, as `restore` does for SQLite.

    Example: paiju admin restored --database-url postgresql://paiju@db/paiju --reason "disk died"
    """
    if not reason.strip():
        _fail("a reason is needed")
    url = load(DataSettings, database_url=database_url).url()
    try:
        last_us = asyncio.run(copies.prepare(url, who=WHO, why=reason))
    except SQLAlchemyError as error:
        _fail(f"the database does not answer as it should: {str(error).splitlines()[0]}")
    ago_s = (now_us() - last_us) / 1e6
    typer.echo(f"ready; the last ledger entry is {ago_s:.0f} s old", err=True)
    write_json(json_file, {"last_us": last_us})


def _sqlite_file(data_dir: Path, database_url: str | None) -> Path:
    url = load(DataSettings, data_dir=data_dir, database_url=database_url).url()
    if not url.startswith("sqlite:///"):
        _fail("only SQLite is copied here; for PostgreSQL see docs/operations.md")
    return Path(url.removeprefix("sqlite:///"))


def _put_aside(target: Path) -> Path | None:
    """Rename what is there, with what SQLite keeps beside it."""
    if not target.exists():
        return None
    aside = target.with_name(f"{target.name}.before-{time.time_ns() // 1000}")
    for end in ("-wal", "-shm"):
        beside = target.with_name(target.name + end)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + end))
    target.rename(aside)
    return aside


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
