"""Settings of a gateway process. Flags, then PAIJU_..., then these defaults."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from paiju.service.settings import Settings


class GatewaySettings(Settings):
    """Only what an operator decides; the numbers of sessions are in limits.py."""

    name: str = Field(min_length=1, max_length=64)
    """Of this gateway, unique in the cluster, e.g. "gs-7/gateway-0"."""
    server: str = Field(min_length=1, max_length=64)
    """The game server it belongs to."""
    cell: str = Field(min_length=1, max_length=64)
    cell_secret: Path
    """File whose bytes open streams to the cell's hosts."""
    machine: str = ""
    """Equal to a host's: its Unix socket is used."""
    listen: str = "127.0.0.1:0"
    """Where players come in: "address:port"; port 0: chosen by the system."""
    data_servers: tuple[str, ...] = Field(min_length=1)
    cluster_token: Path
    """File with the token shown to data servers."""
    quota: int = Field(default=1000, ge=1, le=10_000)
    """Connections of players."""
    minimum_build: int = 0
    metrics_socket: Path | None = None
    """The supervisor's Unix socket for samples."""
    link_idle_s: float = Field(default=60.0, gt=0)
    drain_s: float = Field(default=20.0, ge=0)
    """After SIGTERM: so long may players look for another gateway."""
    log_level: str = "INFO"
    parent_pid: int | None = None
    """Ends with this process."""
