"""Values that a client keeps between two words of the server, sealed in its own memory.

Each write seals the value with AES-256-GCM under a fresh nonce, bound to the slot's name and
to the number of the write; so the same value never looks the same twice, and a sealed value
that is edited, moved to another slot or put back later does not open. Keys rotate by number
of writes: everything is sealed anew and the old key is gone.

The promise is that edits are noticed, not that values cannot be found: whoever reads our
memory can find the key, too, and a value that is being used is in the clear for a moment. The
truth is on the servers, so an edit that is not noticed would change a picture, never a
balance.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

WRITES_PER_KEY = 4096
_NONCE_BYTES = 12
_VERSION = struct.Struct(">Q")


class Tampered(Exception):
    """The value of a slot does not open; it is gone. slot: its name."""

    def __init__(self, slot: str) -> None:
        super().__init__(f"the kept value of {slot} was changed from outside")
        self.slot = slot


@dataclass(slots=True)
class _Kept:
    name: bytes  # the slot's, encoded once
    version: int
    sealed: bytes  # nonce and ciphertext


class Vault:
    """Slots by name. Owner: one client's core; no locks."""

    __slots__ = ("_aead", "_kept", "_version", "_writes", "_writes_per_key")

    def __init__(self, *, writes_per_key: int = WRITES_PER_KEY) -> None:
        self._kept: dict[str, _Kept] = {}
        self._writes_per_key = writes_per_key
        self._version = 0
        self._new_key()

    def __contains__(self, slot: str) -> bool:
        return slot in self._kept

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def put(self, slot: str, value: bytes) -> None:
        """Keep a value in place of the slot's last one.

        A key change on the way reads every slot: one that was tampered with stays as it is and
        is noticed when it is asked for.
        """
        if self._writes >= self._writes_per_key:
            self._rotate()
        self._seal(slot, value)

    def get(self, slot: str) -> bytes:
        """The value. KeyError when there is none; Tampered, once, when it does not open."""
        kept = self._kept[slot]
        try:
            return self._open(kept)
        except InvalidTag:
            del self._kept[slot]
            raise Tampered(slot) from None

    def forget(self, slot: str) -> None:
        self._kept.pop(slot, None)

    def _seal(self, slot: str, value: bytes) -> None:
        self._version += 1
        self._writes += 1
        name = slot.encode()
        nonce = secrets.token_bytes(_NONCE_BYTES)
        bound = _VERSION.pack(self._version) + name
        self._kept[slot] = _Kept(
            name, self._version, nonce + self._aead.encrypt(nonce, value, bound)
        )

    def _open(self, kept: _Kept) -> bytes:
        sealed = kept.sealed
        bound = _VERSION.pack(kept.version) + kept.name
        return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound)

    def _new_key(self) -> None:
        self._aead = AESGCM(AESGCM.generate_key(256))
        self._writes = 0

    def _rotate(self) -> None:
        values: dict[str, bytes] = {}
        for slot, kept in self._kept.items():
            try:
                values[slot] = self._open(kept)
            except InvalidTag:
                continue  # under the new key it opens no better
        self._new_key()
        for slot, value in values.items():
            self._seal(slot, value)
