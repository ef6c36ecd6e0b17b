"""What a view tells besides seats and cards, a line for each fact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from hall_client.terminal.values import Speaker
from hall_client.terminal.vocabulary import COLUMNS, FACTS, ROLES, SEATS_IN, SILENT, named

_NOBODY: tuple[Any, ...] = (None, [])
_NOTHING: tuple[Any, ...] = (*_NOBODY, False, "", {}, 0)
_DEALT_WITH = SILENT | COLUMNS.keys() | ROLES.keys()


def facts(view: Mapping[str, Any], speaker: Speaker, *, under: str = "") -> list[Text]:
    """`label: value`, for what holds something. under: only what lies in that object."""
    inside = view.get(under) or {} if under else view
    prefix = f"{under}." if under else ""
    return [
        Text.assemble((f"{named(FACTS, key, speaker.lang)}: ", "dim"), _said(key, value, speaker))
        for key, value in _flat(inside, prefix)
    ]


def _flat(values: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    """Objects key by key, with dotted names; what is empty or silent is left out."""
    for name, value in values.items():
        key = prefix + name
        nothing = _NOBODY if key in SEATS_IN else _NOTHING  # seat 0 is somebody
        if name.startswith("@") or key in _DEALT_WITH or value in nothing:
            continue
        if isinstance(value, Mapping) and "from" not in value:
            yield from _flat(value, f"{key}.")
        else:
            yield key, value


def _said(key: str, value: Any, speaker: Speaker) -> Text:
    if key in SEATS_IN:
        return Text(speaker.seats(value))
    return speaker.say(value)
