"""A table under a virtual clock, with receivers that keep their own copy of its view."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from game_server.tables.moment import Moment
from game_server.tables.room import RoomSpec
from game_server.tables.seal import Sealer
from game_server.tables.seat import Reservation
from game_server.tables.stream import Step
from game_server.tables.table import Output, Settled, Table
from paiju.rules.registry import Registry
from paiju.wire.v1 import common_pb2, hall_pb2

SEALER = Sealer(b"a key of the tests")
ROOM = RoomSpec(
    id="doudizhu.test",
    game="doudizhu",
    currency="coin",
    parameters={"N": 10, "A": 2},
    buy_in_min=200,
    buy_in_max=10_000,
    buy_in_default=1_000,
    turn_ms={"bid": 15_000, "play": 30_000},
    reserve_ms=20_000,
)


def entropy(seed: str) -> Callable[[int], bytes]:
    """Bytes that look random and are the same in every run."""
    counter = iter(range(10**9))

    def draw(size: int) -> bytes:
        return hashlib.shake_256(f"{seed}:{next(counter)}".encode()).digest(size)

    return draw


def whole_check(parts: dict[str, bytes]) -> int:
    """The check of a view as docs/contracts/resume.md defines it, computed from nothing."""
    return sum(zlib.crc32(k.encode() + b"\0" + v) for k, v in parts.items()) % 2**32


@dataclass
class Receiver:
    """What one viewer's client holds after the updates it has got."""

    viewer: int
    parts: dict[str, bytes] = field(default_factory=dict)
    seq: int = 0
    events: list[tuple[int, str]] = field(default_factory=list)

    def take(self, form: bytes) -> None:
        update = hall_pb2.Update.FromString(form).table
        if update.HasField("snapshot"):
            self.parts = dict(update.snapshot.view)
            self.seq = update.seq
            assert whole_check(self.parts) == update.snapshot.check
            return
        assert update.seq == self.seq + 1, f"{self.seq} -> {update.seq}"
        self.seq = update.seq
        self.events += [(update.seq, event.kind) for event in update.step.events]
        if update.step.HasField("patch"):
            for key in getattr(update.step.patch, "del"):
                del self.parts[key]
            self.parts.update(update.step.patch.set)
            assert whole_check(self.parts) == update.step.patch.check

    def get(self, key: str) -> Any:
        return json.loads(self.parts[key])


class TableHarness:
    """One table; time moves only when told to."""

    def __init__(self, *, seed: str = "table", room: RoomSpec = ROOM) -> None:
        self.now = 1_000_000
        self.game = Registry.default().latest(room.game, dict(room.parameters))
        self.table = Table(
            ref=common_pb2.TableRef(room=room.id, shard=0, table=77),
            room=room,
            game=self.game,
            package="1.0.0",
            epoch=3,
            entropy=entropy(seed),
            sealer=SEALER,
        )
        self.table.open(at=self.at)
        self.steps: list[Step] = []
        self.settled: list[Settled] = []
        self.leaving: list[int] = []
        self.receivers: list[Receiver] = []
        self.viewers = len(self.table.seats) + 1
        self._sitting = 0
        self.collect()

    @property
    def at(self) -> Moment:
        return Moment(self.now, 1_700_000_000_000_000 + self.now * 1000)

    def collect(self) -> Output:
        """What the host does after each call: take the output, send it on."""
        out = self.table.take()
        for step in out.steps:
            assert step.seq == len(self.steps) + 1
            self.steps.append(step)
            assert len(step.forms) == self.viewers
            for receiver in self.receivers:
                receiver.take(step.forms[receiver.viewer])
        self.settled += out.settled
        self.leaving += out.leaving
        return out

    def watch(self, seat: int | None) -> Receiver:
        receiver = Receiver(self.table.stream.viewer_of(seat))
        receiver.take(self.table.snapshot(receiver.viewer, self.now))
        self.receivers.append(receiver)
        return receiver

    def sit(self, player: int, seat: int, *, stake: int = 1_000) -> None:
        self.table.roster.reserve(seat=seat, player=player, name=f"p{player}")
        self.table.reserved(seat, Reservation(stake, 1), at=self.at)
        self._sitting += 1
        self.table.seated(seat, sitting=self._sitting, stake=stake, at=self.at)
        self.collect()

    def ready(self, player: int) -> None:
        self.table.ready(player, contribution=b"c%d" % player, ready=True, at=self.at)
        self.collect()

    def act(self, player: int, action: str, *, decided_on: int | None = None) -> int:
        try:
            return self.table.act(
                player,
                action,
                hand=self.table.hand_number,
                decided_on=self.table.stream.seq if decided_on is None else decided_on,
                at=self.at,
            )
        finally:
            self.collect()

    def pass_time(self, ms: int) -> None:
        """Let time go on, doing what becomes due on the way, at its time."""
        end = self.now + ms
        while (due := self.table.next_due()) is not None and due <= end:
            self.now = max(self.now, due)
            self.table.expire(self.at)
            self.collect()
        self.now = end

    def free_leaving(self) -> None:
        """The data server has returned every escrow asked for."""
        for seat in self.leaving:
            if self.table.seats[seat] is not None:
                self.table.left(seat, at=self.at)
        self.leaving = []
        self.collect()

    def begin(self) -> None:
        """Three players sit down and are ready."""
        for seat in range(len(self.table.seats)):
            self.sit(100 + seat, seat)
        for seat in range(len(self.table.seats)):
            self.ready(100 + seat)

    def play_hint(self) -> None:
        """The seat to act plays the game's hint."""
        hand = self.table.hand
        assert hand is not None
        seat = hand.state.to_act()[0]
        held = self.table.seats[seat]
        assert held is not None
        self.act(held.player, self.game.format(hand.state.hint(seat)))

    def finish_hand(self) -> None:
        while self.table.hand is not None:
            self.play_hint()
