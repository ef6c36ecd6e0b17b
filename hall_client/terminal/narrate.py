"""Events of a table as one line each; None for what needs no words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hall_client.terminal import cards
from hall_client.texts import Texts
from paiju.wire.v1 import hall_pb2

Data = Mapping[str, Any]


def narrate(event: hall_pb2.TableEvent, names: Sequence[str], texts: Texts) -> str | None:
    """names: of the seats, as board.names has them."""
    tell = _TELLERS.get(event.kind)
    if tell is None:
        return None
    data = json.loads(event.data)
    seat = data.get("seat")
    name = names[seat] if isinstance(seat, int) and 0 <= seat < len(names) else "-"
    return tell(data, name, texts)


def _call(data: Data, name: str, texts: Texts) -> str:
    if data["call"]:
        return texts("call", name=name, call=data["call"])
    return texts("no_call", name=name)


def _landlord(data: Data, name: str, texts: Texts) -> str:
    bottom = cards.plain(data["bottom"], lang=texts.lang)
    return texts("is_landlord", name=name, base=data["base"], cards=bottom)


def _play(data: Data, name: str, texts: Texts) -> str:
    return texts(
        "play",
        name=name,
        cards=cards.plain(data["cards"], lang=texts.lang),
        kind=texts.kind(data["kind"]),
        left=data["left"],
    )


_TELLERS: Mapping[str, Callable[[Data, str, Texts], str]] = {
    "call": _call,
    "landlord": _landlord,
    "play": _play,
    "pass": lambda _, name, texts: texts("pass", name=name),
    "escape": lambda _, name, texts: texts("escape", name=name),
    "redeal": lambda _, __, texts: texts("redeal"),
    "@hand_begin": lambda data, _, texts: texts("hand_begins", hand=data["hand"]),
    "@sit": lambda data, _, texts: texts("sits", name=data["name"]),
    "@stand": lambda data, _, texts: texts("stands", name=data["name"]),
}
