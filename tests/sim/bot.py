"""What a simulated player wants: sit, be ready, play, sometimes dawdle, leave, top up, watch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from hall_client.mirror import TableMirror
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.sim.client import SimClient
from tests.sim.gateway import ROOM

BUY_IN_MIN = 60
THINK_S = 0.15


@dataclass
class Habits:
    """Chances of each: to look on first, to let the clock run out, to stand up between hands or
    in one."""

    looks_on: float = 0.15
    dawdles: float = 0.1
    leaves: float = 0.05
    escapes: float = 0.03


class Bot:
    """Looks at the board again and again and does what is due.

    others: the tables that other players are at.
    """

    def __init__(
        self,
        client: SimClient,
        random: Random,
        habits: Habits,
        others: Callable[[], list[common_pb2.TableRef]],
    ) -> None:
        self.client = client
        self._others = others
        self.leaving = False
        """Told to: finish the hand, stand up, do not come back."""
        self.number = 0
        """Of its player."""
        self._random = random
        self._habits = habits
        self._thinking = False
        self._slept_through = (-1, -1)  # the position on which it dawdles
        client.on_change = self.think

    def think(self) -> None:
        """Look in a moment; called whenever something has happened."""
        if not self._thinking:
            self._thinking = True
            loop, process = self.client.process.loop, self.client.process
            wait = THINK_S * (0.1 + self._random.random())
            loop.call_later(wait, self._look, context=process.context)

    def _look(self) -> None:
        self._thinking = False
        client = self.client
        if not client.connected or client.waiting:
            return
        table = next((t for t in client.core.tables if t.seat >= 0), None)
        if table is None:
            if not self.leaving and self._random.random() < 0.7:
                self._join()
            elif not self.leaving:
                self.think()
        elif table.known:
            self._at(table)

    def _join(self) -> None:
        tables = self._others()
        if tables and self._random.random() < self._habits.looks_on:
            watch = hall_pb2.Watch(table=self._random.choice(tables))
            self.client.ask(hall_pb2.Command(watch=watch))
            return
        command = hall_pb2.Command(quick_join=hall_pb2.QuickJoin(room=ROOM))
        self.client.ask(command)

    def _at(self, table: TableMirror) -> None:
        view = table.view
        own = view.get(f"@seat{table.seat}")
        if own is None or own["leaving"]:
            return
        if view["@phase"] == "playing":
            self._play(table, view)
        else:
            self._between(table, own)

    def _play(self, table: TableMirror, view: dict[str, Any]) -> None:
        draw, habits = self._random.random, self._habits
        position = (table.epoch, table.seq)
        if self._slept_through == position:
            return
        if not self.leaving and draw() < habits.escapes / 4:
            self._stand(table, abandon=True)
        elif view["turn"] != table.seat:
            return
        elif not self.leaving and draw() < habits.dawdles:
            self._slept_through = position
        else:
            act = hall_pb2.Act(
                table=table.ref,
                action=f"add {self._random.randrange(3)}",
                hand=table.hand,
                decided_on=table.seq,
            )
            command = hall_pb2.Command(act=act)
            self.client.ask(command, table=table.ref.table, hand=table.hand)

    def _between(self, table: TableMirror, own: dict[str, Any]) -> None:
        if self.leaving or self._random.random() < self._habits.leaves:
            self._stand(table, abandon=False)
        elif own["stake"] < BUY_IN_MIN:
            top_up = hall_pb2.TopUp(table=table.ref, amount=BUY_IN_MIN)
            self.client.ask(hall_pb2.Command(top_up=top_up), table=table.ref.table)
        elif not own["ready"]:
            ready = hall_pb2.Ready(table=table.ref, contribution=self._random.randbytes(4))
            self.client.ask(hall_pb2.Command(ready=ready), table=table.ref.table)

    def _stand(self, table: TableMirror, *, abandon: bool) -> None:
        stand = hall_pb2.Stand(table=table.ref, abandon=abandon)
        self.client.ask(hall_pb2.Command(stand=stand), table=table.ref.table)
