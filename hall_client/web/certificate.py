"""A certificate of our own for https on this machine and in its network.

Nobody vouches for it: a browser asks once whether to trust it. It names the loopback and the
addresses given; it is made anew when it is about to run out or lacks one of them.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
from collections.abc import Iterable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

DAYS = 397
"""The longest that browsers accept."""
RENEW_DAYS = 30
_NAME = "Paiju hall of this machine"


def ensure(folder: Path, addresses: Iterable[str] = ()) -> tuple[Path, Path]:
    """Files of certificate and key in that folder, made when they are missing or too old."""
    certificate, key = folder / "web-certificate.pem", folder / "web-key.pem"
    names = sorted({"127.0.0.1", "::1", *addresses})
    if not (key.exists() and _good(certificate, names)):
        _make(certificate, key, names)
    return certificate, key


def fingerprint(certificate: Path) -> str:
    """SHA-256 in the form that browsers show."""
    made = x509.load_pem_x509_certificate(certificate.read_bytes())
    return made.fingerprint(hashes.SHA256()).hex(":").upper()


def _good(certificate: Path, addresses: list[str]) -> bool:
    try:
        made = x509.load_pem_x509_certificate(certificate.read_bytes())
        named = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except (OSError, ValueError, x509.ExtensionNotFound):
        return False
    left = made.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    known = {str(address) for address in named.get_values_for_type(x509.IPAddress)}
    return left > datetime.timedelta(days=RENEW_DAYS) and known >= set(addresses)


def _make(certificate: Path, key: Path, addresses: list[str]) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, _NAME)])
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = [x509.DNSName("localhost")]
    names += [x509.IPAddress(ipaddress.ip_address(address)) for address in addresses]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(private, hashes.SHA256())
    )
    pem = private.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    key.unlink(missing_ok=True)
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))
