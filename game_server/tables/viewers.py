"""What each receiver of a table has on its screen, and the updates that keep it so.

A table has one viewer per seat and one for all spectators. A viewer's view is a flat map of
keys to JSON texts with a running check (docs/contracts/resume.md); the same texts go into
snapshots, patches and the check, so that nothing is encoded twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from paiju.rules import views
from paiju.rules.api import ALL, Event
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2

_encode = msgspec.json.Encoder(order="deterministic").encode


def to_json(value: Any) -> bytes:
    """Canonical JSON text of a value."""
    return _encode(value)


class Viewers:
    """Views of seats 0..n-1 and, as the last one, of the spectators."""

    def __init__(self, *, ref: common_pb2.TableRef, epoch: int, seats: int) -> None:
        self.seats = seats
        self._ref = ref
        self._epoch = epoch
        self._table: list[dict[str, bytes]] = [
            {"@you": to_json(self.seat_of(viewer))} for viewer in range(seats + 1)
        ]
        self._game: list[dict[str, bytes]] = [{} for _ in range(seats + 1)]
        self._check = [views.check(parts) for parts in self._table]

    def seat_of(self, viewer: int) -> int:
        return viewer if viewer < self.seats else protocol.SPECTATOR

    def viewer_of(self, seat: int | None) -> int:
        return self.seats if seat is None or seat < 0 else seat

    def parts(self, viewer: int) -> dict[str, bytes]:
        """The whole view of a viewer."""
        return {**self._table[viewer], **self._game[viewer]}

    def step(
        self,
        *,
        seq: int,
        hand: int,
        table: Mapping[str, bytes],
        game: Sequence[Mapping[str, Any]] | None,
        events: Sequence[Event],
        clocks: Sequence[hall_pb2.Clock],
    ) -> list[bytes]:
        """Serialized updates of one number, one per viewer.

        table: changed keys of the table, equal for all; game: the new game view of each
        viewer, None when it did not change.
        """
        forms = []
        data = [_event_texts(event) for event in events]
        for viewer in range(self.seats + 1):
            step = hall_pb2.Step(hand=hand)
            changed, deleted = self._change(viewer, table, None if game is None else game[viewer])
            if changed or deleted:
                step.patch.check = self._check[viewer]
                step.patch.set.update(changed)
                getattr(step.patch, "del").extend(deleted)  # "del" is a keyword of Python
            seat = self.seat_of(viewer)
            for event, (open_text, masked_text) in zip(events, data, strict=True):
                text = open_text if event.to == ALL or seat in event.to else masked_text
                if text is not None:
                    step.events.add(kind=event.kind, data=text)
            update = hall_pb2.Update(
                table=hall_pb2.TableUpdate(
                    table=self._ref, epoch=self._epoch, seq=seq, step=step, clocks=clocks
                )
            )
            forms.append(update.SerializeToString())
        return forms

    def keep(self, table: Mapping[str, bytes]) -> None:
        """Set keys of the table for every viewer without showing them; then `rebuild`."""
        for own in self._table:
            own.update(table)

    def rebuild(self, game: Sequence[Mapping[str, Any]] | None) -> None:
        """The present game view of each viewer, and all checks anew."""
        if game is not None:
            self._game = [views.encode(view) for view in game]
        self._check = [views.check(self.parts(viewer)) for viewer in range(self.seats + 1)]

    def _change(
        self, viewer: int, table: Mapping[str, bytes], game: Mapping[str, Any] | None
    ) -> tuple[dict[str, bytes], list[str]]:
        own = self._table[viewer]
        changed = {key: text for key, text in table.items() if own.get(key) != text}
        check = views.check_update(self._check[viewer], own, views.Patch(changed, []))
        own.update(changed)
        deleted: list[str] = []
        if game is not None:
            old, new = self._game[viewer], views.encode(game)
            patch = views.diff(old, new)
            check = views.check_update(check, old, patch)
            self._game[viewer] = new
            changed |= patch.set
            deleted = list(patch.delete)
        self._check[viewer] = check
        return changed, deleted

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


def _event_texts(event: Event) -> tuple[bytes, bytes | None]:
    masked = None if event.masked is None else to_json(event.masked)
    return to_json(event.data), masked
