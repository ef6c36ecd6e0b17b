"""Settings of mutual TLS between our servers, the same for every program that has a part in it."""

from __future__ import annotations

from pathlib import Path

from pydantic import model_validator

from paiju.service.settings import Settings
from paiju.wire.tls.files import TlsFiles


class PeerSettings(Settings):
    """All three or none; PEM files, read again when they change (docs/contracts/tls.md)."""

    peer_certificate: Path | None = None
    """Of this program, names cell, role and name."""
    peer_key: Path | None = None
    """The certificate's private key."""
    peer_ca: Path | None = None
    """The authorities whose certificates are accepted from other servers."""

    @model_validator(mode="after")
    def _peers_have_all_files(self) -> PeerSettings:
        given = [self.peer_certificate, self.peer_key, self.peer_ca]
        if any(given) and not all(given):
            raise ValueError("peer_certificate, peer_key and peer_ca belong together")
        return self

    def peer_files(self) -> TlsFiles | None:
        """None: no TLS between servers."""
        if self.peer_certificate is None or self.peer_key is None:
            return None
        return TlsFiles(certificate=self.peer_certificate, key=self.peer_key, ca=self.peer_ca)
