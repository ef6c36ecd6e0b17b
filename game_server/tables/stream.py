"""The numbered stream of a table: journal rows and what each viewer is shown, in step.

Pure, owned by its table. Each `emit` takes the next number, encodes the update once per
viewer, keeps it in the ring and puts it into the output that the host collects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from game_server.tables.moment import Moment
from game_server.tables.ring import Ring
from game_server.tables.viewers import Viewers, to_json
from paiju.rules.api import SPECTATOR, Event, State
from paiju.wire.v1 import common_pb2, hall_pb2


class Step(NamedTuple):
    """One number of the table: what the journal holds and what each viewer is shown."""

    seq: int
    kind: str
    body: bytes
    forms: Sequence[bytes]
    cause: str  # of an action: player, timeout, trustee, abandon, chance; else ""


class Stream:
    """Viewers 0..n-1 are the seats, n is every spectator."""

    def __init__(self, *, ref: common_pb2.TableRef, epoch: int, seats: int) -> None:
        self.epoch = epoch
        self._seats = seats
        self._viewers = Viewers(ref=ref, epoch=epoch, seats=seats)
        self._ring = Ring()
        self._steps: list[Step] = []

    @property
    def seq(self) -> int:
        """The last number."""
        return self._ring.last

    def emit(
        self,
        kind: str,
        body: Mapping[str, Any],
        *,
        at: Moment,
        hand: int,
        events: Sequence[Event] = (),
        table: Mapping[str, Any] | None = None,
        state: State | None = None,
        clocks: Sequence[hall_pb2.Clock] = (),
    ) -> int:
        """Add a number and return it.

        body: for the journal alone, may hold secrets. table: changed keys of the table's own
        view, equal for all. state: the rules' state when the game's view may have changed.
        """
        views = None
        if state is not None:
            views = [state.view(seat) for seat in range(self._seats)] + [state.view(SPECTATOR)]
        seq = self._ring.last + 1
        forms = self._viewers.step(
            seq=seq,
            hand=hand,
            table={key: to_json(value) for key, value in (table or {}).items()},
            game=views,
            events=events,
            clocks=clocks,
        )
        self._ring.push(forms)
        cause = "chance" if kind == "chance" else str(body.get("cause", ""))
        self._steps.append(Step(seq, kind, to_json({"at": at.us, **body}), forms, cause))
        return seq

    def take(self) -> list[Step]:
        """The steps since the last call."""
        steps, self._steps = self._steps, []
        return steps

    def viewer_of(self, seat: int | None) -> int:
        return self._viewers.viewer_of(seat)

    def view(self, viewer: int) -> dict[str, bytes]:
        """The whole present view of a viewer, key -> JSON text."""
        return self._viewers.parts(viewer)

    def snapshot(self, viewer: int, *, hand: int, clocks: Sequence[hall_pb2.Clock]) -> bytes:
        """A serialized update with the viewer's view at the last number."""
        return self._viewers.snapshot(viewer, seq=self.seq, hand=hand, clocks=clocks)

    def missed(self, viewer: int, *, epoch: int, seq: int) -> list[bytes] | None:
        """The forms that a receiver with this cursor is missing; None: it needs a snapshot."""
        return self._ring.after(seq, viewer) if epoch == self.epoch else None
