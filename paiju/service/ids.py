"""Operation ids (UUIDv7, RFC 9562) and wall time in microseconds."""

from __future__ import annotations

import hashlib
import secrets
import time

_VERSION = 0x7
_VARIANT = 0b10


def now_us() -> int:
    """Wall time, microseconds UTC. Never used to measure a duration."""
    return time.time_ns() // 1000


def new_op() -> bytes:
    """A fresh operation id: 16 bytes, ordered by time to the millisecond."""
    ms = time.time_ns() // 1_000_000
    rand = secrets.randbits(74)
    value = (ms & (2**48 - 1)) << 80
    value |= _VERSION << 76
    value |= (rand >> 62) << 64
    value |= _VARIANT << 62
    value |= rand & (2**62 - 1)
    return value.to_bytes(16, "big")


def derived_op(op: bytes, step: str) -> bytes:
    """The id of a follow-up operation: same time, the rest fixed by `op` and `step`.

    A call that causes further calls gives each an id of its own; after a crash the repeat
    derives the same ids, so that none takes effect twice.
    """
    digest = int.from_bytes(hashlib.sha256(op + b"|" + step.encode()).digest()[:10], "big")
    rand = digest & (2**74 - 1)
    value = int.from_bytes(op[:6], "big") << 80
    value |= _VERSION << 76
    value |= (rand >> 62) << 64
    value |= _VARIANT << 62
    value |= rand & (2**62 - 1)
    return value.to_bytes(16, "big")


def op_time_us(op: bytes) -> int:
    """When the id was made, by its maker's clock. ValueError when it is no UUIDv7."""
    if len(op) != 16 or op[6] >> 4 != _VERSION or op[8] >> 6 != _VARIANT:
        raise ValueError("an operation id is a UUIDv7 in 16 bytes")
    return int.from_bytes(op[:6], "big") * 1000
