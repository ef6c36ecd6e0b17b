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
        self._ports = [
            settings.listen_port + n if settings.listen_port else free_port(settings.listen_host)
            for n in range(settings.gateways)
        ]
        self.children = [
            self._child(number, record, metrics) for number in range(settings.gateways)
        ]

    def addresses(self) -> list[str]:
        """As players of this machine or its network reach them."""
        host = self._settings.listen_host
        if ipaddress.ip_address(host).is_unspecified:
            host = self._settings.node_ip
        return [_joined(host, port) for port in self._ports]

    def ready(self) -> bool:
        return all(child.ready.is_set() for child in self.children)

    def _child(self, number: int, record: Record, metrics: SupervisorMetrics) -> Child:
        name = f"{self._settings.server}/gateway-{number}"

        def command() -> Sequence[str]:
            self._hub.forget(name)
            if not self._settings.listen_port and child.deaths_in_a_row > 1:
                # Somebody may have taken the port before it was listened on.
                self._ports[number] = free_port(self._settings.listen_host)
            listen = _joined(self._settings.listen_host, self._ports[number])
            given = json.dumps({"listen": listen})
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
            "PAIJU_PARENT_PID": str(os.getpid()),
        }


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
