"""What a table host is told when it starts. One plain mapping, because it travels by Ray."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paiju.wire.tls.files import TlsFiles


@dataclass(frozen=True, kw_only=True)
class HostConfig:
    """cell_secret: opens streams of gateways. tcp_host "": the Unix socket only."""

    host: str
    cell: str
    server: str
    home: str = ""  # the server whose host it is; empty: `server`
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
    peer_certificate: str = ""  # files of mutual TLS, all three or none
    peer_key: str = ""
    peer_ca: str = ""
    journal_stall_s: float = 2.0
    drain_s: float = 20.0  # at the end: so long may hands go on
    rows_keep_s: float = 600.0  # of finished hands, in the journal
    outbox_keep_s: float = 3600.0  # of settlements that were answered
    memory_mb: int = 0  # of the process, memory.py; 0: no limit
    packages_dir: str = ""  # the machine's shelf of packages; "": only what is installed
    packages_key: bytes = b""
    trace_dir: str = ""  # "": no traces
    trace_records: int = 0
    trace_one_in: int = 0
    log_level: str = "INFO"
    level_file: str = ""  # levels while it runs
    database_log: str = ""  # failures of the journal's database, also there

    def peer_files(self) -> TlsFiles | None:
        """None: no TLS between servers."""
        if not self.peer_certificate:
            return None
        return TlsFiles(
            certificate=Path(self.peer_certificate),
            key=Path(self.peer_key),
            ca=Path(self.peer_ca),
        )
