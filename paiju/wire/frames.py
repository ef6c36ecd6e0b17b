"""Framing: length-prefixed frames between our programs, and cheap assembly of player frames.

A `ServerFrame` is nothing but repeated updates, so a frame is the concatenation of
`tag | length | update`: an update that many players receive is encoded once and spliced
into each player's frame as bytes.
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Iterable

from paiju.wire import protocol
from paiju.wire.splice import varint

_UPDATES_TAG = b"\x0a"  # field 1, length-delimited: ServerFrame.updates
_LENGTH = struct.Struct("<I")


class FrameTooLarge(ValueError):
    """The peer announced a frame above the limit; the stream must be cut."""


def server_frame(updates: Iterable[bytes]) -> bytes:
    """The bytes of a ServerFrame that holds these serialized updates, in order."""
    parts: list[bytes] = []
    for update in updates:
        parts += (_UPDATES_TAG, varint(len(update)), update)
    return b"".join(parts)


def pack(payload: bytes) -> bytes:
    """`payload` with its 4-byte little-endian length in front."""
    return _LENGTH.pack(len(payload)) + payload


async def read_frame(
    reader: asyncio.StreamReader, *, limit: int = protocol.MAX_LINK_FRAME_BYTES
) -> bytes:
    """The next frame's payload.

    Raises asyncio.IncompleteReadError when the stream ended, FrameTooLarge above `limit`.
    """
    (size,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
    if size > limit:
        raise FrameTooLarge(f"frame of {size} bytes, at most {limit} are allowed")
    return await reader.readexactly(size)
