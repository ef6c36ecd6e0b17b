"""Certificate files, whom certificates name, and the authority that makes them."""

from __future__ import annotations

import ssl
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

from paiju.wire.tls import files as tls_files
from paiju.wire.tls import identity as ids
from paiju.wire.tls.authority import CA_FILE, CA_KEY_FILE, Authority
from paiju.wire.tls.files import BadTls, TlsFiles, Watched
from paiju.wire.tls.identity import Identity, NotYours
from paiju.wire.v1 import common_pb2, data_pb2

LATER = datetime.now(UTC) + timedelta(days=4000)
EARLIER = datetime.now(UTC) - timedelta(days=1)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority.make(tmp_path, cell="cell-1")


@pytest.fixture
def files(authority: Authority, tmp_path: Path) -> TlsFiles:
    certificate, key = authority.issue(
        tmp_path, role=ids.GAME_SERVER, name="gs-1", addresses=["127.0.0.1", "gs-1.example"]
    )
    return TlsFiles(certificate=certificate, key=key, ca=tmp_path / CA_FILE)


def test_what_is_issued_can_be_read_and_names_its_holder(files: TlsFiles) -> None:
    found = tls_files.read(files)
    assert ids.identity_of(found.leaf) == Identity("cell-1", ids.GAME_SERVER, "gs-1")
    names = found.leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["gs-1.example"]
    context = ssl.create_default_context(cafile=files.ca)
    context.verify_flags |= ssl.VERIFY_X509_STRICT


def test_private_files_are_the_owners_alone(files: TlsFiles, tmp_path: Path) -> None:
    for path in (files.key, tmp_path / CA_KEY_FILE):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(tmp_path.glob(".*")), "no draft is left"


def test_an_authority_is_not_overwritten(authority: Authority, tmp_path: Path) -> None:
    before = (tmp_path / CA_KEY_FILE).read_bytes()
    with pytest.raises(BadTls, match="another folder"):
        Authority.make(tmp_path, cell="cell-2")
    assert (tmp_path / CA_KEY_FILE).read_bytes() == before
    assert Authority.load(tmp_path).cell == "cell-1"


@pytest.mark.parametrize("address", ["", "a b", "*.example", "host:7", "spieler.日本"])
def test_what_is_no_address_is_not_issued(
    authority: Authority, tmp_path: Path, address: str
) -> None:
    with pytest.raises(BadTls, match="neither"):
        authority.issue(tmp_path, role=ids.PLAYERS, name="edge", addresses=[address])


@pytest.mark.parametrize(
    ("role", "name"), [("king", "a"), (ids.OPERATOR, "a:b"), (ids.OPERATOR, "")]
)
def test_names_that_would_not_come_back_are_not_issued(
    authority: Authority, tmp_path: Path, role: str, name: str
) -> None:
    with pytest.raises(BadTls):
        authority.issue(tmp_path, role=role, name=name)


# ---- files that cannot be used -------------------------------------------------------------


def test_each_thing_that_is_wrong_is_named(files: TlsFiles, tmp_path: Path) -> None:
    def reason(changed: TlsFiles, **when: datetime) -> str:
        with pytest.raises(BadTls) as bad:
            tls_files.read(changed, **when)
        return str(bad.value)

    certificate, key, ca = files.certificate, files.key, files.ca
    missing = tmp_path / "nowhere.pem"
    assert reason(TlsFiles(certificate=missing, key=key)) == (
        f"cannot read {missing}: No such file or directory"
    )
    assert "cannot read" in reason(TlsFiles(certificate=tmp_path, key=key))
    text = tmp_path / "text.pem"
    text.write_text("no certificate")
    assert "no certificate in PEM" in reason(TlsFiles(certificate=text, key=key))
    assert "no private key" in reason(TlsFiles(certificate=certificate, key=text))
    assert "no certificate in PEM" in reason(TlsFiles(certificate=certificate, key=key, ca=text))
    assert "ran out at" in reason(files, now=LATER)
    assert "valid from" in reason(files, now=EARLIER)
    other = tmp_path / CA_KEY_FILE
    assert "does not belong to" in reason(TlsFiles(certificate=certificate, key=other, ca=ca))


def test_a_locked_key_is_said_to_be_locked(files: TlsFiles, tmp_path: Path) -> None:
    from cryptography.hazmat.primitives import serialization as s

    key = s.load_pem_private_key(files.key.read_bytes(), None)
    locked = tmp_path / "locked.pem"
    locked.write_bytes(
        key.private_bytes(
            s.Encoding.PEM, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"secret")
        )
    )
    with pytest.raises(BadTls, match="locked by a password"):
        tls_files.read(TlsFiles(certificate=files.certificate, key=locked))


# ---- rotation ------------------------------------------------------------------------------


def test_changed_files_are_used_once_they_fit_together(
    authority: Authority, files: TlsFiles, tmp_path: Path
) -> None:
    now = 0.0
    told: list[str] = []
    watched = Watched(files, on_change=told.append, clock=lambda: now)
    first = watched.current()
    fresh, fresh_key = authority.issue(tmp_path / "new", role=ids.GAME_SERVER, name="gs-1")

    fresh_key.replace(files.key)  # half of a rotation
    assert watched.current() is first, "looked at too often"
    now = 1.0
    assert watched.current() is first and watched.version == 1
    assert len(told) == 1 and "does not belong to" in told[0]
    now = 2.0
    assert watched.current() is first and len(told) == 1, "told once"

    fresh.replace(files.certificate)
    now = 3.0
    assert watched.current().leaf != first.leaf and watched.version == 2
    assert told[1:] == [""]
    files.certificate.unlink()
    now = 4.0
    assert watched.version == 2 and watched.current().leaf != first.leaf
    assert "cannot read" in told[-1]


def test_files_that_are_wrong_from_the_beginning_are_no_start(files: TlsFiles) -> None:
    files.key.unlink()
    with pytest.raises(BadTls):
        Watched(files)


# ---- identities ----------------------------------------------------------------------------


def test_a_name_comes_back_as_it_was(authority: Authority) -> None:
    who = Identity("cell-1", ids.DATA_SERVER, "data-1")
    assert ids.parsed(who.uri()) == who
    for text in ("urn:paiju:a:king:b", "urn:paiju:a:operator", "https://x", "urn:paiju:::", ""):
        assert ids.parsed(text) is None


def _certificate(
    authority: Authority, *uris: str, signer: Authority | None = None
) -> x509.Certificate:
    key = ec.generate_private_key(ec.SECP256R1())
    names = [x509.UniformResourceIdentifier(uri) for uri in uris]
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([]))
        .issuer_name((signer or authority).certificate.subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(authority.key, hashes.SHA256())


def test_an_authority_speaks_for_its_own_cell_only(authority: Authority, tmp_path: Path) -> None:
    good = Identity("cell-1", ids.GAME_SERVER, "gs-1").uri()
    foreign = Identity("cell-2", ids.GAME_SERVER, "gs-1").uri()
    assert ids.identity_of(_certificate(authority, good)).cell == "cell-1"
    for uris, reason in (((foreign,), "cell"), ((), "unnamed"), ((good, foreign), "unnamed")):
        with pytest.raises(NotYours) as refused:
            ids.identity_of(_certificate(authority, *uris))
        assert refused.value.reason == reason


def test_a_server_speaks_for_itself_its_gateways_and_its_hosts() -> None:
    me = Identity("cell-1", ids.GAME_SERVER, "gs-1")
    assert me.owns_gateway("gs-1/gateway-0") and me.owns_host("gs-1-0") and me.owns_host("gs-1-12")
    for host in ("gs-2-0", "gs-1", "gs-1-", "gs-1-0-0", "gs-1-x", "gs-10", "gs-1-²"):
        assert not me.owns_host(host), host
    assert not me.owns_gateway("gs-10/gateway-0") and not me.owns_gateway("gs-1")


def test_every_request_of_a_game_server_that_names_a_sender_is_checked() -> None:
    """Whatever is added to the contract later: a field that says who sends is looked at."""
    me = Identity("cell-1", ids.GAME_SERVER, "gs-1")
    strange = "somebody else"
    checked = 0
    for name in ("Accounts", "Ledger", "Cluster"):
        for method in data_pb2.DESCRIPTOR.services_by_name[name].methods:
            kind = getattr(data_pb2, method.input_type.name)
            for field in method.input_type.fields:
                request = kind()
                if field.name in ("server", "cell", "gateway"):
                    setattr(request, field.name, strange)
                elif field.name == "origin":
                    request.origin.server = strange
                elif field.name == "host" and field.type == field.TYPE_STRING:
                    request.host = strange
                elif field.name == "host":
                    request.host.host = strange
                elif field.name == "hosts":
                    request.hosts.add(host=strange)
                else:
                    continue
                checked += 1
                with pytest.raises(NotYours):
                    ids.check_claims(me, request)
    assert checked >= 15


def test_ones_own_names_pass() -> None:
    me = Identity("cell-1", ids.GAME_SERVER, "gs-1")
    own = data_pb2.HostEpoch(host="gs-1-0", epoch=1)
    origin = data_pb2.Origin(server="gs-1", gateway="gs-1/gateway-0", address="192.0.2.1")
    for request in (
        data_pb2.RegisterServerRequest(server="gs-1", cell="cell-1"),
        data_pb2.RegisterHostRequest(host=own, server="gs-1", cell="cell-1"),
        data_pb2.HeartbeatRequest(server="gs-1", hosts=[data_pb2.HostCounts(host="gs-1-0")]),
        data_pb2.LoginRequest(origin=origin, name="a"),
        data_pb2.SettleRequest(host=own),
        data_pb2.SitDownRequest(host=own, table=common_pb2.TableRef(room="r")),
        data_pb2.OpenShardRequest(room="r", prefer_server="gs-2"),
        data_pb2.GetWalletRequest(player=1),
    ):
        ids.check_claims(me, request)
