"""`paiju game-server`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from game_server.supervisor.main import serve
from game_server.supervisor.settings import GameServerSettings
from paiju.cli.config import use
from paiju.service.settings import load


def game_server(
    server: Annotated[
        str | None, typer.Option(help="Name, unique in the hall; default: of the machine.")
    ] = None,
    cell: Annotated[str | None, typer.Option(help="Game servers that share one Ray.")] = None,
    data_dir: Annotated[
        Path | None, typer.Option(help="Journals, secrets, Ray's memory; default: .paiju")
    ] = None,
    data_servers: Annotated[
        str | None, typer.Option(help="HOST:PORT, several separated by commas.")
    ] = None,
    cluster_token_file: Annotated[
        Path | None, typer.Option(help="The data server's cluster-token.")
    ] = None,
    cell_secret_file: Annotated[
        Path | None, typer.Option(help="The head's cell-secret; needed to join.")
    ] = None,
    ray_token_file: Annotated[
        Path | None, typer.Option(help="The head's ray-token; needed to join.")
    ] = None,
    seal_keys_file: Annotated[
        Path | None, typer.Option(help="The head's seal-keys.json; needed to join.")
    ] = None,
    gateways: Annotated[int | None, typer.Option(help="Processes that players reach.")] = None,
    hosts: Annotated[int | None, typer.Option(help="Processes that hold tables.")] = None,
    listen_host: Annotated[str | None, typer.Option(help="Address for players.")] = None,
    listen_port: Annotated[
        int | None, typer.Option(help="Of the first gateway; 0: free ports.")
    ] = None,
    ws_port: Annotated[
        int | None, typer.Option(help="For browsers, of the first gateway; 0: free ports.")
    ] = None,
    wss_port: Annotated[int | None, typer.Option(help="The same with TLS.")] = None,
    tls_certificate: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    edge_tls: Annotated[
        bool | None, typer.Option(help="Programs come in by TLS with these files, too.")
    ] = None,
    peer_certificate: Annotated[
        Path | None, typer.Option(help="Mutual TLS between servers: PEM file.")
    ] = None,
    peer_key: Annotated[Path | None, typer.Option(help="PEM file.")] = None,
    peer_ca: Annotated[Path | None, typer.Option(help="Whose certificates are accepted.")] = None,
    trusted_proxies: Annotated[
        str | None, typer.Option(help="Networks whose x-forwarded-for is believed.")
    ] = None,
    advertise: Annotated[str | None, typer.Option(help="HOST:PORT that players are told.")] = None,
    node_ip: Annotated[
        str | None, typer.Option(help="This machine's address inside the cell.")
    ] = None,
    ray_address: Annotated[
        str | None, typer.Option(help="IP:PORT of the cell's head; empty: be the head.")
    ] = None,
    ray_port: Annotated[int | None, typer.Option(help="Of the head; 0: a free one.")] = None,
    journal_url: Annotated[
        str | None,
        typer.Option(help="PostgreSQL that the cell shares; empty: a file per table host."),
    ] = None,
    journal_key_file: Annotated[
        Path | None, typer.Option(help="The same on all machines that share a journal.")
    ] = None,
    quota: Annotated[int | None, typer.Option(help="Players connected at once.")] = None,
    metrics_host: Annotated[str | None, typer.Option(help="For Prometheus.")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="0: a free one.")] = None,
    config_file: Annotated[
        Path | None, typer.Option(help="TOML file of settings; flags and environment go before.")
    ] = None,
    log_level: Annotated[str | None, typer.Option(help="DEBUG, INFO, WARNING, ERROR.")] = None,
) -> None:
    """Run the game server of this machine until SIGTERM: Ray, gateways, table hosts.

    Every setting is an environment variable, too (PAIJU_ and its name).

    Example: paiju game-server --server gs-1 --data-servers 10.0.0.1:7410 --listen-port 7700
    """
    given = locals()
    use(given.pop("config_file"))
    settings = load(GameServerSettings, **given)
    settings.configure_logs()
    serve(settings)
