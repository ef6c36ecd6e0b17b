"""The sealed channel between player and gateway, both ends, without any socket.

    client -> gateway   opening    kind 1 | seal version | major | minor | key id | stream id
                                   | Noise message 1
    gateway -> client   acceptance kind 2 | Noise message 2
    both ways           records    records.py

The opening's plain part is the prologue of the handshake on both sides: who changes a byte of
it breaks the handshake, so nobody can talk the two into another version. The stream id is
fresh for each connection. A frame is what an edge carries as one message (a gRPC packet, a
WebSocket message); a record's payload is one ClientFrame or ServerFrame with several messages.

Each channel is owned by one connection and used from one task. Whatever is wrong raises
BrokenSeal, after which the channel is dead.
"""

from __future__ import annotations

import secrets
import struct
from typing import Protocol

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from paiju.wire import noise, protocol
from paiju.wire.records import RECORDS_PER_KEY, BrokenSeal, Opener, Sealer
from paiju.wire.server_keys import ServerKeys, key_id

SEAL_VERSION = 1
OPENING = 1
ACCEPTANCE = 2
STREAM_ID_BYTES = 16
_LABEL = b"paiju sealed channel"
_PLAIN = struct.Struct(">BBHH8s16s")
"""kind, seal version, protocol major, protocol minor, key id, stream id."""
OPENING_BYTES = _PLAIN.size + noise.MESSAGE_BYTES
ACCEPTANCE_BYTES = 1 + noise.MESSAGE_BYTES


class Channel(Protocol):
    """What an end of a connection needs of its channel."""

    @property
    def ready(self) -> bool:
        """Whether the handshake is done: only then may `seal` be called."""

    def handshake(self) -> bytes:
        """A handshake frame that must be sent now, once; empty: none."""

    def receive(self, frame: bytes, now: float) -> bytes | None:
        """The payload of a frame; None: it was part of the handshake. Raises BrokenSeal."""

    def seal(self, payload: bytes, now: float) -> bytes:
        """The frame to send for a payload."""


class _End:
    """What both ends share once the handshake is done."""

    def __init__(self, records_per_key: int) -> None:
        self._records_per_key = records_per_key
        self._sealer: Sealer | None = None
        self._opener: Opener | None = None
        self._broken = False
        self._out = b""

    @property
    def ready(self) -> bool:
        return self._sealer is not None

    @property
    def generation(self) -> int:
        """How often this end has taken a new key for what it sends."""
        return self._sealer.generation if self._sealer is not None else 0

    def handshake(self) -> bytes:
        out, self._out = self._out, b""
        return out

    def seal(self, payload: bytes, now: float) -> bytes:
        if self._sealer is None:
            raise RuntimeError("the handshake is not done")
        return self._sealer.seal(payload, now)

    def receive(self, frame: bytes, now: float) -> bytes | None:
        try:
            if self._broken:
                raise BrokenSeal("not_sealed")
            if self._opener is not None:
                return self._opener.open(frame)
            self._shake(frame, now)
        except BrokenSeal:
            self._broken = True
            raise
        return None

    def _shake(self, frame: bytes, now: float) -> None:
        raise NotImplementedError

    def _start(self, *, send: bytes, receive: bytes, now: float) -> None:
        self._sealer = Sealer(send, now=now, records_per_key=self._records_per_key)
        self._opener = Opener(receive, records_per_key=self._records_per_key)


class ClientChannel(_End):
    """The player's end. `server_key`: the pinned public key it speaks to."""

    def __init__(
        self,
        *,
        server_key: bytes,
        stream_id: bytes = b"",
        ephemeral: X25519PrivateKey | None = None,
        records_per_key: int = RECORDS_PER_KEY,
    ) -> None:
        super().__init__(records_per_key)
        plain = _PLAIN.pack(
            OPENING,
            SEAL_VERSION,
            protocol.MAJOR,
            protocol.MINOR,
            key_id(server_key),
            stream_id or secrets.token_bytes(STREAM_ID_BYTES),
        )
        self._noise = noise.Initiator(
            server_key=server_key, prologue=_LABEL + plain, ephemeral=ephemeral
        )
        self._out = plain + self._noise.write()

    def _shake(self, frame: bytes, now: float) -> None:
        if not frame or frame[0] != ACCEPTANCE:
            raise BrokenSeal("not_sealed")
        if len(frame) != ACCEPTANCE_BYTES:
            raise BrokenSeal("truncated")
        try:
            _, keys = self._noise.read(frame[1:])
        except noise.HandshakeFailed:
            raise BrokenSeal("handshake") from None
        self._start(send=keys.to_server, receive=keys.to_client, now=now)


class ServerChannel(_End):
    """The gateway's end."""

    def __init__(
        self,
        keys: ServerKeys,
        *,
        ephemeral: X25519PrivateKey | None = None,
        records_per_key: int = RECORDS_PER_KEY,
    ) -> None:
        super().__init__(records_per_key)
        self._keys = keys
        self._ephemeral = ephemeral

    def _shake(self, frame: bytes, now: float) -> None:
        if not frame or frame[0] != OPENING:
            raise BrokenSeal("not_sealed")
        # The version is looked at before the length: another one may be of another length.
        if len(frame) > 1 and frame[1] != SEAL_VERSION:
            raise BrokenSeal("version")
        if len(frame) != OPENING_BYTES:
            raise BrokenSeal("truncated")
        plain = frame[: _PLAIN.size]
        static = self._keys.get(_PLAIN.unpack(plain)[4])
        if static is None:
            raise BrokenSeal("unknown_key")
        responder = noise.Responder(
            static=static, prologue=_LABEL + plain, ephemeral=self._ephemeral
        )
        try:
            responder.read(frame[_PLAIN.size :])
            message, keys = responder.write()
        except noise.HandshakeFailed:
            raise BrokenSeal("handshake") from None
        self._out = bytes((ACCEPTANCE,)) + message
        self._start(send=keys.to_client, receive=keys.to_server, now=now)
