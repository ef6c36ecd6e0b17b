"""Protobuf messages put together from parts that are encoded already.

What many receivers get is encoded once and spliced into each one's message as bytes; parsers
cannot tell (a message is the concatenation of its fields). Tags are what protobuf calls
`field number << 3 | wire type`, as one byte: fields 1 to 15 only.
"""

from __future__ import annotations

import struct

_FIXED32 = struct.Struct("<I")
_FIXED64 = struct.Struct("<Q")
_ONE = tuple(bytes((value,)) for value in range(0x80))


def varint(value: int) -> bytes:
    """Base-128 encoding of a non-negative integer."""
    if value < 0x80:
        return _ONE[value]
    if value < 0x4000:
        return bytes((value & 0x7F | 0x80, value >> 7))
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field: int, kind: int) -> bytes:
    """kind: 0 varint, 1 fixed64, 2 bytes, strings and messages, 5 fixed32."""
    if not 1 <= field <= 15:
        raise ValueError(f"field {field} has a longer tag")
    return _ONE[field << 3 | kind]


def sized(tag: bytes, payload: bytes) -> bytes:
    """A field of bytes, a string or a message."""
    return tag + varint(len(payload)) + payload


def number(tag: bytes, value: int) -> bytes:
    """A varint field; nothing for 0, which is the default."""
    return tag + varint(value) if value else b""


def fixed32(tag: bytes, value: int) -> bytes:
    return tag + _FIXED32.pack(value)


def fixed64(tag: bytes, value: int) -> bytes:
    return tag + _FIXED64.pack(value)
