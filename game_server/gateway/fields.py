"""Limits of a command's fields, as values that stand in the table of commands.

A limit looks at one value and raises Refused when it is out of bounds. Sizes of texts are
characters, of bytes bytes; the size of the whole packet is bounded before anything is parsed.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2

Limit = Callable[[Any], None]
MAX_ROOM_CHARS = 64
MAX_SHARD = 2**20
MAX_ID = 2**63 - 1
"""Of players and tables: a database keeps them as signed numbers."""


_NO_TEXT = frozenset({"Cc", "Zl", "Zp"})
_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Characters that turn the direction of what follows, the speaker's name included."""


def anything(_: Any) -> None:
    """Every value of the field's type means something: flags, numbers that order, nonces."""


@dataclass(frozen=True, slots=True)
class Size:
    """Texts and bytes between `least` and `most`; `code` is what the player is told."""

    most: int
    least: int = 0
    code: str = "TOO_LARGE"
    detail: str = ""

    def __call__(self, value: str | bytes) -> None:
        if self.least <= len(value) <= self.most and (
            isinstance(value, bytes) or "\0" not in value
        ):
            return  # a database has no text with U+0000 in it
        if self.code == "TOO_LARGE":
            raise Refused(self.code, limit=self.most)
        if self.detail:
            raise Refused(self.code, detail=self.detail)
        raise Refused(self.code)


@dataclass(frozen=True, slots=True)
class Range:
    """Numbers between `least` and `most`."""

    least: int
    most: int
    code: str
    show: str = ""
    """Parameter of the refusal that tells the largest."""

    def __call__(self, value: int) -> None:
        if not self.least <= value <= self.most:
            raise Refused(self.code, **({self.show: self.most} if self.show else {}))


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words."""

    words: frozenset[str]
    code: str
    detail: str

    def __call__(self, value: str) -> None:
        if value not in self.words:
            raise Refused(self.code, detail=self.detail)


@dataclass(frozen=True, slots=True)
class Many:
    """At most `most` values, each within `each`."""

    most: int
    each: Limit

    def __call__(self, values: Any) -> None:
        if len(values) > self.most:
            raise Refused("TOO_LARGE", limit=self.most)
        for value in values:
            self.each(value)


def spoken(value: str) -> None:
    """A line of chat: something to read, not too much, and nothing that acts on a screen."""
    if len(value) > protocol.MAX_CHAT_CHARS or not value.strip():
        raise Refused("BAD_CHAT")
    if any(char in _TURNS or unicodedata.category(char) in _NO_TEXT for char in value):
        raise Refused("BAD_CHAT")


def room(value: str) -> None:
    if not 0 < len(value) <= MAX_ROOM_CHARS:
        raise Refused("NO_SUCH_ROOM", room=value[:MAX_ROOM_CHARS])


def table(ref: common_pb2.TableRef) -> None:
    """A reference to a table that can exist."""
    if (
        not 0 < ref.table <= MAX_ID
        or not 0 < len(ref.room) <= MAX_ROOM_CHARS
        or ref.shard > MAX_SHARD
    ):
        raise Refused("NO_SUCH_TABLE")


def table_or_none(ref: common_pb2.TableRef) -> None:
    if ref != common_pb2.TableRef():
        table(ref)


def cursor(value: common_pb2.Cursor) -> None:
    table(value.table)


def cursor_or_none(value: common_pb2.Cursor) -> None:
    if value != common_pb2.Cursor():
        cursor(value)


def amount(least: int) -> Range:
    """Coins; what is above must survive JSON in a browser."""
    return Range(least, protocol.MAX_AMOUNT, "BAD_AMOUNT")


def check(fields: Mapping[str, Limit], body: Any) -> None:
    """Every field of a command. Raises Refused at the first that is out of bounds."""
    for name, limit in fields.items():
        limit(getattr(body, name))
