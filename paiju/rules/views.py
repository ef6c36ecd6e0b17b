"""Views and patches: how a screen is kept equal to the server's view.

A view is a flat object: top-level keys to JSON values. It is held and sent as *parts*, each
key with the canonical JSON text of its value, so that a patch replaces whole values and a
receiver never has to serialize anything again. The check of a view is

    sum over keys of crc32(key + 0x00 + text)  mod 2^32

which can be kept up key by key.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple
from zlib import crc32

import msgspec

_encode = msgspec.json.Encoder(order="deterministic").encode

Parts = dict[str, bytes]


class Patch(NamedTuple):
    """Whole new values and keys that are gone; null is a value."""

    set: Parts
    delete: list[str]


def encode(view: Mapping[str, Any]) -> Parts:
    """Each key's canonical JSON text (keys of nested objects sorted, UTF-8)."""
    return {key: _encode(value) for key, value in view.items()}


def diff(old: Mapping[str, bytes], new: Mapping[str, bytes]) -> Patch:
    """What turns `old` into `new`."""
    return Patch(
        {key: text for key, text in new.items() if old.get(key) != text},
        [key for key in old if key not in new],
    )


def apply(parts: Mapping[str, bytes], patch: Patch) -> Parts:
    """The view after the patch. KeyError when a key to delete is not there."""
    out = dict(parts)
    for key in patch.delete:
        del out[key]
    out.update(patch.set)
    return out


@lru_cache(1 << 12)
def _key(key: str) -> int:
    """The check up to the text; keys are few and come again with every view."""
    return crc32(key.encode() + b"\0")


def check(parts: Mapping[str, bytes]) -> int:
    """The 32-bit check of a whole view."""
    value = 0
    for key, text in parts.items():
        value += crc32(text, _key(key))
    return value & 0xFFFFFFFF


def check_update(before: int, old: Mapping[str, bytes], patch: Patch) -> int:
    """The check after `patch` is applied to `old`, whose check is `before`."""
    value = before
    for key in patch.delete:
        value -= crc32(old[key], _key(key))
    for key, text in patch.set.items():
        start = _key(key)
        value += crc32(text, start)
        if key in old:
            value -= crc32(old[key], start)
    return value & 0xFFFFFFFF


def canonical(parts: Mapping[str, bytes]) -> bytes:
    """The whole view as one JSON object, keys sorted: equal views are equal bytes."""
    return b"{" + b",".join(_members(parts)) + b"}"


def _members(parts: Mapping[str, bytes]) -> Iterable[bytes]:
    return (_encode(key) + b":" + parts[key] for key in sorted(parts))
