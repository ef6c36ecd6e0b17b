"""What the seal adds to an action: CPU of gateway and clients together, sealed and unsealed.

Three players at a table; each acts in turn, and each action goes out to all three, one event
per frame. Over the gRPC edge in this process, so what the clients' sealing costs is in it,
too. Rounds of both kinds alternate and the best of each is compared: other work on the
machine only adds.
"""

from __future__ import annotations

import asyncio
import time

import grpc
import pytest

from paiju.wire.sealed import ClientChannel, ServerChannel
from paiju.wire.v1 import hall_pb2

from .conftest import World, until
from .plain import Plain
from .test_grpc_edge import GrpcClient
from .test_sealed_edge import KEYS

MOST = 1.15
UPDATE_BYTES = 200


class Player(GrpcClient):
    """Knows when the next update has come, without polling."""

    def __init__(self, channel: grpc.aio.Channel, *, sealed: bool) -> None:
        ours = ClientChannel(server_key=KEYS.public[0]) if sealed else None
        super().__init__(channel, sealed=ours)
        self.came = asyncio.Event()

    def took(self, frame: bytes) -> None:
        super().took(frame)
        self.came.set()

    async def has(self, seq: int) -> None:
        """Until the update with that number is here; older ones are forgotten."""
        while not any(update.table.seq >= seq for update in self.updates):
            self.came.clear()
            await self.came.wait()


async def _round(world: World, *, sealed: bool, actions: int, number: int) -> float:
    """CPU seconds per action."""
    world.gateway._channel = (lambda: ServerChannel(KEYS)) if sealed else Plain
    async with grpc.aio.insecure_channel(world.address) as channel:
        players = [Player(channel, sealed=sealed) for _ in range(3)]
        for seat, player in enumerate(players):
            world.tasks.append(asyncio.create_task(player.read()))
            await player.guest(bytes([number, seat]) * 16)
            table = await player.join()
        begun = time.process_time()
        for turn in range(1, actions + 1):
            await players[turn % 3].send(players[turn % 3].command(ping=hall_pb2.Ping(nonce=1)))
            seq = world.host.step(table.table, b"x" * UPDATE_BYTES)
            await asyncio.gather(*(player.has(seq) for player in players))
            for player in players:
                player.updates.clear()
        spent = time.process_time() - begun
        for player in players:
            player.stop()
        await until(lambda: world.gateway.connections == 0)
    return spent / actions


@pytest.mark.soak
async def test_the_seal_adds_at_most_fifteen_percent(world: World) -> None:
    await world.serve()
    best = {True: float("inf"), False: float("inf")}
    for number in range(8):
        sealed = number % 2 == 0
        cost = await _round(world, sealed=sealed, actions=300, number=number)
        best[sealed] = min(best[sealed], cost)
    print(f"per action: {best[True] * 1e3:.3f} ms sealed, {best[False] * 1e3:.3f} ms unsealed")
    assert best[True] <= MOST * best[False]
