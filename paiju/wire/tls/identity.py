"""Who a certificate between our servers names: cell, role and name.

They stand in one URI among the alternative names, `urn:paiju:CELL:ROLE:NAME`. The cell counts
only when the authority that signed is that cell's: its subject has the cell as organizational
unit, so no cell's authority can speak for another cell.

What a holder may say of itself in a request is decided by `claims_of`: a game server speaks for
itself, for its gateways (`NAME/...`) and for its table hosts (`NAME-0`, `NAME-1` ...).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from cryptography import x509
from cryptography.x509.oid import NameOID
from google.protobuf.message import Message

DATA_SERVER, GAME_SERVER, OPERATOR, PLAYERS = "data-server", "game-server", "operator", "players"
ROLES = (DATA_SERVER, GAME_SERVER, OPERATOR, PLAYERS)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_PREFIX = "urn:paiju:"


class NotYours(Exception):
    """A certificate that names nobody of ours, or a request in somebody else's name.

    reason: `unnamed`, `role`, `cell`, `server`, `gateway` or `host`; a metric's label.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Identity:
    cell: str
    role: str
    name: str

    def uri(self) -> str:
        return f"{_PREFIX}{self.cell}:{self.role}:{self.name}"

    def owns_gateway(self, gateway: str) -> bool:
        return gateway.startswith(f"{self.name}/")

    def owns_host(self, host: str) -> bool:
        server, _, number = host.rpartition("-")
        return server == self.name and number.isascii() and number.isdigit()


def parsed(uri: str) -> Identity | None:
    """None: it is no name of ours."""
    parts = uri.removeprefix(_PREFIX).split(":") if uri.startswith(_PREFIX) else []
    if len(parts) != 3 or parts[1] not in ROLES or not all(map(NAME.fullmatch, parts)):
        return None
    return Identity(*parts)


def identity_of(certificate: x509.Certificate) -> Identity:
    """The holder of a certificate whose signature was checked. Raises NotYours."""
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (x509.ExtensionNotFound, ValueError):
        raise NotYours("unnamed") from None
    found = [parsed(uri) for uri in names.get_values_for_type(x509.UniformResourceIdentifier)]
    named = [identity for identity in found if identity is not None]
    if len(named) != 1:
        raise NotYours("unnamed")
    units = certificate.issuer.get_attributes_for_oid(NameOID.ORGANIZATIONAL_UNIT_NAME)
    if [unit.value for unit in units] != [named[0].cell]:
        raise NotYours("cell")
    return named[0]


def check_claims(
    identity: Identity, request: Message, *, kept: Collection[str] = frozenset()
) -> None:
    """Raises NotYours when a request to a data server names a server, gateway, cell or host
    that is not the holder's own. kept: hosts of other names that the holder was given."""
    for kind, value in claims_of(request):
        if not value or (kind == "host" and value in kept):
            continue
        own = {
            "server": value == identity.name,
            "cell": value == identity.cell,
            "gateway": identity.owns_gateway(value),
            "host": identity.owns_host(value),
        }[kind]
        if not own:
            raise NotYours(kind)


def claims_of(request: Message) -> Iterator[tuple[str, str]]:
    """(kind, value) of each field by which a request says who sends it."""
    for field in request.DESCRIPTOR.fields:
        value = getattr(request, field.name)
        if field.name in ("server", "cell", "gateway"):
            yield field.name, value
        elif field.name == "origin":
            yield from claims_of(value)
        elif field.name == "host":  # a HostEpoch, or its name alone
            yield "host", value if isinstance(value, str) else value.host
        elif field.name == "hosts":  # HostCounts of a heartbeat
            yield from (("host", counts.host) for counts in value)
