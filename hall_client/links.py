"""Which link leads to an address, and which server key is expected behind it.

    "127.0.0.1:7700", "grpc://127.0.0.1:7700"       the gRPC edge
    "grpcs://hall.example:7700"                     the same by TLS
    "ws://127.0.0.1:7710", "wss://hall.example"     the WebSocket edge

Both carry the same sealed frames.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from hall_client.channels import ChannelPool
from hall_client.link import Link
from hall_client.link_grpc import GrpcLink
from hall_client.link_ws import WsLink
from paiju.wire.sealed import ClientChannel

_FORM = re.compile(
    r"(?:grpcs?://|(?P<web>wss?://))?(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::(?P<port>\d{1,5}))?(?(web)/?\S*)"
)


def make_link(address: str, pool: ChannelPool) -> Link:
    """A link to that address, not yet open."""
    if address.startswith(("ws://", "wss://")):
        return WsLink(address, pool.tls)
    return GrpcLink(address.removeprefix("grpc://"), pool)


def is_address(address: str) -> bool:
    """Whether it has the form of one of the above; nobody need be there."""
    match = _FORM.fullmatch(address)
    if match is None or (match["port"] is None and not match["web"]):
        return False
    return match["port"] is None or 0 < int(match["port"]) < 2**16


_NEXT = {"grpc": ("grpc", "grpcs"), "grpcs": ("grpcs",), "ws": ("ws", "wss"), "wss": ("wss",)}


def may_go(address: str, hint: str) -> bool:
    """Whether a gateway at that address may send us to the other: the same edge, and nobody who
    came by TLS goes on without."""
    return _scheme(hint) in _NEXT[_scheme(address)]


def _scheme(address: str) -> str:
    return address.partition("://")[0] if "://" in address else "grpc"


class Pins:
    """The hall's public keys, one or two: a gateway must hold one of them.

    While keys are being rotated some gateways know only the older one and, later, some only
    the newer: each address is tried with the next key when a handshake has failed there.
    """

    def __init__(self, server_keys: Sequence[bytes]) -> None:
        if not server_keys:
            raise ValueError("at least one server key must be pinned")
        self._keys = tuple(server_keys)
        self._turn: dict[str, int] = {}

    def channel(self, address: str) -> ClientChannel:
        """Our end of a new sealed channel to that address."""
        return ClientChannel(server_key=self._keys[self._turn.get(address, 0) % len(self._keys)])

    def failed(self, address: str) -> None:
        """No handshake was reached there."""
        self._turn[address] = self._turn.get(address, 0) + 1
