"""The sealed channel under every attack of docs/contracts/sealed-channel.md."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiju.wire import records, sealed
from paiju.wire.records import KEY_S, REASONS, BrokenSeal, padded
from paiju.wire.sealed import ClientChannel, ServerChannel
from paiju.wire.server_keys import ServerKeys

from .sealed_pair import KEYS, pair, refuses


@given(st.lists(st.tuples(st.booleans(), st.binary(max_size=5000)), max_size=12))
def test_what_is_sealed_opens_in_order(frames: list[tuple[bool, bytes]]) -> None:
    client, server = pair(records_per_key=3)
    for from_client, payload in frames:
        sender, receiver = (client, server) if from_client else (server, client)
        assert receiver.receive(sender.seal(payload, 0.0), 0.0) == payload


def test_the_same_payload_never_looks_the_same() -> None:
    client, server = pair()
    other, _ = pair()
    frames = {client.seal(b"pass", 0.0) for _ in range(50)} | {server.seal(b"pass", 0.0)}
    frames.add(other.seal(b"pass", 0.0))
    bodies = {frame[records.HEADER_BYTES :] for frame in frames}
    assert len(bodies) == len(frames) == 52


def test_equal_blocks_in_one_payload_do_not_repeat() -> None:
    client, _ = pair()
    body = client.seal(b"sixteen bytes ok" * 500, 0.0)[records.HEADER_BYTES :]
    blocks = [body[i : i + 16] for i in range(0, len(body) - 16, 16)]
    assert len(set(blocks)) == len(blocks)


def test_lengths_are_few_and_tell_little() -> None:
    client, _ = pair()
    lengths = {n: len(client.seal(bytes(n), 0.0)) for n in (0, 1, 40, 224, 225, 992, 993, 70_000)}
    assert lengths == {
        0: 256,
        1: 256,
        40: 256,
        224: 256,
        225: 1024,
        992: 1024,
        993: 4096,
        70_000: 81_920,
    }
    assert padded(224) == 256 and padded(16_352) == 16_384 and padded(16_353) == 32_768


def test_a_payload_above_the_limit_is_not_sealed() -> None:
    client, _ = pair()
    with pytest.raises(ValueError):
        client.seal(bytes(records.MAX_PAYLOAD_BYTES + 1), 0.0)


# ---- attacks on records --------------------------------------------------------------------


def test_a_flipped_bit_in_every_byte_is_noticed() -> None:
    client, _ = pair()
    length = len(client.seal(b"play 3s 3h", 0.0))
    reasons = set()
    for position in range(length):
        client, server = pair()
        frame = bytearray(client.seal(b"play 3s 3h", 0.0))
        frame[position] ^= 1 << (position % 8)
        reason = refuses(server, bytes(frame))
        in_header = position < records.HEADER_BYTES
        assert reason in ({"not_sealed", "early_key", "gap"} if in_header else {"forged"})
        reasons.add(reason)
    assert reasons == {"not_sealed", "early_key", "gap", "forged"}


def test_replay() -> None:
    client, server = pair()
    frame = client.seal(b"call 3", 0.0)
    assert server.receive(frame, 0.0) == b"call 3"
    assert refuses(server, frame) == "replayed"


def test_reordered_and_dropped() -> None:
    for frames in ([1], [1, 0]):
        client, server = pair()
        sent = [client.seal(b"one", 0.0), client.seal(b"two", 0.0)]
        assert refuses(server, sent[frames[0]]) == "gap"


def test_truncated_in_every_length() -> None:
    client, _ = pair()
    frame = client.seal(b"call 3", 0.0)
    for length in range(len(frame)):
        # The same keys for each length would need 256 copies; so would the handshake's cost.
        opener = _fresh_opener(client)
        with pytest.raises(BrokenSeal) as broken:
            opener.open(frame[:length])
        expected = "not_sealed" if length == 0 else "truncated"
        assert broken.value.reason == (expected if length < records.OVERHEAD_BYTES else "forged")
    assert _fresh_opener(client).open(frame) == b"call 3"


def _fresh_opener(client: ClientChannel) -> records.Opener:
    sealer = client._sealer
    assert sealer is not None
    return records.Opener(sealer._key)


def test_lengthened() -> None:
    client, server = pair()
    assert refuses(server, client.seal(b"call 3", 0.0) + b"\0") == "forged"


def test_spliced_from_another_session() -> None:
    client, server = pair()
    other, _ = pair()
    assert refuses(server, other.seal(b"call 3", 0.0)) == "forged"
    assert client.ready


def test_reflected() -> None:
    client, server = pair()
    assert refuses(client, client.seal(b"call 3", 0.0)) == "forged"
    assert refuses(server, server.seal(b"call 3", 0.0)) == "forged"


def test_two_halves_of_two_records() -> None:
    client, server = pair()
    one, two = client.seal(b"one", 0.0), client.seal(b"two", 0.0)
    assert refuses(server, one[:100] + two[100:]) == "forged"


def test_a_record_that_has_not_its_own_length() -> None:
    key = bytes(32)
    inner = (5).to_bytes(4, "big") + b"short" + bytes(1000)
    header = records._HEADER.pack(records.RECORD << 24, 0)
    frame = header + records.AESGCM(key).encrypt(bytes(12), inner, header)
    with pytest.raises(BrokenSeal, match="padding"):
        records.Opener(key).open(frame)


# ---- rekeying ------------------------------------------------------------------------------


def test_the_sender_takes_a_new_key_by_count() -> None:
    client, server = pair(records_per_key=4)
    for number in range(10):
        assert client.generation == number // 4
        assert server.receive(client.seal(b"x", 0.0), 0.0) == b"x"
    assert server.generation == 0, "the directions are independent"


def test_the_sender_takes_a_new_key_by_time() -> None:
    client, server = pair()
    for now, generation in ((0.0, 0), (KEY_S - 1, 0), (KEY_S, 1), (KEY_S + 1, 1), (2 * KEY_S, 2)):
        assert server.receive(client.seal(b"x", now), now) == b"x"
        assert client.generation == generation


def test_nothing_under_the_old_key_is_accepted_afterwards() -> None:
    client, server = pair(records_per_key=2)
    old = _copy_of_sealer(client)
    for _ in range(2):
        server.receive(client.seal(b"x", 0.0), 0.0)
    for _ in range(3):
        late = old.seal(b"under the old key", 0.0)  # counters 0, 1 and the one that is due
    assert refuses(server, late) == "old_key"


def _copy_of_sealer(client: ClientChannel) -> records.Sealer:
    sealer = client._sealer
    assert sealer is not None
    return records.Sealer(sealer._key, now=0.0)


def test_the_old_key_under_the_new_header_does_not_open() -> None:
    client, server = pair(records_per_key=2)
    old = _copy_of_sealer(client)
    for _ in range(2):
        server.receive(client.seal(b"x", 0.0), 0.0)
        old.seal(b"x", 0.0)
    old._generation = 1
    assert refuses(server, old.seal(b"under the old key", 0.0)) == "forged"


def test_a_key_nobody_announced_and_one_that_is_overdue() -> None:
    client, server = pair()
    sealer = client._sealer
    assert sealer is not None
    sealer._generation = 1
    assert refuses(server, client.seal(b"x", 0.0)) == "early_key"

    client, _ = pair()
    sealer = client._sealer
    assert sealer is not None
    opener = records.Opener(sealer._key, records_per_key=2)
    opener.open(client.seal(b"x", 0.0))
    with pytest.raises(BrokenSeal, match="overdue_key"):
        opener.open(client.seal(b"x", 0.0))


# ---- attacks on the handshake --------------------------------------------------------------


def test_a_flipped_bit_in_every_byte_of_the_handshake() -> None:
    reasons = set()
    for position in range(sealed.OPENING_BYTES):
        frame = bytearray(ClientChannel(server_key=KEYS.public[0]).handshake())
        frame[position] ^= 1 << (position % 8)
        reasons.add(refuses(ServerChannel(KEYS), bytes(frame)))
    assert reasons == {"not_sealed", "version", "unknown_key", "handshake"}

    for position in range(sealed.ACCEPTANCE_BYTES):
        client, server = ClientChannel(server_key=KEYS.public[0]), ServerChannel(KEYS)
        server.receive(client.handshake(), 0.0)
        answer = bytearray(server.handshake())
        answer[position] ^= 1 << (position % 8)
        assert refuses(client, bytes(answer)) == ("handshake" if position else "not_sealed")


def test_downgrade() -> None:
    """Whoever lowers a version on the way breaks the handshake, on either layer."""
    opening = ClientChannel(server_key=KEYS.public[0]).handshake()
    older_seal = bytes((opening[0], sealed.SEAL_VERSION - 1)) + opening[2:]
    older_protocol = opening[:2] + bytes(2) + opening[4:]
    assert refuses(ServerChannel(KEYS), older_seal) == "version"
    assert refuses(ServerChannel(KEYS), older_protocol) == "handshake"


def test_in_the_clear() -> None:
    """A frame without a seal, before and after the handshake."""
    plain = b"\x0a\x04\x08\x01\x52\x00"
    assert refuses(ServerChannel(KEYS), plain) == "not_sealed"
    assert refuses(ClientChannel(server_key=KEYS.public[0]), plain) == "not_sealed"
    client, server = pair()
    assert refuses(server, plain) == "not_sealed"
    assert refuses(client, plain) == "not_sealed"


def test_a_replayed_handshake_gets_other_keys() -> None:
    client = ClientChannel(server_key=KEYS.public[0])
    opening = client.handshake()
    server, again = ServerChannel(KEYS), ServerChannel(KEYS)
    server.receive(opening, 0.0)
    again.receive(opening, 0.0)
    client.receive(server.handshake(), 0.0)
    assert refuses(again, client.seal(b"call 3", 0.0)) == "forged"


def test_a_second_opening_on_the_same_connection() -> None:
    _, server = pair()
    assert refuses(server, ClientChannel(server_key=KEYS.public[0]).handshake()) == "not_sealed"


def test_a_server_without_the_key_cannot_answer() -> None:
    client, impostor = ClientChannel(server_key=KEYS.public[0]), ServerKeys.generate()
    assert refuses(ServerChannel(impostor), client.handshake()) == "unknown_key"
    other = ClientChannel(server_key=impostor.public[0])
    answering = ServerChannel(impostor)
    answering.receive(other.handshake(), 0.0)
    assert refuses(client, answering.handshake()) == "handshake"


def test_nothing_is_sealed_before_the_handshake() -> None:
    with pytest.raises(RuntimeError):
        ServerChannel(KEYS).seal(b"x", 0.0)


def test_every_reason_is_listed_once() -> None:
    assert len(set(REASONS)) == len(REASONS)


# ---- keys ----------------------------------------------------------------------------------


def test_two_keys_are_valid_at_once_and_no_third() -> None:
    first = ServerKeys.generate()
    second = first.rotated()
    third = second.rotated()
    assert second.public[1] == first.public[0]
    for keys, public, reason in (
        (second, first.public[0], ""),
        (second, second.public[0], ""),
        (third, second.public[0], ""),
        (third, first.public[0], "unknown_key"),
    ):
        client, server = ClientChannel(server_key=public), ServerChannel(keys)
        if reason:
            assert refuses(server, client.handshake()) == reason
        else:
            server.receive(client.handshake(), 0.0)
            client.receive(server.handshake(), 0.0)
            assert server.receive(client.seal(b"x", 0.0), 0.0) == b"x"
