"""Metadata as it is signed, and keys as they lie in files (PKCS #8 PEM, mode 0600)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.serialization import load_pem_private_key
from securesystemslib.signer import CryptoSigner, Signer
from tuf.api.metadata import Metadata, Root, Snapshot, Targets, Timestamp

Signed = Root | Targets | Snapshot | Timestamp


class BadKey(ValueError):
    """Names the file that is no key."""


def sign(signed: Signed, signers: Sequence[Signer]) -> bytes:
    """The metadata with these signatures, as it is stored."""
    metadata: Metadata[Any] = Metadata(signed)
    for signer in signers:
        metadata.sign(signer, append=True)
    return metadata.to_bytes()


def new_key() -> CryptoSigner:
    return CryptoSigner.generate_ed25519()


def write_key(path: Path, key: CryptoSigner) -> None:
    """FileExistsError: no key is ever written over."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(key.private_bytes)


def read_key(path: Path) -> CryptoSigner:
    """BadKey."""
    try:
        return CryptoSigner(load_pem_private_key(path.read_bytes(), None))
    except OSError as error:
        raise BadKey(f"cannot read the key {path}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        raise BadKey(f"{path} is no private key without a passphrase: {error}") from None


def unsigned(targets: Targets) -> bytes:
    """A list that somebody shall sign, on its way to them."""
    metadata: Metadata[Targets] = Metadata(targets)
    return metadata.to_bytes()


def read_unsigned(data: bytes) -> Targets:
    """ValueError when it is no list of versions or authors."""
    metadata: Metadata[Any] = Metadata.from_bytes(data)
    if not isinstance(metadata.signed, Targets):
        raise ValueError("this is no list of versions")
    return metadata.signed
