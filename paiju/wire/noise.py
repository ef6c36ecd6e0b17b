"""Noise_NK_25519_AESGCM_SHA256: the handshake in which only the server proves who it is.

    <- s            the client knows the server's static key beforehand
    -> e, es
    <- e, ee

After the Noise Protocol Framework, revision 34: sections 5.1 (cipher state), 5.2 (symmetric
state), 5.3 (handshake), 11.3 (rekey), 12.1 (25519), 12.3 (AESGCM), 12.6 (SHA256). No sockets,
no clock; an ephemeral key can be passed in so that published vectors can be reproduced.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NAME = b"Noise_NK_25519_AESGCM_SHA256"
KEY_BYTES = 32
TAG_BYTES = 16
MESSAGE_BYTES = KEY_BYTES + TAG_BYTES
"""Length of either handshake message when its payload is empty."""
_REKEY_NONCE = bytes(4) + b"\xff" * 8


class HandshakeFailed(Exception):
    """The message is not one of this handshake, or its sender does not hold the key."""


@dataclass(frozen=True, slots=True)
class Split:
    """What a finished handshake leaves: one key per direction, and the transcript's hash."""

    to_server: bytes
    to_client: bytes
    transcript: bytes


def rekeyed(key: bytes) -> bytes:
    """The key after `key`. It cannot be turned back (section 11.3)."""
    return AESGCM(key).encrypt(_REKEY_NONCE, bytes(KEY_BYTES), b"")[:KEY_BYTES]


def nonce(counter: int) -> bytes:
    """AESGCM's 96 bits: four zero bytes and the counter, big-endian (section 12.3)."""
    return bytes(4) + counter.to_bytes(8, "big")


def public_of(private: X25519PrivateKey) -> bytes:
    return private.public_key().public_bytes_raw()


class _Symmetric:
    """Chaining key, hash, and the cipher keyed by the last Diffie-Hellman (section 5.2)."""

    def __init__(self, prologue: bytes, server_key: bytes) -> None:
        # The name is shorter than a hash, so it is its own first value, filled with zeros.
        self._hash = self._chain = NAME.ljust(KEY_BYTES, b"\0")
        self._key = b""
        self._counter = 0
        self.mix_hash(prologue)
        self.mix_hash(server_key)

    def mix_hash(self, data: bytes) -> None:
        self._hash = hashlib.sha256(self._hash + data).digest()

    def mix_key(self, shared: bytes) -> None:
        self._chain, self._key = _hkdf(self._chain, shared)
        self._counter = 0

    def encrypt(self, payload: bytes) -> bytes:
        sealed = AESGCM(self._key).encrypt(nonce(self._counter), payload, self._hash)
        self._counter += 1
        self.mix_hash(sealed)
        return sealed

    def decrypt(self, sealed: bytes) -> bytes:
        try:
            payload = AESGCM(self._key).decrypt(nonce(self._counter), sealed, self._hash)
        except InvalidTag:
            raise HandshakeFailed("the tag of a handshake message is wrong") from None
        self._counter += 1
        self.mix_hash(sealed)
        return payload

    def split(self) -> Split:
        to_server, to_client = _hkdf(self._chain, b"")
        return Split(to_server, to_client, self._hash)


class Initiator:
    """The client's side: `write`, then `read` the answer."""

    def __init__(
        self, *, server_key: bytes, prologue: bytes, ephemeral: X25519PrivateKey | None = None
    ) -> None:
        self._server_key = server_key
        self._ephemeral = ephemeral or X25519PrivateKey.generate()
        self._state = _Symmetric(prologue, server_key)

    def write(self, payload: bytes = b"") -> bytes:
        """Message 1: e, es. Raises HandshakeFailed when the server's key is no point."""
        public = public_of(self._ephemeral)
        self._state.mix_hash(public)
        self._state.mix_key(_shared(self._ephemeral, self._server_key))
        return public + self._state.encrypt(payload)

    def read(self, message: bytes) -> tuple[bytes, Split]:
        """Message 2: e, ee. Its payload, and the keys. Raises HandshakeFailed."""
        theirs = _ephemeral_of(message)
        self._state.mix_hash(theirs)
        self._state.mix_key(_shared(self._ephemeral, theirs))
        payload = self._state.decrypt(message[KEY_BYTES:])
        return payload, self._state.split()


class Responder:
    """The server's side: `read`, then `write` the answer."""

    def __init__(
        self,
        *,
        static: X25519PrivateKey,
        prologue: bytes,
        ephemeral: X25519PrivateKey | None = None,
    ) -> None:
        self._static = static
        self._given = ephemeral
        self._theirs = b""
        self._state = _Symmetric(prologue, public_of(static))

    def read(self, message: bytes) -> bytes:
        """Message 1; its payload. Raises HandshakeFailed."""
        self._theirs = _ephemeral_of(message)
        self._state.mix_hash(self._theirs)
        self._state.mix_key(_shared(self._static, self._theirs))
        return self._state.decrypt(message[KEY_BYTES:])

    def write(self, payload: bytes = b"") -> tuple[bytes, Split]:
        """Message 2, and the keys."""
        # Made only now: a forged message 1 has cost one multiplication, not three.
        ephemeral = self._given or X25519PrivateKey.generate()
        public = public_of(ephemeral)
        self._state.mix_hash(public)
        self._state.mix_key(_shared(ephemeral, self._theirs))
        return public + self._state.encrypt(payload), self._state.split()


def _ephemeral_of(message: bytes) -> bytes:
    if len(message) < MESSAGE_BYTES:
        raise HandshakeFailed(f"a handshake message of {len(message)} bytes")
    return message[:KEY_BYTES]


def _shared(private: X25519PrivateKey, public: bytes) -> bytes:
    try:
        return private.exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:  # a point of small order: everybody would know the secret
        raise HandshakeFailed("not a usable public key") from None


def _hkdf(chain: bytes, material: bytes) -> tuple[bytes, bytes]:
    """HKDF with two outputs (section 4.3)."""
    secret = hmac.digest(chain, material, "sha256")
    first = hmac.digest(secret, b"\x01", "sha256")
    return first, hmac.digest(secret, first + b"\x02", "sha256")
