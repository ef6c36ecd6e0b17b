"""Certificate, key and authorities as PEM files: read whole, checked, read again when they change.

A rotation replaces the files one after the other; until they fit together again the former ones
stay in use. Nothing here is written.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.types import PrivateKeyTypes
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

LOOK_EVERY_S = 1.0


class BadTls(ValueError):
    """Files that cannot be used; the message names the file and says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TlsFiles:
    """ca: authorities whose certificates are accepted from the other side; None: nobody's."""

    certificate: Path
    key: Path
    ca: Path | None = None

    def paths(self) -> tuple[Path, ...]:
        return tuple(path for path in (self.certificate, self.key, self.ca) if path is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Material:
    """What the files held, PEM. leaf: the certificate itself, first of the chain."""

    certificate: bytes
    key: bytes
    ca: bytes
    leaf: x509.Certificate


def read(files: TlsFiles, *, now: datetime | None = None) -> Material:
    """All of it, checked. Raises BadTls."""
    chain, key = _bytes(files.certificate), _bytes(files.key)
    leaf = check_certificates(files.certificate, chain, now=now)[0]
    if _public(_private(files.key, key)) != leaf.public_key().public_bytes(
        Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    ):
        raise BadTls(f"the key in {files.key} does not belong to {files.certificate}")
    ca = b"" if files.ca is None else _bytes(files.ca)
    if files.ca is not None:
        check_certificates(files.ca, ca, now=now)
    return Material(certificate=chain, key=key, ca=ca, leaf=leaf)


def check_certificates(
    path: Path, pem: bytes, *, now: datetime | None = None
) -> list[x509.Certificate]:
    """Those of a file, each within its time. Raises BadTls."""
    try:
        found = x509.load_pem_x509_certificates(pem)
    except ValueError:
        raise BadTls(f"{path} holds no certificate in PEM") from None
    moment = now or datetime.now(UTC)
    for certificate in found:
        if moment >= certificate.not_valid_after_utc:
            ended = certificate.not_valid_after_utc
            raise BadTls(f"the certificate in {path} ran out at {ended:%Y-%m-%d %H:%M} UTC")
        if moment < certificate.not_valid_before_utc:
            begins = certificate.not_valid_before_utc
            raise BadTls(f"the certificate in {path} is valid from {begins:%Y-%m-%d %H:%M} UTC on")
    return found


class Watched:
    """The files as they are now. May be used from any thread.

    on_change: called with "" when new files are in use, with the reason when they cannot be.
    Raises BadTls when they cannot be used at first.
    """

    def __init__(
        self,
        files: TlsFiles,
        *,
        on_change: Callable[[str], object] = lambda _: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.files = files
        self._on_change = on_change
        self._clock = clock
        self._lock = threading.Lock()
        self._seen = _signature(files)
        self._looked_at = clock()
        self._current = read(files)
        self.version = 1
        """Raised whenever other files are in use."""

    def current(self) -> Material:
        """Looks at the files at most every LOOK_EVERY_S."""
        with self._lock:
            now = self._clock()
            if now - self._looked_at >= LOOK_EVERY_S:
                self._looked_at = now
                self._look()
            return self._current

    def _look(self) -> None:
        signature = _signature(self.files)
        if signature == self._seen:
            return
        self._seen = signature
        try:
            self._current = read(self.files)
        except BadTls as bad:
            self._on_change(str(bad))
            return
        self.version += 1
        self._on_change("")


def _signature(files: TlsFiles) -> tuple[tuple[int, int, int] | None, ...]:
    """Changes when a file does."""
    found: list[tuple[int, int, int] | None] = []
    for path in files.paths():
        try:
            state = path.stat()
            found.append((state.st_ino, state.st_size, state.st_mtime_ns))
        except OSError:
            found.append(None)
    return tuple(found)


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadTls(f"cannot read {path}: {error.strerror}") from None


def _private(path: Path, pem: bytes) -> PrivateKeyTypes:
    try:
        return load_pem_private_key(pem, password=None)
    except TypeError:
        raise BadTls(f"the key in {path} is locked by a password") from None
    except (ValueError, UnsupportedAlgorithm):
        raise BadTls(f"{path} holds no private key in PEM") from None


def _public(key: PrivateKeyTypes) -> bytes:
    return key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
