"""Records of a sealed channel: one direction's key, counter, rekeying and padding.

    record  = header | AES-256-GCM(key, nonce, header as associated data, inner)
    header  = kind 3 (1 byte) | generation of the key (3 bytes) | counter (8 bytes)
    inner   = rekey bit and length of the payload (4 bytes) | payload | zeros

All numbers are big-endian. The nonce is the counter: it starts at 0, is never reset and must
be exactly the expected one. A record with the rekey bit is the last one under its key; both
sides then derive the next key from it, which cannot be undone. A record is padded to one of
a few lengths, so that its length does not tell a bid from a pass.

Owned by one channel; time is passed in. Whatever is wrong raises BrokenSeal with a reason
that is a metric's label, and nothing about the direction has changed then.
"""

from __future__ import annotations

import struct

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from paiju.wire import noise

RECORD = 3
RECORDS_PER_KEY = 2**20
KEY_S = 600.0
"""A sender takes a new key after so many records, or with its first record after so long."""
SIZES = (256, 1024, 4096, 16_384)
"""Lengths of records, overhead included; a longer one is a multiple of the last."""
HEADER_BYTES = 12
OVERHEAD_BYTES = HEADER_BYTES + 4 + noise.TAG_BYTES
MAX_PAYLOAD_BYTES = 8 * 1024 * 1024

_HEADER = struct.Struct(">IQ")
_LENGTH = struct.Struct(">I")
_REKEY_BIT = 0x8000_0000
_NONCE_FRONT = bytes(4)

REASONS = (
    "handshake",  # not a genuine opening for a key of ours
    "version",  # another version of the sealed channel
    "unknown_key",  # an opening for a server key we do not hold
    "not_sealed",  # neither a record nor part of a handshake, or at the wrong time
    "truncated",  # too short, or a length no record has
    "replayed",  # a counter that was there before
    "gap",  # a counter that is not due yet: something was dropped or overtaken
    "old_key",  # sealed under a key that has been replaced
    "early_key",  # sealed under a key nobody has announced
    "overdue_key",  # the sender should have taken a new key long ago
    "forged",  # does not open
    "padding",  # opens, but its inside has not the form of a record
)


class BrokenSeal(Exception):
    """A frame that does not belong here; the connection must be closed. reason: of REASONS."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def padded(payload: int) -> int:
    """Length of the record for a payload of so many bytes."""
    need = payload + OVERHEAD_BYTES
    for size in SIZES:
        if need <= size:
            return size
    return -(-need // SIZES[-1]) * SIZES[-1]


class Sealer:
    """The sending end of a direction. `now`: monotonic seconds."""

    __slots__ = ("_aead", "_counter", "_generation", "_key", "_limit", "_until", "_used")

    def __init__(self, key: bytes, *, now: float, records_per_key: int = RECORDS_PER_KEY) -> None:
        self._key = key
        self._aead = AESGCM(key)
        self._generation = 0
        self._counter = 0
        self._limit = records_per_key
        self._used = 0
        self._until = now + KEY_S

    @property
    def generation(self) -> int:
        return self._generation

    def seal(self, payload: bytes, now: float) -> bytes:
        """One record. Raises ValueError when the payload is too large for one."""
        size = len(payload)
        if size > MAX_PAYLOAD_BYTES:
            raise ValueError(f"{size} bytes are more than a record holds")
        counter = self._counter
        self._counter = counter + 1
        self._used += 1
        last = self._used >= self._limit or now >= self._until
        header = _HEADER.pack(RECORD << 24 | self._generation, counter)
        inner = _LENGTH.pack(size | _REKEY_BIT if last else size) + payload
        inner = inner.ljust(padded(size) - HEADER_BYTES - noise.TAG_BYTES, b"\0")
        record = header + self._aead.encrypt(_NONCE_FRONT + header[4:], inner, header)
        if last:
            self._key = noise.rekeyed(self._key)
            self._aead = AESGCM(self._key)
            self._generation += 1
            self._used = 0
            self._until = now + KEY_S
        return record


class Opener:
    """The receiving end of a direction."""

    __slots__ = ("_aead", "_counter", "_expected", "_generation", "_key", "_limit", "_used")

    def __init__(self, key: bytes, *, records_per_key: int = RECORDS_PER_KEY) -> None:
        self._key = key
        self._aead = AESGCM(key)
        self._generation = 0
        self._counter = 0
        self._limit = records_per_key
        self._used = 0
        self._expected = _HEADER.pack(RECORD << 24, 0)

    def open(self, record: bytes) -> bytes:
        """The payload of the record that is due. Raises BrokenSeal."""
        header = record[:HEADER_BYTES]
        if header != self._expected:
            raise BrokenSeal(self._why(header))
        if len(record) < OVERHEAD_BYTES:
            raise BrokenSeal("truncated")
        try:
            inner = self._aead.decrypt(_NONCE_FRONT + header[4:], record[HEADER_BYTES:], header)
        except InvalidTag:
            raise BrokenSeal("forged") from None
        (word,) = _LENGTH.unpack_from(inner)
        size = word & ~_REKEY_BIT
        if len(record) != padded(size):
            raise BrokenSeal("padding")
        self._used += 1
        if word & _REKEY_BIT:
            self._key = noise.rekeyed(self._key)
            self._aead = AESGCM(self._key)
            self._generation += 1
            self._used = 0
        elif self._used >= self._limit:
            raise BrokenSeal("overdue_key")
        self._counter += 1
        self._expected = _HEADER.pack(RECORD << 24 | self._generation, self._counter)
        return inner[4 : 4 + size]

    def _why(self, header: bytes) -> str:
        """What to call a header that is not the expected one."""
        if not header or header[0] != RECORD:
            return "not_sealed"
        if len(header) < HEADER_BYTES:
            return "truncated"
        word, counter = _HEADER.unpack(header)
        generation = word & 0xFF_FFFF
        if generation != self._generation:
            return "old_key" if generation < self._generation else "early_key"
        return "replayed" if counter < self._counter else "gap"
