"""The gateway process: puts the parts together, serves until SIGTERM, drains, ends."""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import sys
import time
from pathlib import Path

import grpc
import structlog
import uvloop
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry

from game_server.data_client import DataClient
from game_server.gateway import grpc_edge, ws_edge
from game_server.gateway.context import Context
from game_server.gateway.games import HallGames
from game_server.gateway.gateway import Gateway
from game_server.gateway.metrics import Metrics
from game_server.gateway.origins import Origins
from game_server.gateway.peer_tls import PeerTls
from game_server.gateway.settings import GatewaySettings
from game_server.gateway.stream import LinkConfig
from game_server.metrics_push import push_for_ever
from game_server.packages.library import Library
from game_server.packages.shelf import ShelfFile
from paiju.rules.registry import Registry
from paiju.service import logs, process, trace
from paiju.service.ids import now_us
from paiju.service.settings import BadSettings, load
from paiju.wire.sealed import ServerChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.tls.files import Watched
from paiju.wire.tls.sockets import grpc_server, server_context

_log = structlog.get_logger()
_SERVICE = "paiju.v1.Hall"


def _games(settings: GatewaySettings) -> HallGames:
    shelf = None
    if settings.packages_dir is not None and settings.packages_key is not None:
        shelf = ShelfFile(settings.packages_dir, settings.packages_key.read_bytes())
    return HallGames(Library(Registry.default(), shelf), shelf)


def make_gateway(settings: GatewaySettings, games: HallGames) -> Gateway:
    """The gateway of these settings; call it inside the running loop."""
    metrics = Metrics(CollectorRegistry())
    context = Context(
        server=settings.server,
        gateway=settings.name,
        wall_us=now_us,
        minimum_build=settings.minimum_build,
        sentences=games.sentence,
    )
    files = settings.peer_files()
    peers = None if files is None else Watched(files, on_change=_files_changed)
    data = DataClient(
        settings.data_servers,
        token=settings.cluster_token.read_text("utf-8").strip(),
        metrics=metrics,
        tls=peers,
    )
    link = LinkConfig(
        cell=settings.cell,
        secret=settings.cell_secret.read_bytes(),
        gateway=settings.name,
        machine=settings.machine,
        idle_s=settings.link_idle_s,
        tls=None if peers is None else PeerTls(peers),
    )
    keys = ServerKeys.load(settings.seal_keys)
    return Gateway(
        context=context,
        data=data,
        link=link,
        games=games,
        metrics=metrics,
        quota=settings.quota,
        channel=lambda: ServerChannel(keys),
        origins=Origins(settings.trusted_proxies),
    )


async def serve(settings: GatewaySettings) -> None:
    """From start to drained end."""
    stop = process.stop_event()
    games = _games(settings)
    await asyncio.to_thread(games.begin)
    gateway = make_gateway(settings, games)
    gateway.start()
    server = grpc.aio.server(options=grpc_edge.OPTIONS)
    grpc_edge.add(gateway, server)
    state = grpc_edge.Probe()
    health_pb2_grpc.add_HealthServicer_to_server(state, server)
    edge_files = settings.edge_files()
    edge = None if edge_files is None else Watched(edge_files, on_change=_files_changed)
    if settings.edge_tls and edge is not None:
        port = server.add_secure_port(settings.listen, grpc_server(edge, mutual=False))
    else:
        port = server.add_insecure_port(settings.listen)
    await server.start()
    await state.set(_SERVICE, health_pb2.HealthCheckResponse.SERVING)
    web = await ws_edge.serve(gateway, settings.ws_listen) if settings.ws_listen else None
    secure = None
    if settings.wss_listen and edge is not None:
        context = server_context(edge.files, mutual=False)
        secure = await ws_edge.serve(gateway, settings.wss_listen, tls=context)
    metrics = gateway.metrics
    socket = str(settings.metrics_socket or "")
    work = [
        asyncio.create_task(process.watch_lag(metrics.loop_lag.observe)),
        asyncio.create_task(push_for_ever(socket, settings.name, metrics.registry)),
    ]
    if secure is not None and edge is not None:
        work.append(asyncio.create_task(ws_edge.renew(context, edge)))
    process.tune_gc()
    _log.info(
        "gateway.ready",
        gateway=settings.name,
        address=_joined(settings.listen, port),
        ws_address=_joined(settings.ws_listen, ws_edge.port_of(web)) if web else "",
    )

    await stop.wait()

    _log.info("gateway.draining", sessions=gateway.sessions)
    await state.enter_graceful_shutdown()
    for listening in filter(None, (web, secure)):
        listening.close()
    gateway.drain()
    until = time.monotonic() + settings.drain_s
    while gateway.connections and time.monotonic() < until:  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    await gateway.close()
    await server.stop(grace=1.0)
    for task in work:
        task.cancel()
    await asyncio.gather(*work, return_exceptions=True)
    _log.info("gateway.ended", gateway=settings.name)


def _files_changed(bad: str) -> None:
    """Of certificates; bad: why the new ones are not used, empty when they are."""
    _log.log(logging.ERROR if bad else logging.INFO, "tls.changed", bad=bad)


def _joined(listen: str, port: int) -> str:
    """Where it listens, with the port that was chosen."""
    return f"{listen.rpartition(':')[0]}:{port}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m game_server.gateway", description=__doc__)
    parser.add_argument(
        "--config-json", default="{}", help="settings as JSON, or @FILE that holds it"
    )
    given = parser.parse_args(arguments).config_json
    try:
        text = Path(given[1:]).read_text("utf-8") if given.startswith("@") else given
        settings = load(GatewaySettings, **json.loads(text))
    except (BadSettings, OSError, ValueError) as error:
        sys.exit(f"gateway: {error}")
    process.forbid_dumps()
    process.raise_file_limit()
    if settings.parent_pid is not None:
        process.die_with_parent(settings.parent_pid)
    logs.configure(
        f"gateway {settings.name}", level=settings.log_level, level_file=settings.level_file
    )
    if settings.trace_dir is not None:
        trace.open_ring(
            settings.trace_dir,
            f"gateway {settings.name}",
            records=settings.trace_records,
            one_in=settings.trace_one_in,
        )
    uvloop.run(serve(settings))
