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
        self._replayed: State | None = None  # of the last update, while replaying
        self.replaying = False

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
        keys = {key: to_json(value) for key, value in (table or {}).items()}
        seq = self._ring.last + 1
        if self.replaying:
            self._viewers.keep(keys)
            self._replayed = self._replayed if state is None else state
            self._ring.skip()
            forms: Sequence[bytes] = ()
        else:
            forms = made = self._viewers.step(
                seq=seq,
                hand=hand,
                table=keys,
                game=None if state is None else self._views(state),
                events=events,
                clocks=clocks,
            )
            self._ring.push(made, size=made.size)
        cause = "chance" if kind == "chance" else str(body.get("cause", ""))
        self._steps.append(Step(seq, kind, to_json({"at": at.us, **body}), forms, cause))
        return seq

    def _views(self, state: State) -> list[Mapping[str, Any]]:
        return [*(state.view(seat) for seat in range(self._seats)), state.view(SPECTATOR)]

    def replay_from(self, seq: int) -> None:
        """Until `replayed`: number what the journal holds after `seq`, and show nobody.

        Views are made once, at the end; who comes back gets a snapshot.
        """
        self._ring = Ring(last=seq)
        self.replaying = True

    def keep(self, table: Mapping[str, Any]) -> None:
        """Keys of the table's view as they stood where the replay begins."""
        self._viewers.keep({key: to_json(value) for key, value in table.items()})

    def replayed(self) -> None:
        """All rows were replayed: from here on numbers are shown again."""
        state, self._replayed = self._replayed, None
        self._viewers.rebuild(None if state is None else self._views(state))
        self.replaying = False

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
