"""What a table host is told when it starts. One plain mapping, because it travels by Ray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class HostConfig:
    """cell_secret: opens streams of gateways. tcp_host "": the Unix socket only."""

    host: str
    cell: str
    server: str
    machine: str
    run_dir: str
    data_servers: Sequence[str]
    cluster_token: str
    cell_secret: bytes
    journal_url: str
    journal_key: bytes  # seals the secrets in it
    metrics_socket: str
    max_tables: int = 250
    tcp_host: str = ""
    journal_stall_s: float = 2.0
    rows_keep_s: float = 600.0  # of finished hands, in the journal
    outbox_keep_s: float = 3600.0  # of settlements that were answered
    packages_dir: str = ""  # the machine's shelf of packages; "": only what is installed
    packages_key: bytes = b""
    log_level: str = "INFO"
