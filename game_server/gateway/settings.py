"""Settings of a gateway process. Flags, then PAIJU_..., then these defaults."""

from __future__ import annotations

import ipaddress
from pathlib import Path

from pydantic import Field, field_validator, model_validator

from paiju.service.logs import LogSettings
from paiju.service.peers import PeerSettings
from paiju.service.trace import TraceSettings
from paiju.wire.tls.files import TlsFiles


class GatewaySettings(PeerSettings, TraceSettings, LogSettings):
    """Only what an operator decides; the numbers of sessions are in limits.py."""

    name: str = Field(min_length=1, max_length=64)
    """Of this gateway, unique in the cluster, e.g. "gs-7/gateway-0"."""
    server: str = Field(min_length=1, max_length=64)
    """The game server it belongs to."""
    cell: str = Field(min_length=1, max_length=64)
    """Of its game server."""
    cell_secret: Path
    """File whose bytes open streams to the cell's hosts."""
    machine: str = ""
    """Equal to a host's: its Unix socket is used."""
    listen: str = "127.0.0.1:0"
    """Where players come in: "address:port"; port 0: chosen by the system."""
    seal_keys: Path
    """The hall's server keys (paiju/wire/server_keys.py)."""
    trusted_proxies: tuple[str, ...] = ()
    """Networks whose `x-forwarded-for` is believed, e.g. "10.0.0.0/8"."""
    ws_listen: str = "127.0.0.1:0"
    """Where browsers come in, as `listen`; empty: not without TLS."""
    wss_listen: str = ""
    """The same with TLS; empty: not at all. Needs the two files."""
    tls_certificate: Path | None = None
    """Shown to players: PEM file."""
    tls_key: Path | None = None
    """The certificate's private key."""
    edge_tls: bool = False
    """`listen` speaks TLS with the two files, and nothing else."""
    data_servers: tuple[str, ...] = Field(min_length=1)
    """host:port of each."""
    cluster_token: Path
    """File with the token shown to data servers."""
    packages_dir: Path | None = None
    """The machine's shelf of packages; None: only what is installed."""
    packages_key: Path | None = None
    """File with the key that marks the shelf."""
    quota: int = Field(default=1000, ge=1, le=10_000)
    """Connections of players."""
    minimum_build: int = 0
    """Clients of an older build are told to renew themselves."""
    metrics_socket: Path | None = None
    """The supervisor's Unix socket for samples."""
    link_idle_s: float = Field(default=60.0, gt=0)
    """A stream to a host that nobody uses is closed after so long."""
    drain_s: float = Field(default=20.0, ge=0)
    """After SIGTERM: so long may players look for another gateway."""
    level_file: Path | None = None
    """Levels of the log while it runs."""
    trace_dir: Path | None = None
    """Where it keeps traces; None: it keeps none."""
    parent_pid: int | None = None
    """Ends with this process."""

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            ipaddress.ip_network(text)
        return value

    @model_validator(mode="after")
    def _has_both_files(self) -> GatewaySettings:
        named = [name for name in ("wss_listen", "edge_tls") if getattr(self, name)]
        if named and self.edge_files() is None:
            raise ValueError(f"{' and '.join(named)} needs tls_certificate and tls_key")
        return self

    def edge_files(self) -> TlsFiles | None:
        """Of what players see."""
        if self.tls_certificate is None or self.tls_key is None:
            return None
        return TlsFiles(certificate=self.tls_certificate, key=self.tls_key)
