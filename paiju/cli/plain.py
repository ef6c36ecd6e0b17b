"""Protobuf answers as JSON for people's tools."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message


def plain(message: Message) -> dict[str, Any]:
    """As JSON: ids (fixed64) are strings, all other numbers are numbers."""
    out: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            out[field.name] = dict(value)
        elif field.is_repeated:
            out[field.name] = [_value(field, item) for item in value]
        elif not field.has_presence or message.HasField(field.name):
            out[field.name] = _value(field, value)
    return out


def _value(field: Any, value: Any) -> Any:
    if field.message_type is not None:
        return plain(value)
    return str(value) if field.type == field.TYPE_FIXED64 else value
