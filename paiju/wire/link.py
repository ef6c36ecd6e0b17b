"""Opening the stream between gateway and host: both sides' messages, without any socket.

    host     -> gateway   LinkChallenge   challenge()
    gateway  -> host      LinkOpen        opening(...)
    host     -> gateway   LinkAccept      accept(...), with a refusal when it is not this host

Whoever cannot compute the mac does not know the cell's secret. The mac covers the host's
nonce, so an opening cannot be used twice, and every field of the opening, each with its
length in front, so that no two openings have the same bytes under the mac.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import struct

from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import host_pb2

NONCE_BYTES = 32
MAX_HANDSHAKE_BYTES = 1024
"""Limit for the frames before LinkAccept: a stranger may not make us hold more."""
MIN_SECRET_BYTES = 16

_LABEL = b"paiju link open"


def challenge() -> host_pb2.LinkChallenge:
    """The host's first frame, fresh for each stream."""
    return host_pb2.LinkChallenge(
        nonce=secrets.token_bytes(NONCE_BYTES), protocol=protocol.LINK_PROTOCOL
    )


def mac(
    secret: bytes, *, nonce: bytes, cell: str, host: str, epoch: int, gateway: str, version: int
) -> bytes:
    """HMAC-SHA256 over the label and the fields, each as 4-byte length and bytes.

    epoch and version (the link protocol) count as 8 bytes little-endian.
    """
    if len(secret) < MIN_SECRET_BYTES:
        raise ValueError(f"the cell's secret needs at least {MIN_SECRET_BYTES} bytes")
    fields = (
        _LABEL,
        nonce,
        cell.encode(),
        host.encode(),
        struct.pack("<Q", epoch),
        gateway.encode(),
        struct.pack("<Q", version),
    )
    message = b"".join(struct.pack("<I", len(field)) + field for field in fields)
    return hmac.new(secret, message, hashlib.sha256).digest()


def opening(
    secret: bytes,
    asked: host_pb2.LinkChallenge,
    *,
    cell: str,
    host: str,
    epoch: int,
    gateway: str,
) -> host_pb2.LinkOpen:
    """The gateway's answer to a challenge: who it is and whom it means to reach.

    Raises Refused(LINK_MISMATCH) when the host speaks another protocol or its nonce is short.
    """
    if asked.protocol != protocol.LINK_PROTOCOL:
        raise Refused("LINK_MISMATCH", detail=f"protocol {asked.protocol}")
    if len(asked.nonce) != NONCE_BYTES:
        raise Refused("LINK_MISMATCH", detail="nonce")
    return host_pb2.LinkOpen(
        cell=cell,
        host=host,
        epoch=epoch,
        gateway=gateway,
        protocol=protocol.LINK_PROTOCOL,
        mac=mac(
            secret,
            nonce=asked.nonce,
            cell=cell,
            host=host,
            epoch=epoch,
            gateway=gateway,
            version=protocol.LINK_PROTOCOL,
        ),
    )


def verify(
    secret: bytes,
    asked: host_pb2.LinkChallenge,
    opened: host_pb2.LinkOpen,
    *,
    cell: str,
    host: str,
    epoch: int,
) -> None:
    """The host's check of an opening against its own challenge, cell, name and epoch.

    Raises Refused: LINK_MISMATCH, or STALE_EPOCH (have, current) when only the epoch differs.
    The mac comes first: a stranger learns nothing about cell, host and epoch.
    """
    expected = mac(
        secret,
        nonce=asked.nonce,
        cell=opened.cell,
        host=opened.host,
        epoch=opened.epoch,
        gateway=opened.gateway,
        version=opened.protocol,
    )
    if not hmac.compare_digest(expected, opened.mac):
        raise Refused("LINK_MISMATCH", detail="mac")
    if opened.protocol != asked.protocol:
        raise Refused("LINK_MISMATCH", detail=f"protocol {opened.protocol}")
    if not opened.gateway:
        raise Refused("LINK_MISMATCH", detail="gateway without a name")
    if opened.cell != cell:
        raise Refused("LINK_MISMATCH", detail=f"cell {opened.cell}")
    if opened.host != host:
        raise Refused("LINK_MISMATCH", detail=f"host {opened.host}")
    if opened.epoch != epoch:
        raise Refused("STALE_EPOCH", have=opened.epoch, current=epoch)


def accept(
    secret: bytes,
    asked: host_pb2.LinkChallenge,
    opened: host_pb2.LinkOpen,
    *,
    cell: str,
    host: str,
    epoch: int,
) -> host_pb2.LinkAccept:
    """`verify` as the frame to answer with; after one with a refusal the host closes."""
    try:
        verify(secret, asked, opened, cell=cell, host=host, epoch=epoch)
    except Refused as refused:
        if refused.code == "STALE_EPOCH":
            return host_pb2.LinkAccept(refusal=refused.message(), epoch=epoch)
        return host_pb2.LinkAccept(refusal=refused.message())
    return host_pb2.LinkAccept(epoch=epoch)
