"""What the doctor says about TLS: it asks each listener, and believes what it sees."""

from __future__ import annotations

import ipaddress
import json
import socket
import ssl
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509

from paiju.service.peers import PeerSettings
from paiju.service.settings import load
from paiju.wire.v1 import data_pb2

WITHIN_S = 2.0
AT_ONCE = 32
SOON = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Listener:
    """ends: of its certificate; None: it speaks no TLS. reached False: nobody answered."""

    address: str
    reached: bool
    ends: datetime | None = None


def addresses(nodes: data_pb2.NodesReply, data_dir: Path) -> list[str]:
    """Of everything that other machines may reach: gateways, table hosts, this data server."""
    found = [node.address for node in nodes.nodes if node.alive]
    found += [host.tcp_address for host in nodes.hosts if host.alive]
    try:
        state = json.loads((data_dir / "data-server.json").read_text("utf-8"))
        found += [str(state["address"]), str(state["admin"])]
    except (OSError, ValueError, KeyError):
        pass
    plain = (address.partition("://")[2] or address for address in found)
    return sorted({address for address in plain if address and not _is_loopback(address)})


def ask(found: Iterable[str]) -> list[Listener]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(probe, found))


def probe(address: str) -> Listener:
    """A handshake without any check: only what the other side shows is of interest."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])  # gRPC asks for it
    host, _, port = address.rpartition(":")
    try:
        raw = socket.create_connection((host.strip("[]"), int(port)), WITHIN_S)
    except (OSError, ValueError):
        return Listener(address, reached=False)
    with raw:
        try:
            with context.wrap_socket(raw, server_hostname=host.strip("[]")) as secure:
                der = secure.getpeercert(binary_form=True)
        except OSError:  # ssl.SSLError and a time-out are among them
            return Listener(address, reached=True)
    if not der:
        return Listener(address, reached=True)
    return Listener(address, reached=True, ends=_ends(x509.load_der_x509_certificate(der)))


def judge(
    listeners: Iterable[Listener], *, now: datetime | None = None
) -> Iterator[tuple[str, bool, list[str], str]]:
    """(what was looked at, whether all is well, what is not, how many were)."""
    moment = now or datetime.now(UTC)
    reached = [one for one in listeners if one.reached]
    open_ones = [one.address for one in reached if one.ends is None]
    yield "listeners without TLS", not open_ones, open_ones, f"{len(reached)} others reach"
    secure = [(one.address, one.ends) for one in reached if one.ends is not None]
    secure += _own_files()
    soon = [f"{what} {ends:%Y-%m-%d}" for what, ends in secure if ends - moment < SOON]
    yield "certificates", not soon, soon, f"{len(secure)} valid for {SOON.days} days"


def _own_files() -> list[tuple[str, datetime]]:
    """Those that the environment names for this machine's programs."""
    files = load(PeerSettings).peer_files()
    found = []
    for path in () if files is None else (files.certificate, files.ca):
        try:
            assert path is not None
            found.append((str(path), _ends(x509.load_pem_x509_certificate(path.read_bytes()))))
        except (OSError, ValueError):
            found.append((f"{path} cannot be read", datetime.min.replace(tzinfo=UTC)))
    return found


def _ends(certificate: x509.Certificate) -> datetime:
    return certificate.not_valid_after_utc


def _is_loopback(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
