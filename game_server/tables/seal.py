"""Seals what the journal must keep but whoever reads its file must not: secrets of decks.

AES-256-GCM with a fresh nonce per seal; the place (table and hand) is bound in as associated
data, so that a sealed secret opens nowhere else. The key lies beside the cluster token, not
in the journal: a copied journal alone tells no deck that was not dealt yet.
"""

from __future__ import annotations

import hashlib
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12
_LABEL = b"paiju journal seal v1"


class SealBroken(ValueError):
    """Another key, another place, or changed bytes."""


class Sealer:
    """key: any secret of at least 16 bytes; hosts that share a journal share it."""

    def __init__(self, key: bytes) -> None:
        if len(key) < 16:
            raise ValueError("the journal's key has at least 16 bytes")
        self._cipher = AESGCM(hashlib.sha256(_LABEL + key).digest())

    def seal(self, secret: bytes, *, table: int, hand: int) -> str:
        """Hex of nonce and ciphertext."""
        nonce = secrets.token_bytes(NONCE_BYTES)
        return (nonce + self._cipher.encrypt(nonce, secret, _place(table, hand))).hex()

    def open(self, sealed: str, *, table: int, hand: int) -> bytes:
        """SealBroken when it was not sealed with this key for this place."""
        try:
            data = bytes.fromhex(sealed)
            return self._cipher.decrypt(data[:NONCE_BYTES], data[NONCE_BYTES:], _place(table, hand))
        except (InvalidTag, ValueError) as error:
            raise SealBroken(f"the secret of table {table}, hand {hand} does not open") from error


def _place(table: int, hand: int) -> bytes:
    return f"table {table} hand {hand}".encode()
