"""How a client checks the certificate of a gateway that it reaches by TLS.

The sealed channel inside proves the hall's key anyway (docs/contracts/sealed-channel.md); TLS
is for the network between: nobody there sees who speaks which protocol.
"""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path

import grpc

from paiju.wire.tls.files import BadTls, check_certificates


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """ca: authorities in PEM, in place of the system's; empty: those of the system.

    name: the host name that the certificate must have; empty: that of the address.
    """

    ca: bytes = b""
    name: str = ""

    @classmethod
    def load(cls, ca: Path, *, name: str = "") -> Tls:
        """With the authorities in that file. Raises BadTls."""
        try:
            pem = ca.read_bytes()
        except OSError as error:
            raise BadTls(f"cannot read {ca}: {error.strerror}") from None
        check_certificates(ca, pem)
        return cls(ca=pem, name=name)

    def credentials(self) -> grpc.ChannelCredentials:
        return grpc.ssl_channel_credentials(self.ca or None)

    def options(self) -> tuple[tuple[str, str], ...]:
        """Of the channel."""
        return (("grpc.ssl_target_name_override", self.name),) if self.name else ()

    def context(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cadata=self.ca.decode("ascii") if self.ca else None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context
