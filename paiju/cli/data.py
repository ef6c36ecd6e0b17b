"""`paiju data-server` and `paiju migrate`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from sqlalchemy.exc import SQLAlchemyError

from data_server.server import serve
from data_server.settings import DataSettings
from data_server.store import migrate as schema
from data_server.store.database import Database
from paiju.cli.config import use
from paiju.cli.output import why
from paiju.service.settings import BadSettings, load

Folder = Annotated[
    Path | None,
    typer.Option(help="Folder of the embedded default: SQLite file, keys, tokens."),
]
Url = Annotated[
    str | None,
    typer.Option(help="postgresql://USER@HOST/DATABASE or sqlite:///FILE."),
]


def data_server(
    data_dir: Folder = None,
    database_url: Url = None,
    listen: Annotated[
        str | None, typer.Option(help="For game servers, HOST:PORT; port 0 picks one.")
    ] = None,
    admin_listen: Annotated[str | None, typer.Option(help="For operators.")] = None,
    metrics_listen: Annotated[str | None, typer.Option(help="For Prometheus.")] = None,
    peer_certificate: Annotated[
        Path | None, typer.Option(help="Mutual TLS with servers and operators: PEM file.")
    ] = None,
    peer_key: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    peer_ca: Annotated[Path | None, typer.Option(help="Whose certificates are accepted.")] = None,
    config_file: Annotated[
        Path | None, typer.Option(help="TOML file of settings; flags and environment go before.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="DEBUG, INFO, WARNING, ERROR.")] = None,
) -> None:
    """Run a data server until SIGTERM. Every setting is an environment variable, too.

    Example: paiju data-server --data-dir ./hall --listen 127.0.0.1:7410
    """

    def run() -> None:
        use(config_file)
        settings = load(
            DataSettings,
            data_dir=data_dir,
            database_url=database_url,
            data_listen=listen,
            data_admin_listen=admin_listen,
            data_metrics_listen=metrics_listen,
            peer_certificate=peer_certificate,
            peer_key=peer_key,
            peer_ca=peer_ca,
            log_level=log_level,
        )
        settings.configure_logs()
        asyncio.run(serve(settings))

    _or_exit(run)


def migrate(data_dir: Folder = None, database_url: Url = None) -> None:
    """Bring the database's schema to this version; run it before the new data servers.

    Example: paiju migrate --database-url postgresql://paiju@db/paiju
    """

    async def upgrade(url: str) -> str:
        database = Database(url, pool=1)
        try:
            return await schema.upgrade(database)
        finally:
            await database.close()

    def run() -> None:
        use(None)
        settings = load(DataSettings, data_dir=data_dir, database_url=database_url)
        if not settings.database_url:
            settings.folder().mkdir(parents=True, exist_ok=True)
        typer.echo(f"schema is at revision {asyncio.run(upgrade(settings.url()))}")

    _or_exit(run)


def _or_exit(run: Callable[[], None]) -> None:
    try:
        run()
    except BadSettings as error:
        typer.echo(f"paiju: {error}", err=True)
        raise typer.Exit(2) from None
    except OSError as error:
        _fail(why(error))
    except ValueError as error:
        _fail(str(error))
    except SQLAlchemyError as error:
        _fail(f"the database does not answer as it should: {str(error).splitlines()[0]}")


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
