"""The ports: game servers, operators, metrics; health and reflection on the first two."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import structlog
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from data_server.calls.accounts import AccountsCalls
from data_server.calls.admin import AdminCalls
from data_server.calls.auth import BearerInterceptor
from data_server.calls.cluster import ClusterCalls
from data_server.calls.lanes import Lanes
from data_server.calls.ledger import LedgerCalls
from data_server.calls.packages import PackageAdminCalls, PackagesCalls
from data_server.calls.peers import PeerInterceptor
from data_server.folder import Addresses, Secrets
from data_server.lanes import Lane
from data_server.metrics import Metrics
from data_server.scrape import Scrape
from data_server.services import Services
from data_server.settings import DataSettings
from paiju.service.red import RedInterceptor
from paiju.wire.tls.files import Watched
from paiju.wire.tls.identity import DATA_SERVER, GAME_SERVER, OPERATOR
from paiju.wire.tls.sockets import grpc_server
from paiju.wire.v1 import data_pb2, data_pb2_grpc, packages_pb2, packages_pb2_grpc

log = structlog.get_logger()

_OPTIONS = [
    ("grpc.max_receive_message_length", 16 * 2**20),
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
    ("grpc.http2.max_ping_strikes", 0),
    ("grpc.so_reuseport", 0),
    # Whoever only connects is not kept, and nothing is unpacked before the token was looked at.
    ("grpc.server_handshake_timeout_ms", 10_000),
    ("grpc.compression_enabled_algorithms_bitset", 1),
]


@dataclass(kw_only=True)
class Edge:
    settings: DataSettings
    secrets: Secrets
    lanes: Lanes
    metrics: Metrics
    services: Services
    end: Callable[[], None]
    """Asks the process to drain and end."""
    _servers: list[grpc.aio.Server] = field(default_factory=list)
    _health: list[health.aio.HealthServicer] = field(default_factory=list)
    peers: list[PeerInterceptor] = field(default_factory=list)
    """Of each port, in use when there are certificates."""
    _tls: Watched | None = None
    _serving: bool = False

    async def start(self) -> Addresses:
        files = self.settings.peer_files()
        self._tls = None if files is None else Watched(files, on_change=self._tls_changed)
        main, main_port = self._server(
            self.settings.data_listen,
            self.secrets.cluster_token,
            ["Accounts", "Ledger", "Cluster", "Packages"],
            PeerInterceptor(
                roles=(GAME_SERVER,),
                own_name=True,
                metrics=self.metrics,
                kept=self.services.registry.kept_by,
            ),
        )
        data_pb2_grpc.add_AccountsServicer_to_server(
            AccountsCalls(self.services.accounts, self.lanes, self.metrics), main
        )
        data_pb2_grpc.add_LedgerServicer_to_server(
            LedgerCalls(self.services.bank, self.lanes, self.metrics), main
        )
        data_pb2_grpc.add_ClusterServicer_to_server(ClusterCalls(self.services, self.lanes), main)
        packages_pb2_grpc.add_PackagesServicer_to_server(
            PackagesCalls(self.services, self.lanes), main
        )
        admin, admin_port = self._server(
            self.settings.data_admin_listen,
            self.secrets.admin_key,
            ["Admin", "PackageAdmin"],
            PeerInterceptor(roles=(OPERATOR, DATA_SERVER), own_name=False, metrics=self.metrics),
        )
        checks = Lane("checks", at_once=1, waiting=4)
        data_pb2_grpc.add_AdminServicer_to_server(
            AdminCalls(self.services, self.lanes, checks, self.end), admin
        )
        packages_pb2_grpc.add_PackageAdminServicer_to_server(
            PackageAdminCalls(self.services, self.lanes), admin
        )
        host, port = _split(self.settings.data_metrics_listen)
        self._scrape = Scrape(self.metrics.registry, serving=lambda: self._serving)
        metrics_port = await self._scrape.start(host, port)
        await asyncio.gather(*(server.start() for server in self._servers))
        await self._set(health_pb2.HealthCheckResponse.SERVING)
        return Addresses(
            address=_join(self.settings.data_listen, main_port),
            admin=_join(self.settings.data_admin_listen, admin_port),
            metrics=f"{host}:{metrics_port}",
        )

    def _server(
        self, listen: str, token: str, services: list[str], peers: PeerInterceptor
    ) -> tuple[grpc.aio.Server, int]:
        self.peers.append(peers)
        interceptors = [RedInterceptor(self.metrics.red), BearerInterceptor(token)]
        server = grpc.aio.server(
            interceptors=[*interceptors, *([peers] if self._tls is not None else [])],
            options=_OPTIONS,
        )
        try:
            if self._tls is None:
                port = server.add_insecure_port(listen)
            else:
                credentials = grpc_server(
                    self._tls, mutual=True, on_handshake=self.metrics.tls_handshakes.inc
                )
                port = server.add_secure_port(listen, credentials)
        except RuntimeError:
            port = 0
        if port == 0:
            raise ValueError(f"cannot listen on {listen}: is it taken by another program?")
        servicer = health.aio.HealthServicer()
        health_pb2_grpc.add_HealthServicer_to_server(servicer, server)
        described = {
            **data_pb2.DESCRIPTOR.services_by_name,
            **packages_pb2.DESCRIPTOR.services_by_name,
        }
        names = [described[name].full_name for name in services]
        reflection.enable_server_reflection(
            [*names, health.SERVICE_NAME, reflection.SERVICE_NAME], server
        )
        self._servers.append(server)
        self._health.append(servicer)
        return server, port

    def _tls_changed(self, bad: str) -> None:
        """Called from a thread of gRPC's."""
        self.metrics.tls_reloads.labels("refused" if bad else "used").inc()
        log.log(logging.ERROR if bad else logging.INFO, "tls.changed", bad=bad)

    async def _set(self, status: Any) -> None:
        self._serving = status == health_pb2.HealthCheckResponse.SERVING
        for servicer in self._health:
            await servicer.set("", status)

    async def not_serving(self) -> None:
        await self._set(health_pb2.HealthCheckResponse.NOT_SERVING)

    async def stop(self) -> None:
        """Close the ports; answers that are ready still go out."""
        closing = [server.stop(1.0) for server in self._servers]
        await asyncio.gather(*closing, self._scrape.stop())


def _split(listen: str) -> tuple[str, int]:
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit():
        raise ValueError(f"{listen!r} is no address; write HOST:PORT")
    return host, int(port)


def _join(listen: str, port: int) -> str:
    return f"{listen.rpartition(':')[0]}:{port}"
