"""What gRPC and asyncio need for TLS, made of checked files. TLS 1.2 or newer everywhere."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import cast

import grpc
from cryptography import x509

from paiju.wire.tls.files import BadTls, Material, TlsFiles, Watched
from paiju.wire.tls.identity import Identity, NotYours, identity_of

_ASKED: list[grpc.ServerCredentials] = []
"""gRPC's core asks them at each handshake, and holds no reference of its own: one that is under way
while a server is taken down would ask freed memory. So they live as long as the process."""


def grpc_server(
    watched: Watched, *, mutual: bool, on_handshake: Callable[[], object] = lambda: None
) -> grpc.ServerCredentials:
    """For `add_secure_port`; each new connection gets the files as they are then.

    mutual: whoever has no certificate of the authorities is cut in the handshake. on_handshake:
    called, from a thread of gRPC's, when one begins.
    """

    def now() -> grpc.ServerCertificateConfiguration:
        material = watched.current()
        return grpc.ssl_server_certificate_configuration(
            [(material.key, material.certificate)],
            root_certificates=material.ca if mutual else None,
        )

    used = watched.version

    def begun() -> grpc.ServerCertificateConfiguration | None:
        nonlocal used
        on_handshake()
        watched.current()
        if used == watched.version:
            return None
        used = watched.version
        return now()

    # None means "as before", which the annotations of grpc do not know.
    asked = cast("Callable[[], grpc.ServerCertificateConfiguration]", begun)
    made = grpc.dynamic_ssl_server_credentials(now(), asked, require_client_authentication=mutual)
    _ASKED.append(made)
    return made


def grpc_client(material: Material) -> grpc.ChannelCredentials:
    """For a channel to a server of the authorities, showing our own certificate."""
    return grpc.ssl_channel_credentials(material.ca, material.key, material.certificate)


def server_context(files: TlsFiles, *, mutual: bool) -> ssl.SSLContext:
    """Raises BadTls."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    load(context, files)
    if mutual:
        _trust(context, files)
        context.verify_mode = ssl.CERT_REQUIRED
    return context


def client_context(files: TlsFiles) -> ssl.SSLContext:
    """Checks the authority; whom the certificate names is the caller's to check (`peer_of`)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    load(context, files)
    _trust(context, files)
    return context


def load(context: ssl.SSLContext, files: TlsFiles) -> None:
    """Certificate and key from now on; connections that stand keep theirs. Raises BadTls."""
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(files.certificate, files.key)
    except (OSError, ssl.SSLError) as error:
        raise BadTls(f"cannot use {files.certificate} with {files.key}: {error}") from None


def _trust(context: ssl.SSLContext, files: TlsFiles) -> None:
    try:
        context.load_verify_locations(files.ca)
    except (OSError, ssl.SSLError, TypeError) as error:
        raise BadTls(f"cannot use the authorities in {files.ca}: {error}") from None


def peer_of(socket: ssl.SSLObject | ssl.SSLSocket) -> Identity:
    """Whom the other side's checked certificate names. Raises NotYours."""
    certificate = socket.getpeercert(binary_form=True)
    if not certificate:
        raise NotYours("unnamed")
    return identity_of(x509.load_der_x509_certificate(certificate))
