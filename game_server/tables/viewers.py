"""What each receiver of a table has on its screen, and the updates that keep it so.

A table has one viewer per seat and one for all spectators. A viewer's view is a flat map of
keys to JSON texts with a running check (docs/contracts/resume.md); the same texts go into
snapshots, patches and the check, so that nothing is encoded twice.

Most of a view is public. So the spectators' view is kept whole, and of each seat's view what
differs from it: extra keys (its hand), other values, and keys that it does not have. A key that
all see is encoded, compared and put into a patch once, not once per viewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any
from zlib import crc32

import msgspec

from game_server.tables import forms
from game_server.tables.forms import Forms
from paiju.rules import views
from paiju.rules.api import ALL, Event
from paiju.wire import protocol, splice
from paiju.wire.v1 import common_pb2, hall_pb2

_encode = msgspec.json.Encoder(order="deterministic").encode
_NOTHING: Any = object()
_MASK = 0xFFFFFFFF
_UPDATE_SEQ = splice.tag(3, 0)
_STEP_HAND = splice.tag(3, 0)

Own = dict[str, bytes | None]
"""What a seat's view has instead of the spectators'; None: it does not have that key."""


def to_json(value: Any) -> bytes:
    """Canonical JSON text of a value."""
    return _encode(value)


@lru_cache(1 << 12)
def _start(key: str) -> int:
    """The check of a key up to its text."""
    return crc32(key.encode() + b"\0")


class Viewers:
    """Views of seats 0..n-1 and, as the last one, of the spectators."""

    def __init__(self, *, ref: common_pb2.TableRef, epoch: int, seats: int) -> None:
        self.seats = seats
        self._ref = ref
        self._epoch = epoch
        self._front = hall_pb2.TableUpdate(table=ref, epoch=epoch).SerializeToString()
        self._table: dict[str, bytes] = {}  # the table's keys but "@you", equal for all
        self._game: dict[str, bytes] = {}  # the game's keys as spectators see them
        self._own: list[Own] = [{} for _ in range(seats)]
        self._check = [views.check(self.parts(viewer)) for viewer in range(seats + 1)]

    def seat_of(self, viewer: int) -> int:
        return viewer if viewer < self.seats else protocol.SPECTATOR

    def viewer_of(self, seat: int | None) -> int:
        return self.seats if seat is None or seat < 0 else seat

    def parts(self, viewer: int) -> dict[str, bytes]:
        """The whole view of a viewer."""
        own = self._own[viewer] if viewer < self.seats else {}
        you = {"@you": to_json(self.seat_of(viewer))}
        return {**you, **self._table, **_over(self._game, own)}

    def step(
        self,
        *,
        seq: int,
        hand: int,
        table: Mapping[str, bytes],
        game: Sequence[Mapping[str, Any]] | None,
        events: Sequence[Event],
        clocks: Sequence[hall_pb2.Clock],
    ) -> Forms:
        """Updates of one number, one per viewer.

        table: changed keys of the table, equal for all; game: the new game view of each
        viewer, None when it did not change.
        """
        changed = {key: text for key, text in table.items() if self._table.get(key) != text}
        common = forms.patch(changed, ())
        check = _difference(self._table, changed, ())
        self._table.update(changed)
        shared, own, alone = common, [b""] * (self.seats + 1), frozenset[int]()
        checks = [(before + check) & _MASK for before in self._check]
        if game is not None:
            shared, alone = self._play(game, common, own, checks)
        moved = [
            None if not own[viewer] and (viewer in alone or not shared) else checks[viewer]
            for viewer in range(self.seats + 1)
        ]
        self._check = checks
        front = self._front + splice.number(_UPDATE_SEQ, seq)
        if clocks:
            front += hall_pb2.TableUpdate(clocks=clocks).SerializeToString()
        return Forms(
            front=front,
            step=splice.number(_STEP_HAND, hand),
            events=self._events(events),
            shared=shared,
            own=own,
            alone=alone,
            checks=moved,
        )

    def _play(
        self,
        game: Sequence[Mapping[str, Any]],
        common: bytes,
        own: list[bytes],
        checks: list[int],
    ) -> tuple[bytes, frozenset[int]]:
        """The new game views. `own` and `checks` are filled in; what all share, and who does not.

        common: fields of the patch that everybody gets in any case.
        """
        public = game[self.seats]
        before, after = self._game, {key: _encode(value) for key, value in public.items()}
        patch = views.diff(before, after)
        check = _difference(before, patch.set, patch.delete)
        known = before.keys() | after.keys()
        alone = []
        for seat in range(self.seats):
            old, new = self._own[seat], _differing(game[seat], public, after)
            if known.isdisjoint(old) and known.isdisjoint(new):
                # Only keys of its own beside the public ones: what changed is the sum of both.
                extra = check
                if old != new:
                    theirs = views.diff(_over({}, old), _over({}, new))
                    extra += _difference(old, theirs.set, theirs.delete)
                    own[seat] = forms.patch(theirs.set, theirs.delete)
            else:
                whole = _over(before, old)
                theirs = views.diff(whole, _over(after, new))
                extra = _difference(whole, theirs.set, theirs.delete)
                own[seat] = common + forms.patch(theirs.set, theirs.delete)
                alone.append(seat)
            self._own[seat] = new
            checks[seat] = (checks[seat] + extra) & _MASK
        checks[self.seats] = (checks[self.seats] + check) & _MASK
        self._game = after
        return common + forms.patch(patch.set, patch.delete), frozenset(alone)

    def _events(self, events: Sequence[Event]) -> bytes | list[bytes]:
        """Fields of a Step: once when all see the same."""
        if all(event.to == ALL for event in events):
            return b"".join(forms.event(event.kind, to_json(event.data)) for event in events)
        theirs = [b""] * (self.seats + 1)
        for event in events:
            shown = forms.event(event.kind, to_json(event.data))
            masked = b"" if event.masked is None else forms.event(event.kind, to_json(event.masked))
            for viewer in range(self.seats + 1):
                seen = event.to == ALL or self.seat_of(viewer) in event.to
                theirs[viewer] += shown if seen else masked
        return theirs

    def keep(self, table: Mapping[str, bytes]) -> None:
        """Set keys of the table for every viewer without showing them; then `rebuild`."""
        self._table.update(table)

    def rebuild(self, game: Sequence[Mapping[str, Any]] | None) -> None:
        """The present game view of each viewer, and all checks anew."""
        if game is not None:
            public = game[self.seats]
            self._game = views.encode(public)
            self._own = [_differing(game[seat], public, self._game) for seat in range(self.seats)]
        self._check = [views.check(self.parts(viewer)) for viewer in range(self.seats + 1)]

    def snapshot(
        self, viewer: int, *, seq: int, hand: int, clocks: Sequence[hall_pb2.Clock]
    ) -> bytes:
        """A serialized update with the viewer's whole view."""
        update = hall_pb2.Update(
            table=hall_pb2.TableUpdate(
                table=self._ref,
                epoch=self._epoch,
                seq=seq,
                clocks=clocks,
                snapshot=hall_pb2.Snapshot(
                    view=self.parts(viewer),
                    check=self._check[viewer],
                    seat=self.seat_of(viewer),
                    hand=hand,
                ),
            )
        )
        return update.SerializeToString()


def _differing(view: Mapping[str, Any], public: Mapping[str, Any], texts: dict[str, bytes]) -> Own:
    """What `view` has instead of `public`, whose texts are given.

    Games share values between the views of one moment; what is not the same object is encoded
    and compared.
    """
    get = public.get
    own: Own = {
        key: _encode(value) for key, value in view.items() if get(key, _NOTHING) is not value
    }
    for key in own.keys() & public.keys():
        if own[key] == texts[key]:
            del own[key]
    if not public.keys() <= view.keys():
        own.update((key, None) for key in public if key not in view)
    return own


def _over(public: Mapping[str, bytes], own: Own) -> dict[str, bytes]:
    """The whole of a view."""
    whole = {**public, **own}
    return {key: text for key, text in whole.items() if text is not None}


def _difference(
    old: Mapping[str, Any], changed: Mapping[str, bytes], deleted: Sequence[str]
) -> int:
    """By how much the check moves."""
    value = 0
    for key in deleted:
        value -= crc32(old[key], _start(key))
    for key, text in changed.items():
        start = _start(key)
        value += crc32(text, start)
        if key in old:
            value -= crc32(old[key], start)
    return value
