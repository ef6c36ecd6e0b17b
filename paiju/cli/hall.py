"""`paiju hall`: the page, as a program of its own beside a hall on other machines."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hall_client.web.main import serve
from hall_client.web.settings import WebSettings
from paiju.service.settings import load


def hall(
    data_dir: Annotated[
        Path | None, typer.Option(help="A folder of its own, or that of a hall on this machine.")
    ] = None,
    gateways: Annotated[
        str | None, typer.Option(help="wss://HOST:PORT, several separated by commas.")
    ] = None,
    server_keys: Annotated[
        str | None, typer.Option(help="The hall's public keys, separated by commas.")
    ] = None,
    ca: Annotated[
        Path | None, typer.Option(help="Whose certificates of gateways are believed, PEM file.")
    ] = None,
    listen: Annotated[
        str | None, typer.Option(help="For http, HOST:PORT; empty: not at all.")
    ] = None,
    tls_listen: Annotated[str | None, typer.Option(help="For https, HOST:PORT.")] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    log_level: Annotated[str | None, typer.Option(help="DEBUG, INFO, WARNING, ERROR.")] = None,
) -> None:
    """Hand out the page until SIGTERM. Every setting is an environment variable, too.

    Robots and new packages come by the same gateways. Without them the folder is that of a hall
    that runs on this machine.

    Example: paiju hall --gateways wss://10.0.0.2:7743 --server-keys KEY --listen 127.0.0.1:7780
    """
    serve(
        load(
            WebSettings,
            data_dir=data_dir,
            web_gateways=gateways,
            web_server_keys=server_keys,
            web_ca=ca,
            web_listen=listen,
            web_tls_listen=tls_listen,
            tls_certificate=tls_certificate,
            tls_key=tls_key,
            log_level=log_level,
        )
    )
