"""Mutated frames: none is accepted, nothing but BrokenSeal is raised, memory stays flat."""

from __future__ import annotations

import random
import tracemalloc

import pytest

from paiju.wire.records import REASONS, BrokenSeal, Opener, Sealer
from paiju.wire.sealed import ClientChannel, ServerChannel

from .sealed_pair import KEYS

_KEY = bytes(range(32))


def mutated(frame: bytes, other: bytes, rng: random.Random) -> bytes:
    """`frame` with something done to it; never equal to it."""
    while True:
        out = bytearray(frame)
        for _ in range(rng.choice((1, 1, 1, 2, 5))):
            at = rng.randrange(len(out) + 1)
            match rng.randrange(7):
                case 0 if out:
                    out[at % len(out)] ^= 1 << rng.randrange(8)
                case 1:
                    del out[at:]
                case 2:
                    out[at:at] = rng.randbytes(rng.randrange(1, 9))
                case 3:
                    out[at : at + 8] = rng.randbytes(8)
                case 4:
                    out[at:] = other[at:]
                case 5 if len(out) > 1:
                    to = rng.randrange(len(out))
                    out[at % len(out)], out[to] = out[to], out[at % len(out)]
                case _:
                    out[:12] = other[:12]
        if bytes(out) != frame:
            return bytes(out)


def fuzz_records(count: int) -> dict[str, int]:
    rng = random.Random(20260401)
    sealer, opener = Sealer(_KEY, now=0.0), Opener(_KEY)
    elsewhere = Sealer(bytes(32), now=0.0)
    reasons = dict.fromkeys(REASONS, 0)
    for number in range(count):
        if number % 64 == 0:  # a genuine one now and then: what is due moves on
            assert opener.open(sealer.seal(b"genuine", 0.0)) == b"genuine"
            due = _peek(sealer, b"play 3s 3h 3d 4c")
            other = elsewhere.seal(rng.randbytes(100), 0.0)
        try:
            opener.open(mutated(due, other, rng))
        except BrokenSeal as broken:
            reasons[broken.reason] += 1
        else:
            raise AssertionError("a mutated frame was accepted")
    return reasons


def _peek(sealer: Sealer, payload: bytes) -> bytes:
    """The record that is due, without moving the sender on."""
    copy = Sealer(_KEY, now=0.0)
    copy._counter = sealer._counter
    return copy.seal(payload, 0.0)


def fuzz_handshakes(count: int) -> None:
    rng = random.Random(7)
    for number in range(count):
        if number % 200 == 0:
            opening = ClientChannel(server_key=KEYS.public[0]).handshake()
            other = ClientChannel(server_key=KEYS.public[0]).handshake()
        frame = mutated(opening, other, rng)
        if frame == other:
            continue
        server = ServerChannel(KEYS)
        with pytest.raises(BrokenSeal):
            server.receive(frame, 0.0)
        assert not server.ready and not server.handshake()


def _memory_stays(count: int) -> None:
    fuzz_records(2_000)
    tracemalloc.start()
    try:
        fuzz_records(1_000)
        before = tracemalloc.get_traced_memory()[0]
        fuzz_records(count)
        after = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert after - before < 64 * 1024


def test_a_hundred_thousand_mutated_frames() -> None:
    """Budget: 10 s."""
    reasons = fuzz_records(95_000)
    assert sum(reasons.values()) == 95_000
    fuzz_handshakes(5_000)
    seen = {reason for reason, count in reasons.items() if count}
    assert seen >= {"not_sealed", "truncated", "gap", "early_key", "forged"}


def test_memory_stays_flat() -> None:
    """Budget: 3 s."""
    _memory_stays(10_000)


@pytest.mark.soak
def test_a_million_mutated_frames() -> None:
    _memory_stays(20_000)
    assert sum(fuzz_records(1_000_000).values()) == 1_000_000
