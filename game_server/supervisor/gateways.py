"""What each gateway process is told, and where it listens."""

from __future__ import annotations

import ipaddress
import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence

from game_server.supervisor import folders as places
from game_server.supervisor.children import Child
from game_server.supervisor.folders import Folders
from game_server.supervisor.hub import MetricsHub
from game_server.supervisor.leftovers import Record
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.ray_env import ROOT
from game_server.supervisor.settings import GameServerSettings

PEER_FILES = ("peer_certificate", "peer_key", "peer_ca")


def free_port(host: str) -> int:
    """One that is free now; whoever is told must be ready to fail."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


class Gateways:
    """All gateways of the machine. A gateway keeps its port when it is started again."""

    def __init__(
        self,
        *,
        settings: GameServerSettings,
        folders: Folders,
        hub: MetricsHub,
        record: Record,
        metrics: SupervisorMetrics,
    ) -> None:
        self._settings = settings
        self._folders = folders
        self._hub = hub
        host, self._ws_host = settings.listen_host, settings.ws_host or settings.listen_host
        plain_ws = settings.ws_host or not settings.edge_tls
        self._ports = self._choose(settings.listen_port, host)
        self._ws_ports = self._choose(settings.ws_port, self._ws_host) if plain_ws else []
        self._wss_ports = self._choose(settings.wss_port, host) if settings.tls_key else []
        self.children = [
            self._child(number, record, metrics) for number in range(settings.gateways)
        ]

    def addresses(self) -> list[str]:
        """As players of this machine or its network reach them."""
        scheme = "grpcs://" if self._settings.edge_tls else ""
        return [f"{scheme}{_joined(self._host(), port)}" for port in self._ports]

    def web_addresses(self) -> list[str]:
        """As browsers reach them; those with TLS come last."""
        host = self._settings.ws_host or self._host()
        plain = [f"ws://{_joined(host, port)}" for port in self._ws_ports]
        return plain + [f"wss://{_joined(self._host(), port)}" for port in self._wss_ports]

    def first_web_addresses(self) -> list[str]:
        """As other machines' browsers reach the first gateway, one of each kind that there is."""
        found = {address.partition("://")[0]: address for address in self.web_addresses()[::-1]}
        if self._settings.ws_host:
            found.pop("ws", None)
        return list(found.values())

    def _host(self) -> str:
        host = self._settings.listen_host
        return self._settings.node_ip if ipaddress.ip_address(host).is_unspecified else host

    def _choose(self, first: int, host: str) -> list[int]:
        """One port per gateway: from `first` on, or free ones."""
        return [first + n if first else free_port(host) for n in range(self._settings.gateways)]

    def ready(self) -> bool:
        return all(child.ready.is_set() for child in self.children)

    def _child(self, number: int, record: Record, metrics: SupervisorMetrics) -> Child:
        name = f"{self._settings.server}/gateway-{number}"

        def command() -> Sequence[str]:
            self._hub.forget(name)
            settings = self._settings
            chosen = {
                "listen": (settings.listen_host, self._ports, settings.listen_port),
                "ws_listen": (self._ws_host, self._ws_ports, settings.ws_port),
                "wss_listen": (settings.listen_host, self._wss_ports, settings.wss_port),
            }
            listens = {"ws_listen": ""}
            for setting, (host, ports, fixed) in chosen.items():
                if not ports:
                    continue
                if not fixed and child.deaths_in_a_row > 1:
                    # Somebody may have taken the port before it was listened on.
                    ports[number] = free_port(host)
                listens[setting] = _joined(host, ports[number])
            given = json.dumps(listens)
            return [sys.executable, "-m", "game_server.gateway", "--config-json", given]

        async def check() -> bool:
            # The first push comes when it listens.
            return name in self._hub.texts()

        child = Child(
            name=name,
            command=command,
            environment=self._environment(name),
            check=check,
            record=record,
            metrics=metrics,
        )
        return child

    def _environment(self, name: str) -> Mapping[str, str]:
        settings, folders = self._settings, self._folders
        paths = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
        return {
            # What gRPC's core says on standard error any stranger can make it say.
            "GRPC_VERBOSITY": "NONE",
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "PAIJU_NAME": name,
            "PAIJU_SERVER": settings.server,
            "PAIJU_CELL": settings.cell,
            "PAIJU_CELL_SECRET": str(folders.cell_secret),
            "PAIJU_MACHINE": places.machine(),
            "PAIJU_DATA_SERVERS": json.dumps(list(settings.data_servers)),
            "PAIJU_CLUSTER_TOKEN": str(folders.cluster_token),
            "PAIJU_QUOTA": str(-(-settings.quota // settings.gateways)),
            "PAIJU_METRICS_SOCKET": str(folders.metrics_socket),
            "PAIJU_DRAIN_S": str(settings.drain_s),
            "PAIJU_LOG_LEVEL": settings.log_level,
            "PAIJU_SEAL_KEYS": str(folders.seal_keys),
            "PAIJU_PACKAGES_DIR": str(folders.packages),
            "PAIJU_PACKAGES_KEY": str(folders.packages_key),
            "PAIJU_TRUSTED_PROXIES": json.dumps(list(settings.trusted_proxies)),
            **{
                f"PAIJU_{name.upper()}": str(path.absolute())
                for name in ("tls_certificate", "tls_key", *PEER_FILES)
                if (path := getattr(settings, name)) is not None
            },
            "PAIJU_EDGE_TLS": str(settings.edge_tls).lower(),
            "PAIJU_PARENT_PID": str(os.getpid()),
        }


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
