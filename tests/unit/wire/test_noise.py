"""The handshake against published vectors and against another implementation, both ways."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from noise.connection import Keypair, NoiseConnection

from paiju.wire import noise

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "noise_nk_25519_aesgcm_sha256.json").read_text("utf-8")
)
PROLOGUE = b"any prologue"


def _bytes(name: str) -> bytes:
    return bytes.fromhex(VECTORS[name])


def _private(name: str) -> X25519PrivateKey:
    return X25519PrivateKey.from_private_bytes(_bytes(name))


def test_published_vectors() -> None:
    client = noise.Initiator(
        server_key=_bytes("init_remote_static"),
        prologue=_bytes("prologue"),
        ephemeral=_private("init_ephemeral"),
    )
    server = noise.Responder(
        static=_private("resp_static"),
        prologue=_bytes("prologue"),
        ephemeral=_private("resp_ephemeral"),
    )
    pairs = [
        (bytes.fromhex(m["payload"]), bytes.fromhex(m["ciphertext"])) for m in VECTORS["messages"]
    ]
    first, second, *rest = pairs

    assert client.write(first[0]) == first[1]
    assert server.read(first[1]) == first[0]
    message, theirs = server.write(second[0])
    assert message == second[1]
    payload, ours = client.read(second[1])

    assert payload == second[0]
    assert ours == theirs
    assert ours.transcript == _bytes("handshake_hash")
    assert len(rest) == 4
    for number, (plain, sealed) in enumerate(rest):
        key = (ours.to_server, ours.to_client)[number % 2]
        assert AESGCM(key).encrypt(noise.nonce(number // 2), plain, b"") == sealed


def _theirs(*, initiator: bool, static: X25519PrivateKey) -> NoiseConnection:
    other = NoiseConnection.from_name(noise.NAME)
    other.set_prologue(PROLOGUE)
    if initiator:
        other.set_as_initiator()
        other.set_keypair_from_public_bytes(Keypair.REMOTE_STATIC, noise.public_of(static))
    else:
        other.set_as_responder()
        other.set_keypair_from_private_bytes(Keypair.STATIC, static.private_bytes_raw())
    other.start_handshake()
    return other


def _exchange(other: NoiseConnection, *, send: bytes, receive: bytes) -> None:
    """Three messages each way, the last after a rekey of that direction."""
    for counter in range(2):
        plain = f"from us {counter}".encode()
        assert other.decrypt(AESGCM(send).encrypt(noise.nonce(counter), plain, b"")) == plain
        sealed = bytes(other.encrypt(b"from them"))
        assert AESGCM(receive).decrypt(noise.nonce(counter), sealed, b"") == b"from them"
    other.rekey_inbound_cipher()
    other.rekey_outbound_cipher()
    send, receive = noise.rekeyed(send), noise.rekeyed(receive)
    assert other.decrypt(AESGCM(send).encrypt(noise.nonce(2), b"new", b"")) == b"new"
    assert AESGCM(receive).decrypt(noise.nonce(2), bytes(other.encrypt(b"new")), b"") == b"new"


def test_our_client_with_their_server() -> None:
    static = X25519PrivateKey.generate()
    other = _theirs(initiator=False, static=static)
    client = noise.Initiator(server_key=noise.public_of(static), prologue=PROLOGUE)

    assert other.read_message(client.write(b"hello")) == b"hello"
    payload, keys = client.read(bytes(other.write_message(b"welcome")))

    assert payload == b"welcome"
    assert other.handshake_finished
    assert other.get_handshake_hash() == keys.transcript
    _exchange(other, send=keys.to_server, receive=keys.to_client)


def test_their_client_with_our_server() -> None:
    static = X25519PrivateKey.generate()
    other = _theirs(initiator=True, static=static)
    server = noise.Responder(static=static, prologue=PROLOGUE)

    assert server.read(bytes(other.write_message(b"hello"))) == b"hello"
    message, keys = server.write(b"welcome")

    assert other.read_message(message) == b"welcome"
    assert other.get_handshake_hash() == keys.transcript
    _exchange(other, send=keys.to_client, receive=keys.to_server)


def test_another_prologue_or_key_is_no_handshake() -> None:
    static = X25519PrivateKey.generate()
    message = noise.Initiator(server_key=noise.public_of(static), prologue=b"a").write()
    for server in (
        noise.Responder(static=static, prologue=b"b"),
        noise.Responder(static=X25519PrivateKey.generate(), prologue=b"a"),
    ):
        with pytest.raises(noise.HandshakeFailed):
            server.read(message)


@pytest.mark.parametrize("point", [bytes(32), (1).to_bytes(32, "little")])
def test_a_point_of_small_order_is_refused(point: bytes) -> None:
    static = X25519PrivateKey.generate()
    with pytest.raises(noise.HandshakeFailed):
        noise.Responder(static=static, prologue=b"").read(point + bytes(16))
    with pytest.raises(noise.HandshakeFailed):
        noise.Initiator(server_key=point, prologue=b"").write()
