"""The environment of everything that has to do with Ray: its node, hosts, and ourselves.

Ray reads most of this once, when it is imported, so `apply` comes before that.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from game_server.supervisor.folders import Folders
from game_server.supervisor.settings import GameServerSettings

HEAD_AWAY_S = 3600
"""So long may the head of the cell be away before nodes and hosts end themselves."""
ROOT = Path(__file__).resolve().parents[2]


def environment(settings: GameServerSettings, folders: Folders) -> dict[str, str]:
    """What differs from Ray's defaults, and why."""
    found = {
        # Whoever reaches Ray's ports can run code: nobody gets in without the token.
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(folders.ray_token),
        # By default all nodes end themselves a minute after the head has gone.
        "RAY_gcs_rpc_server_reconnect_timeout_s": str(HEAD_AWAY_S),
        "RAY_TMPDIR": str(folders.ray_temp),
        # Ray's node forks beside its own gRPC (paiju/__init__.py says what may come of that).
        "GRPC_ENABLE_FORK_SUPPORT": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_enable_metrics_collection": "false",
        "RAY_task_events_report_interval_ms": "0",
        "RAY_DEDUP_LOGS": "0",
        "RAY_ROTATION_MAX_BYTES": str(16 * 1024 * 1024),
        "RAY_ROTATION_BACKUP_COUNT": "2",
        # No worker waits for work that never comes: hosts are the only ones.
        "RAY_enable_worker_prestart": "false",
        "RAY_prestart_worker_first_driver": "false",
        # Whoever becomes a host has imported what hosts need.
        "RAY_preload_python_modules": "game_server.tables.warm",
        # The same code in hosts as here, installed or not.
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    if not settings.ray_address:
        # A head that comes back without its memory ends the hosts that outlived it.
        found["RAY_gcs_storage"] = "rocksdb"
        found["RAY_gcs_storage_path"] = str(folders.ray_memory)
    if settings.loopback:
        # Else Ray replaces 127.0.0.1 by an outer address, where nothing listens.
        found["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    return found


def apply(variables: Mapping[str, str]) -> None:
    """For this process; PYTHONPATH is for children only."""
    os.environ.update({n: v for n, v in variables.items() if n != "PYTHONPATH"})
    os.environ.pop("RAY_ADDRESS", None)
