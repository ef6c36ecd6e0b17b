"""One number of a table in the form of each viewer, with all that is equal kept once.

    Update { TableUpdate { front | Step { step | events | ViewPatch { shared | own } } } }

A form is put together when somebody asks for it: most viewers of most numbers are nobody, and
the ring holds them all. The bytes are those of hall.proto's messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import overload

from paiju.wire import splice

_UPDATE_TABLE = splice.tag(2, 2)
_TABLE_STEP = splice.tag(5, 2)
_STEP_EVENT = splice.tag(1, 2)
_STEP_PATCH = splice.tag(2, 2)
_PATCH_SET = splice.tag(1, 2)
_PATCH_DELETE = splice.tag(2, 2)
_PATCH_CHECK = splice.tag(3, 5)
_ENTRY_KEY = splice.tag(1, 2)
_ENTRY_VALUE = splice.tag(2, 2)
_EVENT_KIND = splice.tag(1, 2)
_EVENT_DATA = splice.tag(2, 2)


def event(kind: str, data: bytes) -> bytes:
    """A Step's field with one event."""
    body = splice.sized(_EVENT_KIND, kind.encode()) + splice.sized(_EVENT_DATA, data)
    return splice.sized(_STEP_EVENT, body)


def patch(changed: Mapping[str, bytes], deleted: Collection[str]) -> bytes:
    """Fields of a ViewPatch without its check."""
    if not changed and not deleted:
        return b""
    parts: list[bytes] = []
    for key, text in changed.items():
        front, length = _entry(key), splice.varint(len(text))
        size = len(front) + len(length) + len(text)
        parts += (_PATCH_SET, splice.varint(size), front, length, text)
    parts += (splice.sized(_PATCH_DELETE, key.encode()) for key in deleted)
    return b"".join(parts)


@lru_cache(1 << 12)
def _entry(key: str) -> bytes:
    """A map entry up to the length of its value; keys are few and come again."""
    return splice.sized(_ENTRY_KEY, key.encode()) + _ENTRY_VALUE


class Forms(Sequence[bytes]):
    """Serialized updates, index = viewer.

    front: a TableUpdate's fields but its step. step: a Step's fields but events and patch.
    events: fields of a Step, for everybody or per viewer. shared: fields of a ViewPatch for all
    viewers but those `alone`. own: more of them, per viewer. checks: of the view after it; None:
    this number changes nothing for that viewer.
    """

    __slots__ = ("_alone", "_checks", "_events", "_front", "_own", "_shared", "_step", "size")

    def __init__(
        self,
        *,
        front: bytes,
        step: bytes,
        events: bytes | Sequence[bytes],
        shared: bytes,
        own: Sequence[bytes],
        alone: frozenset[int],
        checks: Sequence[int | None],
    ) -> None:
        self._front = front
        self._step = step
        self._events = events
        self._shared = shared
        self._own = own
        self._alone = alone
        self._checks = checks
        held = len(events) if isinstance(events, bytes) else sum(map(len, events))
        self.size = len(front) + len(step) + held + len(shared) + sum(map(len, own))
        """Bytes of what it holds."""

    def __len__(self) -> int:
        return len(self._own)

    @overload
    def __getitem__(self, viewer: int) -> bytes: ...

    @overload
    def __getitem__(self, viewer: slice) -> Sequence[bytes]: ...

    def __getitem__(self, viewer: int | slice) -> bytes | Sequence[bytes]:
        if isinstance(viewer, slice):
            return [self[index] for index in range(*viewer.indices(len(self)))]
        check = self._checks[viewer]
        events = self._events if isinstance(self._events, bytes) else self._events[viewer]
        step = self._step + events
        if check is not None:
            shared = b"" if viewer in self._alone else self._shared
            changes = shared + self._own[viewer] + splice.fixed32(_PATCH_CHECK, check)
            step += splice.sized(_STEP_PATCH, changes)
        return splice.sized(_UPDATE_TABLE, self._front + splice.sized(_TABLE_STEP, step))
