"""A cell's own authority and the certificates it gives: what `paiju admin certificates` makes.

Keys are ECDSA on P-256, files are PEM, and whatever is private has mode 0600. An authority's
subject has the cell as organizational unit, for that is how a certificate's cell is known to be
its own (identity.py).
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from paiju.wire.tls.files import BadTls, check_certificates
from paiju.wire.tls.identity import NAME, ROLES, Identity

CA_FILE, CA_KEY_FILE = "ca.pem", "ca-key.pem"
CA_DAYS = 3650
DAYS = 90
EARLY = timedelta(hours=1)  # clocks of other machines may be slow
_LEAF_EKU = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]


@dataclass(frozen=True, slots=True)
class Authority:
    cell: str
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @classmethod
    def make(cls, folder: Path, *, cell: str, days: int = CA_DAYS) -> Authority:
        """A new one in that folder. Raises BadTls when there is one already."""
        _check_name(cell, "cell")
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name(
            [
                x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Paiju"),
                x509.NameAttribute(NameOID.ORGANIZATIONAL_UNIT_NAME, cell),
                x509.NameAttribute(NameOID.COMMON_NAME, f"Paiju authority of {cell}"),
            ]
        )
        made = (
            _begun(name, issuer=name, key=key, days=days)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(ca=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        _make_folder(folder)
        _write_private(folder / CA_KEY_FILE, key)
        _write(folder / CA_FILE, made.public_bytes(Encoding.PEM))
        return cls(cell, made, key)

    @classmethod
    def load(cls, folder: Path) -> Authority:
        """Raises BadTls."""
        path, key_path = folder / CA_FILE, folder / CA_KEY_FILE
        try:
            certificate = check_certificates(path, path.read_bytes())[0]
            key = load_pem_private_key(key_path.read_bytes(), password=None)
        except OSError as error:
            hint = "make one with `paiju admin certificates init`"
            raise BadTls(f"cannot read {error.filename}: {error.strerror}; {hint}") from None
        except (ValueError, TypeError) as error:
            if isinstance(error, BadTls):
                raise
            raise BadTls(f"{key_path} holds no private key") from None
        units = certificate.subject.get_attributes_for_oid(NameOID.ORGANIZATIONAL_UNIT_NAME)
        if not isinstance(key, ec.EllipticCurvePrivateKey) or len(units) != 1:
            raise BadTls(f"{path} is no authority of ours")
        return cls(str(units[0].value), certificate, key)

    def issue(
        self, folder: Path, *, role: str, name: str, addresses: Sequence[str] = (), days: int = DAYS
    ) -> tuple[Path, Path]:
        """Certificate and key as NAME.pem and NAME-key.pem, in place of older ones.

        addresses: IP addresses and host names under which it is reached. The key is written
        first and whole, so a reader may see a new key with the old certificate, and waits.
        Raises BadTls.
        """
        _check_name(name, "name")
        if role not in ROLES:
            raise BadTls(f"{role!r} is no role; there are {', '.join(ROLES)}")
        names: list[x509.GeneralName] = [
            x509.UniformResourceIdentifier(Identity(self.cell, role, name).uri()),
            *map(_address, dict.fromkeys(addresses)),
        ]
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        made = (
            _begun(subject, issuer=self.certificate.subject, key=key, days=days)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(ca=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(_LEAF_EKU), critical=False)
            .sign(self.key, hashes.SHA256())
        )
        _make_folder(folder)
        certificate, key_file = folder / f"{name}.pem", folder / f"{name}-key.pem"
        _write_private(key_file, key, replace=True)
        _write(certificate, made.public_bytes(Encoding.PEM))
        return certificate, key_file


def _begun(
    subject: x509.Name, *, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - EARLY)
        .not_valid_after(now + timedelta(days=days))
    )


def _usage(*, ca: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not ca,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=ca,
        crl_sign=ca,
        encipher_only=False,
        decipher_only=False,
    )


def _address(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        pass
    if not text.isascii() or not text or any(c in text for c in " /:@*"):
        raise BadTls(f"{text!r} is neither an IP address nor a host name")
    return x509.DNSName(text)


def _check_name(text: str, what: str) -> None:
    if not NAME.fullmatch(text):
        raise BadTls(f"{text!r} is no {what}: letters, digits, '.', '_' and '-', at most 64")


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise BadTls(f"cannot make the folder {folder}: {error.strerror}") from None


def _write_private(path: Path, key: ec.EllipticCurvePrivateKey, *, replace: bool = False) -> None:
    """Mode 0600 from its first byte on; whole or not at all."""
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    if not replace and path.exists():
        raise BadTls(f"{path} is there already; another authority needs another folder")
    try:
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise BadTls(f"cannot write {path}: {error.strerror}") from None


def _write(path: Path, pem: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(pem)
        draft.replace(path)
    except OSError as error:
        raise BadTls(f"cannot write {path}: {error.strerror}") from None
