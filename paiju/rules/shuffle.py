"""Fair shuffles: SHAKE-256 over a committed secret and the players' contributions.

1,536 bits of secret reach every deal of every game of the hall (four decks: 2^1,121). The
commitment is published before the contributions are known, the secret after the hand, so
anybody can check that the deal was fixed by both. Everything that is hashed is labelled and
length-prefixed: no two different inputs give the same bytes.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

SECRET_BYTES: Final = 192
_COMMIT: Final = b"paiju commit v1"
_DECK: Final = b"paiju deck v1"
_BLOCK: Final = 1024


def _framed(*fields: bytes) -> bytes:
    return b"".join(len(field).to_bytes(4, "big") + field for field in fields)


def commitment(secret: bytes) -> bytes:
    """32 bytes that fix the secret and tell nothing of it. ValueError for a short secret."""
    if len(secret) != SECRET_BYTES:
        raise ValueError(f"a secret has {SECRET_BYTES} bytes, not {len(secret)}")
    return hashlib.sha256(_framed(_COMMIT, secret)).digest()


def hand_context(table: str, hand: int) -> bytes:
    """Binds a deck to its table and hand: the same secret elsewhere gives another deck."""
    return _framed(table.encode(), hand.to_bytes(8, "big"))


class ShakeRng:
    """Unbiased draws from the stream of secret, contributions (by seat) and context."""

    def __init__(
        self, secret: bytes, contributions: Sequence[bytes] = (), *, context: bytes = b""
    ) -> None:
        self._seed = hashlib.shake_256(_framed(_DECK, context, secret, *contributions))
        self._stream = b""
        self._used = 0

    def _bytes(self, count: int) -> bytes:
        end = self._used + count
        if end > len(self._stream):
            # SHAKE is a stream: a longer digest begins with the shorter one.
            self._stream = self._seed.digest(max(end, 2 * len(self._stream), _BLOCK))
        out = self._stream[self._used : end]
        self._used = end
        return out

    def below(self, n: int) -> int:
        """Uniform in 0..n-1, by rejection. ValueError when n < 1."""
        if n < 1:
            raise ValueError("below() needs n >= 1")
        bits = (n - 1).bit_length()
        size = (bits + 7) // 8
        mask = (1 << bits) - 1
        while True:
            if size == 1 and self._used < len(self._stream):
                value = self._stream[self._used] & mask
                self._used += 1
            else:
                value = int.from_bytes(self._bytes(size), "big") & mask
            if value < n:
                return value

    def permutation(self, n: int) -> list[int]:
        """A uniform permutation of 0..n-1: the order of n draws of 64 bits.

        Equal draws (chance below n^2 / 2^65) are drawn anew, all of them, so every order
        stays equally likely.
        """
        while True:
            data = self._bytes(8 * n)
            # Where the upper quarters differ they alone decide, and small numbers sort quicker.
            draws: tuple[int, ...] = _upper(n).unpack(data)
            if len(set(draws)) < n:
                draws = struct.unpack(f">{n}Q", data)
                if len(set(draws)) < n:
                    continue
            shift = n.bit_length()
            order = sorted([draw << shift | place for place, draw in enumerate(draws)])
            mask = (1 << shift) - 1
            return [draw & mask for draw in order]


@lru_cache(64)
def _upper(n: int) -> struct.Struct:
    """Of n draws of 64 bits the upper 16 each."""
    return struct.Struct(">" + "H6x" * n)
