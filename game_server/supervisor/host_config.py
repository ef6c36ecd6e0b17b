"""What each table host of this machine is told when it starts (game_server/tables/config.py)."""

from __future__ import annotations

from typing import Any

from game_server.supervisor import folders as places
from game_server.supervisor.folders import Folders
from game_server.supervisor.gateways import PEER_FILES
from game_server.supervisor.settings import GameServerSettings


def own_hosts(settings: GameServerSettings) -> list[str]:
    """The names of this server's own hosts."""
    return [f"{settings.server}-{number}" for number in range(settings.hosts)]


def host_config(
    settings: GameServerSettings, folders: Folders, *, name: str, home: str
) -> dict[str, Any]:
    """For a host that runs here, be it our own or one of a lost machine (home: whose it is)."""
    tcp_host = settings.tcp_host
    if tcp_host is None:
        tcp_host = "" if settings.loopback else settings.node_ip
    url = settings.journal_url or f"sqlite:///{folders.journal}/{{host}}.sqlite3"
    return {
        "host": name,
        "home": home,
        "cell": settings.cell,
        "server": settings.server,
        "machine": places.machine(),
        "run_dir": str(folders.run),
        "data_servers": list(settings.data_servers),
        "cluster_token": folders.cluster_token.read_text("utf-8").strip(),
        "cell_secret": folders.cell_secret.read_bytes(),
        "journal_url": url.replace("{host}", name),
        "journal_key": folders.journal_key.read_bytes(),
        "rows_keep_s": settings.rows_keep_s,
        "outbox_keep_s": settings.outbox_keep_s,
        "drain_s": settings.drain_s,
        "max_tables": settings.max_tables,
        "memory_mb": settings.host_memory_mb,
        "packages_dir": str(folders.packages),
        "packages_key": folders.packages_key.read_bytes(),
        "metrics_socket": str(folders.metrics_socket),
        "tcp_host": tcp_host,
        **{
            name: str(path.absolute())
            for name in PEER_FILES
            if (path := getattr(settings, name)) is not None
        },
        "trace_dir": str(folders.traces),
        "trace_records": settings.trace_records,
        "trace_one_in": settings.trace_one_in,
        "log_level": settings.log_level,
        "level_file": str(folders.log_level),
        "database_log": str(settings.database_log.absolute()) if settings.database_log else "",
    }
