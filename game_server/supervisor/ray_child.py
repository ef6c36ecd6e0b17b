"""The child process that holds this machine's node of Ray."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from game_server.supervisor import ray_env, ray_node
from game_server.supervisor.cell import NodeState
from game_server.supervisor.children import Child
from game_server.supervisor.folders import Folders
from game_server.supervisor.gateways import free_port
from game_server.supervisor.leftovers import Record
from game_server.supervisor.metrics import SupervisorMetrics
from game_server.supervisor.settings import GameServerSettings

NAME = "ray"


class RayChild:
    """`child` to start and stop; `state` of the node that runs now."""

    def __init__(
        self,
        *,
        settings: GameServerSettings,
        folders: Folders,
        record: Record,
        metrics: SupervisorMetrics,
    ) -> None:
        self._settings = settings
        self._folders = folders
        self._state_file = folders.run / "ray-node.json"
        # The others of the cell and the head's memory know it by this port.
        self._port = settings.ray_port or free_port(settings.node_ip)
        self.child = Child(
            name=NAME,
            command=self._command,
            environment={**os.environ, **ray_env.environment(settings, folders)},
            check=self._up,
            record=record,
            metrics=metrics,
        )

    def state(self) -> NodeState | None:
        """None while it is not up."""
        found = NodeState.read(self._state_file)
        return found if found is not None and found.pid == self.child.pid else None

    async def _up(self) -> bool:
        return self.state() is not None

    def _command(self) -> Sequence[str]:
        self._state_file.unlink(missing_ok=True)
        config = ray_node.NodeConfig(
            parent_pid=os.getpid(),
            state_file=str(self._state_file),
            temp_dir=str(self._folders.ray_temp),
            node_ip=self._settings.node_ip,
            ray_address=self._settings.ray_address,
            port=self._port,
            resources={},
        )
        return [sys.executable, *ray_node.arguments(config)]
