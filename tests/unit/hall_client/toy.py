"""A table of a toy game, with the numbers, views and checks of a real one.

Seats say numbers in turn ("say 5"); each must be above the last one. A hand ends after
`actions` of them; the last speaker wins 1 from each other seat.
"""

from __future__ import annotations

from typing import Any

import msgspec

from paiju.rules import views
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2

SPECTATOR = -2


def encode(value: Any) -> bytes:
    return msgspec.json.encode(value)


class ToyTable:
    def __init__(self, table: int, *, seats: int = 2, actions: int = 6, room: str = "toy") -> None:
        self.ref = common_pb2.TableRef(room=room, shard=0, table=table)
        self.epoch = 1
        self.seq = 0
        self.hand = 0
        self.actions = actions
        self.players: list[dict[str, Any] | None] = [None] * seats
        self.turn: int | None = None
        self.last = 0
        self.count = 0
        self.viewers = [*range(seats), SPECTATOR]
        self.views: dict[int, dict[str, bytes]] = {v: {"@you": encode(v)} for v in self.viewers}
        self.ring: list[dict[int, hall_pb2.TableUpdate]] = []
        start = {f"@seat{i}": None for i in range(seats)}
        self.emit({"@phase": "waiting", "@hand": 0, **start})

    # ---- as the host does ------------------------------------------------------------------

    def clocks(self) -> list[hall_pb2.Clock]:
        if self.turn is None:
            return []
        return [hall_pb2.Clock(seat=self.turn, key="say", remaining_ms=30_000)]

    def emit(self, change: dict[str, Any], *, events: tuple[str, ...] = ()) -> int:
        self.seq += 1
        data = {"hand": self.hand, **change.get("@result", {})}
        forms = {}
        for viewer in self.viewers:
            own = {**change, "secret": f"{viewer}.{self.seq}"}
            texts = {key: encode(value) for key, value in own.items()}
            self.views[viewer].update(texts)
            patch = hall_pb2.ViewPatch(set=texts, check=views.check(self.views[viewer]))
            step = hall_pb2.Step(
                patch=patch,
                hand=self.hand,
                events=[hall_pb2.TableEvent(kind=kind, data=encode(data)) for kind in events],
            )
            forms[viewer] = self._update(step=step)
        self.ring.append(forms)
        return self.seq

    def _update(self, **kind: Any) -> hall_pb2.TableUpdate:
        return hall_pb2.TableUpdate(
            table=self.ref, epoch=self.epoch, seq=self.seq, clocks=self.clocks(), **kind
        )

    def snapshot(self, viewer: int) -> hall_pb2.TableUpdate:
        view = self.views[viewer]
        snapshot = hall_pb2.Snapshot(
            view=view, check=views.check(view), seat=viewer, hand=self.hand
        )
        return self._update(snapshot=snapshot)

    def resume(self, viewer: int, epoch: int, seq: int) -> list[hall_pb2.TableUpdate]:
        if epoch != self.epoch or seq > self.seq:
            return [self.snapshot(viewer)]
        return [forms[viewer] for forms in self.ring[seq:]]

    # ---- the game --------------------------------------------------------------------------

    def seat_of(self, player: int) -> int | None:
        for index, seat in enumerate(self.players):
            if seat is not None and seat["player"] == str(player):
                return index
        return None

    def sit(self, player: int, name: str) -> int:
        if self.seat_of(player) is not None:
            raise Refused("ALREADY_SEATED")
        if None not in self.players:
            raise Refused("ROOM_FULL")
        seat = self.players.index(None)
        self.players[seat] = {
            "player": str(player),
            "name": name,
            "ready": False,
            "stake": 100,
            "leaving": False,
        }
        self.emit({f"@seat{seat}": self.players[seat]}, events=("@sit",))
        return seat

    def ready(self, player: int) -> None:
        seat = self._seat(player)
        if self.turn is not None:
            raise Refused("HAND_RUNNING")
        self.players[seat] = {**self.players[seat], "ready": True}  # type: ignore[dict-item]
        self.emit({f"@seat{seat}": self.players[seat]}, events=("@ready",))
        if all(p is not None and p["ready"] for p in self.players):
            self.hand += 1
            self.turn, self.last, self.count = 0, 0, 0
            shown = {}
            for index, held in enumerate(self.players):
                self.players[index] = {**held, "ready": False}  # type: ignore[dict-item]
                shown[f"@seat{index}"] = self.players[index]
            self.emit(
                {"@phase": "playing", "@hand": self.hand, "last": 0, **shown},
                events=("@hand_begin",),
            )

    def act(self, player: int, action: str, hand: int) -> int:
        seat = self._seat(player)
        if self.turn is None:
            raise Refused("NO_HAND")
        if hand != self.hand:
            raise Refused("STALE_DECISION")
        if seat != self.turn:
            raise Refused("NOT_YOUR_TURN")
        number = int(action.removeprefix("say "))
        if number <= self.last:
            raise Refused("TOO_LOW", last=self.last)
        self.last = number
        self.count += 1
        over = self.count >= self.actions
        self.turn = None if over else (seat + 1) % len(self.players)
        seq = self.emit({"last": number, "by": seat}, events=("say",))
        if over:
            others = len(self.players) - 1
            deltas = [others if i == seat else -1 for i in range(len(self.players))]
            result = {"result": "won", "deltas": deltas, "fees": [0] * len(deltas)}
            self.emit({"@phase": "waiting", "@result": result}, events=("@hand_end",))
        return seq

    def stand(self, player: int) -> int:
        seat = self._seat(player)
        if self.turn is not None:
            raise Refused("CONFIRM_ABANDON", penalty=1)
        self.players[seat] = None
        self.emit({f"@seat{seat}": None}, events=("@stand",))
        return seat

    def _seat(self, player: int) -> int:
        seat = self.seat_of(player)
        if seat is None:
            raise Refused("NOT_SEATED")
        return seat
