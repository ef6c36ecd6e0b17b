"""A table host under play, with everything but its network, and what each of its threads costs.

Tables of four play `doudizhu_4p` by legal actions chosen at random. A round sends one command
for some tables, as a frame from a gateway would, and waits for the answers. Only the host's own
work is measured: choosing actions happens outside of the measured time.
"""

from __future__ import annotations

import asyncio
import random
import time
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from game_server.tables.room import RoomSpec
from paiju.rules.registry import Registry
from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2
from tests.unit.tables.host_rig import Rig

SEATS = 4
ROOM = RoomSpec(
    id="doudizhu_4p.bench",
    game="doudizhu_4p",
    currency="coin",
    parameters={},
    buy_in_min=100,
    buy_in_max=10**9,
    buy_in_default=10**8,
    turn_ms={},
    reserve_ms=10**7,
)
HOUR_MS = 3_600_000


class Wire:
    """A gateway's stream: counts what is sent, keeps it when asked to."""

    closed = False

    def __init__(self, gateway: str = "bench") -> None:
        self.gateway = gateway
        self.sent: list[bytes] = []
        self.events = self.bytes = 0
        self.last: asyncio.Event = asyncio.Event()

    def send(self, event: bytes) -> None:
        self.events += 1
        self.bytes += len(event)
        self.sent.append(event)
        self.last.set()


@dataclass
class Spent:
    """CPU seconds: of the host's loop, and of the journal's thread."""

    loop: float = 0.0
    journal: float = 0.0
    actions: int = 0
    hands: int = 0

    def us(self) -> tuple[float, float]:
        """Per action, microseconds: (loop, journal)."""
        return 1e6 * self.loop / self.actions, 1e6 * self.journal / self.actions


@dataclass
class Round:
    """What went in and what came out, as on the wire."""

    commands: list[bytes]
    events: list[bytes]


@dataclass
class Group:
    """The players of one table."""

    first: int
    ref: common_pb2.TableRef = field(default_factory=common_pb2.TableRef)


class Playing:
    """`sit`, then `rounds`."""

    def __init__(self, url: str, *, tables: int, journaled: bool = True, seed: int = 7) -> None:
        self.rig = Rig(
            url,
            room=ROOM,
            game=Registry.default().latest(ROOM.game, {}),
            journaled=journaled,
            max_tables=tables + 8,
            stall_s=60.0,
        )
        self.wire = Wire()
        self._random = random.Random(seed)
        self._groups = [Group(1 + SEATS * n) for n in range(tables)]
        self._numbers = count(1)
        self._turn = 0
        self.rig.host.link_opened(self.wire)  # type: ignore[arg-type]

    async def sit(self) -> None:
        for group in self._groups:
            for player in range(group.first, group.first + SEATS):
                command = self._command(player, quick_join=hall_pb2.QuickJoin(room=ROOM.id))
                for event in await self._carry_out([command], Spent()):
                    told = host_pb2.HostEvent.FromString(event)
                    if told.answer.id == command.id and told.answer.HasField("seated"):
                        group.ref = told.answer.seated.table
        await self.rig.host.out.written()

    async def round(self, tables: int, spent: Spent) -> Round:
        """One command for each of the next `tables` tables."""
        commands = []
        for _ in range(tables):
            group = self._groups[self._turn % len(self._groups)]
            self._turn += 1
            commands += self._next(group, spent)
        events = await self._carry_out(commands, spent)
        return Round([command.SerializeToString() for command in commands], events)

    def _next(self, group: Group, spent: Spent) -> list[host_pb2.HostCommand]:
        table = self.rig.table(group.ref)
        if table.hand is None:
            spent.hands += 1
            ready = hall_pb2.Ready(table=group.ref)
            return [self._command(seat.player, ready=ready) for seat in table.seats]
        state, game = table.hand.state, table.hand.game
        seat = state.to_act()[0]
        legal = list(state.legal_actions(seat))
        line = game.format(self._random.choice(legal))
        for _ in range(8 if len(legal) > 1 else 0):
            if not line.startswith("pass"):
                break
            line = game.format(self._random.choice(legal))
        spent.actions += 1
        act = hall_pb2.Act(
            table=group.ref, action=line, hand=table.hand.number, decided_on=table.stream.seq
        )
        return [self._command(table.seats[seat].player, act=act)]

    def _command(self, player: int, **body: Any) -> host_pb2.HostCommand:
        return host_pb2.HostCommand(
            id=next(self._numbers),
            player=player,
            session_epoch=1,
            connection=1,
            name=f"p{player}",
            op=new_op(),
            **body,
        )

    async def _carry_out(self, commands: list[host_pb2.HostCommand], spent: Spent) -> list[bytes]:
        """Until all are answered. The loop's thread sleeps while the journal writes."""
        handle, wire = self.rig.host.handle, self.wire
        wire.sent.clear()
        waiting = {command.id for command in commands}
        process, loop = time.process_time(), time.thread_time()
        for command in commands:
            handle(wire, command)  # type: ignore[arg-type]
        seen = 0
        while waiting:
            wire.last.clear()
            if seen == len(wire.sent):
                await wire.last.wait()
            paused = time.thread_time(), time.process_time()
            for event in wire.sent[seen:]:
                told = host_pb2.HostEvent.FromString(event)
                if told.HasField("answer"):
                    waiting.discard(told.answer.id)
            seen = len(wire.sent)
            loop += time.thread_time() - paused[0]
            process += time.process_time() - paused[1]
        loop = time.thread_time() - loop
        spent.loop += loop
        spent.journal += time.process_time() - process - loop
        return list(wire.sent)

    async def close(self) -> None:
        await self.rig.kill()
