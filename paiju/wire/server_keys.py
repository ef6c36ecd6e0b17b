"""The server's static keys: what gateways hold, and what clients pin.

A hall has at most two keys at once. The newest is the one that clients should use; the one
before stays valid until the next rotation, so that clients can be given the new one in time.
A key's id is the first 8 bytes of the SHA-256 of its public bytes. All gateways of a hall
hold the same file, readable by its owner only:

    {"version": 1, "private_keys": [newest, older]}      base64url, no padding
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from paiju.wire import noise

KEY_ID_BYTES = 8
MOST_KEYS = 2
_VERSION = 1


class BadKeys(ValueError):
    """A key or a file of keys that cannot be used; the message says why."""


def key_id(public: bytes) -> bytes:
    return hashlib.sha256(public).digest()[:KEY_ID_BYTES]


def encode(key: bytes) -> str:
    return base64.urlsafe_b64encode(key).rstrip(b"=").decode()


def decode(text: str) -> bytes:
    """32 bytes from their base64url text. Raises BadKeys."""
    try:
        key = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        raise BadKeys(f"{text!r} is not base64url") from None
    if len(key) != noise.KEY_BYTES:
        raise BadKeys(f"a key of {len(key)} bytes, {noise.KEY_BYTES} are needed")
    return key


def pinned(text: str) -> tuple[bytes, ...]:
    """Public keys out of a setting: one or two, separated by commas. Raises BadKeys."""
    keys = tuple(decode(part.strip()) for part in text.split(",") if part.strip())
    if not 1 <= len(keys) <= MOST_KEYS:
        raise BadKeys(f"{len(keys)} server keys are pinned; one or two are needed")
    return keys


class ServerKeys:
    """Private keys, newest first. Immutable."""

    def __init__(self, keys: Sequence[X25519PrivateKey]) -> None:
        if not 1 <= len(keys) <= MOST_KEYS:
            raise BadKeys(f"{len(keys)} server keys; one or two are needed")
        self._keys = tuple(keys)
        self.public = tuple(noise.public_of(key) for key in keys)
        self._by_id = {key_id(p): key for p, key in zip(self.public, keys, strict=True)}

    @classmethod
    def generate(cls) -> ServerKeys:
        return cls([X25519PrivateKey.generate()])

    def get(self, id: bytes) -> X25519PrivateKey | None:
        return self._by_id.get(id)

    def rotated(self) -> ServerKeys:
        """A new key in front; the one before stays, an older one is gone."""
        return ServerKeys([X25519PrivateKey.generate(), self._keys[0]])

    @classmethod
    def load(cls, path: Path) -> ServerKeys:
        """Raises BadKeys, OSError."""
        try:
            state = json.loads(path.read_text("utf-8"))
            if state["version"] != _VERSION:
                raise BadKeys(f"{path}: version {state['version']}, this program knows {_VERSION}")
            private = [decode(text) for text in state["private_keys"]]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, BadKeys):
                raise
            raise BadKeys(f"{path} is no file of server keys") from None
        return cls([X25519PrivateKey.from_private_bytes(key) for key in private])

    def save(self, path: Path) -> None:
        """Write for the owner only; a reader sees the old file or the new one."""
        private = [encode(key.private_bytes_raw()) for key in self._keys]
        text = json.dumps({"version": _VERSION, "private_keys": private})
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # mode 0600
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    @classmethod
    def load_or_create(cls, path: Path) -> ServerKeys:
        """Raises BadKeys, OSError."""
        if path.exists():
            return cls.load(path)
        keys = cls.generate()
        keys.save(path)
        return keys
