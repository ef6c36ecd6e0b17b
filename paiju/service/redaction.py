"""What may not be read in a log line: secrets, and what players hold or did."""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

_SECRET = ("password", "secret", "ticket", "token", "refresh", "key")
# What players have in their hands, or did: never in a log, whoever reads it.
_CARDS = ("card", "deck", "action", "view", "contribution", "snapshot", "record", "evidence")
_FREE_TEXT = ("error", "exception", "detail", "why", "stack")
_CARD = re.compile(r"\b(?:10|[2-9TJQKA])[shdc]\b|\b[BR]J\b")


def redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if name != "event":
            event[name] = clean(name, value)
    return event


def clean(name: str, value: Any) -> Any:
    """The value as it may be read: no secret, nothing that a player holds or did."""
    if any(part in name for part in _SECRET):
        return "[redacted]"
    if any(part in name for part in _CARDS) and not isinstance(value, int | float | None):
        return "[redacted]"
    if isinstance(value, str):
        return _CARD.sub("[card]", value) if name in _FREE_TEXT else value
    if isinstance(value, MutableMapping):
        return {key: clean(str(key), item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [clean(name, item) for item in value]
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{len(value)} bytes]"
    return value
