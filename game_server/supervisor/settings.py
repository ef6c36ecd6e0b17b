"""Settings of a game server. Flags, then PAIJU_..., then these defaults."""

from __future__ import annotations

import ipaddress
import json
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode

from paiju.service import logs
from paiju.service.logs import LogSettings
from paiju.service.peers import PeerSettings
from paiju.service.trace import TraceSettings
from paiju.wire.tls.files import TlsFiles

# Names become file names, names of actors and labels.
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"


def _machine_name() -> str:
    name = socket.gethostname().split(".")[0]
    return name if name[:1].isalnum() else "game-server"


class GameServerSettings(PeerSettings, TraceSettings, LogSettings):
    """Every field is read from `PAIJU_` + its name in upper case unless a flag gives it."""

    program = "game-server"

    server: str = Field(default_factory=_machine_name, max_length=40, pattern=NAME)
    """Unique in the whole hall."""
    cell: str = Field(default="cell-1", max_length=40, pattern=NAME)
    """Game servers with one Ray cluster among them."""
    data_dir: Path = Path(".paiju")
    """Journals, secrets and Ray's memory: on a disk that outlives the process."""
    run_dir: Path | None = None
    """Sockets and Ray's session, a short path; None: below /tmp, made from data_dir."""

    data_servers: Annotated[tuple[str, ...], NoDecode] = ("127.0.0.1:7410",)
    """"host:port", several separated by commas."""
    cluster_token_file: Path | None = None
    """What data servers want to see; None: data_dir/cluster-token."""
    cell_secret_file: Path | None = None
    """Opens streams between gateways and hosts of the cell; None: data_dir/cell-secret."""

    seal_keys_file: Path | None = None
    """The server keys that clients pin, the same at all gateways of a hall; None:
    data_dir/seal-keys.json, made by the first start."""
    package_root_file: Path | None = None
    """root.json of `paiju package init-keys`; None: data_dir/package-keys/root.json. Without it
    only the packages installed here are offered."""
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Networks whose `x-forwarded-for` is believed, separated by commas."""

    gateways: int = Field(default=1, ge=0, le=64)
    """Processes that players reach; 0, and `hosts` too: a head that only holds the cell."""
    listen_host: str = "127.0.0.1"
    """The address at which gateways listen for players."""
    listen_port: int = Field(default=0, ge=0, le=65_000)
    """Of the first gateway; the others take the following ones. 0: free ports."""
    ws_port: int = Field(default=0, ge=0, le=65_000)
    """For browsers, as `listen_port`."""
    ws_host: str = ""
    """Where browsers come in without TLS; empty: at `listen_host`, and with `edge_tls` nowhere.
    With `edge_tls` a loopback address only: for a page of this machine."""
    wss_port: int = Field(default=0, ge=0, le=65_000)
    """For browsers with TLS; used when the two files are given."""
    tls_certificate: Path | None = None
    """Shown to players: PEM file, read again when it changes."""
    tls_key: Path | None = None
    """The certificate's private key."""
    edge_tls: bool = False
    """Players come in by TLS only: gRPC with the two files, browsers by `wss_port`."""
    advertise: str = ""
    """"host:port" that players are told; empty: the first gateway's own address."""
    advertise_web: str = ""
    """What browsers are told, "ws://..." or "wss://..."; empty: the first gateway's own addresses,
    or nothing when `advertise` says that those are not the ones that players reach."""
    quota: int = Field(default=2000, ge=1)
    """Players connected to this game server, all gateways together."""
    drain_s: float = Field(default=20.0, ge=0)
    """How long players may look for another gateway, and hands may go on."""

    hosts: int = Field(default=1, ge=0, le=64)
    """Processes that hold tables."""
    max_tables: int = Field(default=250, ge=1)
    """Per host."""
    host_memory_mb: int = Field(default=1024, ge=0)
    """The most that one host may allocate while it runs (RLIMIT_DATA); 0: no limit."""
    spares: int = Field(default=1, ge=0, le=8)
    """Processes that wait to become a host when one dies; it is back the sooner."""
    spare_calm_s: float = Field(default=6.0, ge=0)
    """A worker that waits is started when the machine was calm for so long; 0: at once."""
    journal_url: str = ""
    """Empty: one SQLite file per host in data_dir/journal. "{host}" is replaced."""
    journal_key_file: Path | None = None
    """Seals the secrets of decks in the journal; None: data_dir/journal-key. Machines that
    share a journal share the key."""
    rows_keep_s: float = Field(default=600.0, ge=0)
    """How long the journal keeps rows of hands that are over."""
    outbox_keep_s: float = Field(default=3600.0, ge=0)
    """How long the journal keeps settlements that the ledger has booked."""
    tcp_host: str | None = None
    """Where hosts listen for gateways of other machines; None: node_ip, unless loopback."""

    ray_address: str = ""
    """Empty: this is the head of the cell. Else "ip:port" of the head, to join it."""
    ray_port: int = Field(default=0, ge=0, le=65_535)
    """Of the head; 0: a free one."""
    ray_token_file: Path | None = None
    """The same on all machines of the cell; None: data_dir/ray-token."""
    node_ip: str = "127.0.0.1"
    """This machine's address for the others of its cell. Ray listens there and nowhere else."""

    metrics_host: str = "127.0.0.1"
    """The address at which Prometheus asks."""
    metrics_port: int = Field(default=0, ge=0, le=65_535)
    """0: a free one, named in game-server.json."""
    grace_s: float = Field(default=60.0, gt=0)
    """After SIGTERM: then what still runs is killed."""
    host_actor: str = "game_server.tables.actor:HostActor"
    """What Ray starts as a table host; for tests."""

    @field_validator("data_servers", "trusted_proxies", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        if isinstance(value, str):
            text = value.strip()
            value = json.loads(text) if text.startswith("[") else text.split(",")
        return tuple(part.strip() for part in value if part.strip())

    @field_validator("data_servers")
    @classmethod
    def _at_least_one(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        if not value:
            raise ValueError("at least one data server, as host:port, is needed")
        for address in value:
            _, _, port = address.rpartition(":")
            if not port.isdigit():
                raise ValueError(f"{address!r} is no host:port")
        return value

    @field_validator("node_ip")
    @classmethod
    def _is_address(cls, value: str) -> str:
        try:
            ipaddress.ip_address(value)
        except ValueError:
            raise ValueError(f"{value!r} is no IP address") from None
        return value

    @model_validator(mode="after")
    def _joins_with_secrets(self) -> GameServerSettings:
        needed = (self.cell_secret_file, self.ray_token_file, self.seal_keys_file)
        if self.ray_address and None in needed:
            raise ValueError(
                "who joins a cell needs its secrets: set cell_secret_file, ray_token_file and "
                "seal_keys_file to copies of the head's cell-secret, ray-token and seal-keys.json"
            )
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ValueError("tls_certificate and tls_key belong together")
        if self.edge_tls and self.tls_key is None:
            raise ValueError("edge_tls needs tls_certificate and tls_key")
        if self.edge_tls and self.ws_host and not ipaddress.ip_address(self.ws_host).is_loopback:
            raise ValueError("with edge_tls ws_host is a loopback address, or empty")
        return self

    def configure_logs(self) -> None:
        logs.configure(
            "supervisor",
            level=self.log_level,
            level_file=self.data_dir.absolute() / logs.LEVEL_FILE,
        )

    @property
    def advertised(self) -> str:
        """`advertise`, with its scheme."""
        secure = self.edge_tls and self.advertise and "://" not in self.advertise
        return f"grpcs://{self.advertise}" if secure else self.advertise

    def advertised_web(self, own: Sequence[str]) -> Sequence[str]:
        """What browsers are told. own: addresses of the first gateway."""
        if self.advertise_web:
            return [self.advertise_web]
        return [] if self.advertise else own

    def edge_files(self) -> TlsFiles | None:
        """Of what players see."""
        if self.tls_certificate is None or self.tls_key is None:
            return None
        return TlsFiles(certificate=self.tls_certificate, key=self.tls_key)

    @property
    def loopback(self) -> bool:
        return ipaddress.ip_address(self.node_ip).is_loopback
