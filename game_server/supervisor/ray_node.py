"""The program that holds one node of Ray: `python -m game_server.supervisor.ray_node JSON`.

It does what `ray start --block` does, with three differences that matter here:

* When only the head's control process (gcs_server) dies it is started again on the same
  port and storage. `ray start --block` ends the node, and with it every table on the machine.
* Neither the Ray client's proxy, nor the autoscaler, nor the dashboard is started: about
  200 MiB that nobody uses, and three open ports.
* What was started is written to a file, so that nobody must read output.

It uses `ray._private`, as `ray start` itself does; tests/integration/supervisor notices when
a new Ray changes that. All processes of the node die with this one (the kernel sees to it),
and this one with the supervisor.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from game_server.supervisor import orphans
from paiju.service.process import die_with_parent

POLL_S = 0.2
RESTARTS = 5
"""So often within a minute may the control process die; then the node ends."""


@dataclass(frozen=True, kw_only=True)
class NodeConfig:
    """ray_address "": this is the head, and listens on `port`. state_file: written when up."""

    parent_pid: int
    state_file: str
    temp_dir: str
    node_ip: str
    ray_address: str = ""
    port: int = 0
    num_cpus: int = 64
    object_store_bytes: int = 80 * 1024 * 1024
    resources: dict[str, float]

    @property
    def head(self) -> bool:
        return not self.ray_address


def arguments(config: NodeConfig) -> list[str]:
    """The command line after the interpreter."""
    return ["-m", "game_server.supervisor.ray_node", json.dumps(asdict(config))]


def start(config: NodeConfig) -> Any:
    """Ray's node, running."""
    from ray._private.node import Node
    from ray._private.parameter import RayParams

    class LeanNode(Node):
        def start_api_server(self, **_: object) -> None:
            """No dashboard, not even its minimal form."""

    return LeanNode(
        RayParams(
            node_ip_address=config.node_ip,
            node_name=config.node_ip,
            gcs_address=config.ray_address or None,
            gcs_server_port=config.port if config.head else None,
            num_cpus=config.num_cpus,
            num_gpus=0,
            resources=config.resources,
            object_store_memory=config.object_store_bytes,
            temp_dir=config.temp_dir,
            include_dashboard=False,
            include_log_monitor=False,  # type: ignore[arg-type]
            no_monitor=True,
            webui="",
        ),
        head=config.head,
        shutdown_at_exit=False,
        spawn_reaper=True,
    )


def _publish(config: NodeConfig, node: Any) -> None:
    path = Path(config.state_file)
    fresh = path.with_suffix(".new")
    fresh.write_text(
        json.dumps(
            {
                "pid": os.getpid(),
                "address": node.gcs_address,
                "node_id": node.node_id,
                "session_dir": node.get_session_dir_path(),
                "below": orphans.descendants(os.getpid()),
            }
        )
    )
    fresh.replace(path)


def watch(node: Any, stopping: Sequence[int]) -> int:
    """Until a signal came (0) or the node cannot go on (1)."""
    restarts: list[float] = []
    while not stopping:
        time.sleep(POLL_S)
        dead = [kind for kind, _ in node.dead_processes()]
        if not dead:
            continue
        print(f"ray: {', '.join(dead)} died", file=sys.stderr, flush=True)  # noqa: T201
        now = time.monotonic()
        restarts = [at for at in restarts if now - at < 60.0]
        if dead != ["gcs_server"] or len(restarts) >= RESTARTS:
            return 1
        restarts.append(now)
        node.kill_gcs_server(check_alive=False)
        node.start_gcs_server()
    return 0


def main() -> None:
    config = NodeConfig(**json.loads(sys.argv[1]))
    stopping: list[int] = []
    up = False

    def stop(number: int, _: FrameType | None) -> None:
        stopping.append(number)
        if not up:
            os._exit(1)  # what was started so far dies with us

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(config.parent_pid)
    orphans.adopt()
    node = start(config)
    up = True
    _publish(config, node)
    code = watch(node, stopping)
    node.kill_all_processes(check_alive=False, allow_graceful=True, wait=True)
    orphans.end_adopted()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
