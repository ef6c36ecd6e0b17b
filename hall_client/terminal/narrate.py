"""Events of a table as one line each; None for what needs no words."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hall_client.terminal import cards
from hall_client.terminal.values import Speaker
from hall_client.terminal.vocabulary import EVENTS, UNTOLD, VERBS, named, word
from hall_client.texts import Texts
from paiju.wire.v1 import hall_pb2

Data = Mapping[str, Any]

_SEATS = frozenset({"seat", "winner", "leader", "victim", "from", "to", "farmer", "dealer"})


def narrate(event: hall_pb2.TableEvent, names: Sequence[str], texts: Texts) -> str | None:
    """names: of the seats, as board.names has them."""
    if event.kind in UNTOLD:
        return None
    data = json.loads(event.data)
    if not isinstance(data, Mapping):
        return None
    speaker = Speaker(names, texts.lang)
    tell = _TELLERS.get(event.kind)
    if tell is not None:
        return tell(data, speaker.seat(data.get("seat")), texts)
    return _any(event.kind, data, speaker)


class _Told(dict[str, str]):
    """What a sentence asks for and an event does not tell (to us) is left out."""

    def __missing__(self, key: str) -> str:
        return ""


def _any(kind: str, data: Data, speaker: Speaker) -> str | None:
    """By the sentence of that kind; without one, what happened and with which cards."""
    if kind.startswith("@") or (kind == "trick" and "winner" not in data):
        return None
    sentence = word(EVENTS, kind, speaker.lang)
    told = _Told({key: _said(key, value, speaker) for key, value in data.items()})
    told["name"] = speaker.seat(data.get("seat"))
    if sentence is None:
        what = named(VERBS, kind, speaker.lang)
        rest = " ".join(text for key, text in told.items() if key not in ("seat", "name") and text)
        sentence, told = "{name}: {what} {rest}", _Told(name=told["name"], what=what, rest=rest)
    return " ".join(sentence.format_map(told).split())


def _said(key: str, value: Any, speaker: Speaker) -> str:
    if key in _SEATS:
        return speaker.seat(value)
    if key == "verb":
        return named(VERBS, value, speaker.lang)
    return "" if value is None else speaker.say(value).plain


def _call(data: Data, name: str, texts: Texts) -> str:
    """The number called; in some games only whether one calls."""
    if not data["call"]:
        return texts("no_call", name=name)
    if data["call"] is True:
        return texts("calls", name=name)
    return texts("call", name=name, call=data["call"])


def _landlord(data: Data, name: str, texts: Texts) -> str:
    bottom = cards.plain(data.get("bottom") or (), lang=texts.lang)
    if data.get("base"):
        return texts("is_landlord", name=name, base=data["base"], cards=bottom)
    return texts("becomes_landlord", name=name, cards=bottom)


def _play(data: Data, name: str, texts: Texts) -> str:
    """Kind and what is left where the game tells them; cards that went back to the hand, too."""
    shown = cards.plain(data["cards"], lang=texts.lang)
    more = [texts.kind(data["kind"])] if data.get("kind") else []
    if data.get("left") is not None:
        more.append(texts("left", left=data["left"]))
    if data.get("thrown"):
        more.append(texts("thrown", cards=cards.plain(data["thrown"], lang=texts.lang)))
    line = texts("play", name=name, cards=shown)
    return f"{line}  ({', '.join(more)})" if more else line


_TELLERS: Mapping[str, Callable[[Data, str, Texts], str]] = {
    "call": _call,
    "landlord": _landlord,
    "play": _play,
    "pass": lambda _, name, texts: texts("pass", name=name),
    "escape": lambda _, name, texts: texts("escape", name=name),
    "redeal": lambda _, __, texts: texts("redeal"),
    "@hand_begin": lambda data, _, texts: texts("hand_begins", hand=data["hand"]),
    "@sit": lambda data, _, texts: texts("sits", name=data["name"]),
    "@room": lambda _, __, texts: texts("room_changed"),
    "@stand": lambda data, _, texts: texts("stands", name=data["name"]),
}
