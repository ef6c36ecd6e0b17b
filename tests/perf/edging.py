"""A gateway's sessions, sealed, without sockets: what one action costs them.

What came in and went out of a host (`hosting.Round`) is played to a gateway again: each command
arrives as a sealed frame of its player, and what the host said goes to all whom it concerns, in
one sealed frame per player. Only the gateway's half is measured; transports are not in it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from game_server.gateway.connection import Connection
from game_server.gateway.context import Context
from game_server.gateway.gateway import Gateway
from game_server.gateway.limits import Limits
from game_server.gateway.metrics import Metrics
from game_server.gateway.stream import LinkConfig, Sent
from game_server.gateway.subscriptions import Flow
from paiju.service.ids import now_us
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.sealed import ClientChannel, ServerChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2
from tests.perf.hosting import Round

MUCH = 1e12
LIMITS = replace(
    Limits(),
    rate_burst=MUCH,
    ready_burst=MUCH,
    frames_burst=MUCH,
    bytes_burst=MUCH,
    place_burst=MUCH,
)


class Data:
    """Opens sessions of guests, in the order in which they come; knows nothing else."""

    def __init__(self) -> None:
        self._players = 0

    async def call(self, rpc: str, request: Any, **_: Any) -> Any:
        if rpc != "OpenGuest":
            raise Refused("RETRY")
        self._players += 1
        profile = common_pb2.Profile(player=self._players, name=f"p{self._players}")
        return data_pb2.SessionReply(session=hall_pb2.Session(profile=profile, session_epoch=1))

    async def close(self) -> None: ...


class Router:
    """Takes the commands instead of a host."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.send = self.sent.append


class Edging:
    """`enter` with so many players, then `play` round after round."""

    def __init__(self) -> None:
        keys = ServerKeys.generate()
        self._public = keys.public[0]
        self.gateway = Gateway(
            context=Context(server="gs", gateway="g", wall_us=now_us, limits=LIMITS),
            data=Data(),  # type: ignore[arg-type]
            link=LinkConfig(cell="c", secret=bytes(32), gateway="g", machine="m"),
            metrics=Metrics(),
            quota=100_000,
            channel=lambda: ServerChannel(keys),
        )
        self._router = Router()
        self.gateway._carrier._router = self._router  # type: ignore[assignment]
        self._connections: dict[int, Connection] = {}
        self._channels: dict[int, ClientChannel] = {}
        self.cpu_s = 0.0
        self.actions = self.frames = 0

    async def enter(self, players: int) -> None:
        for player in range(1, players + 1):
            connection = self.gateway.connect("127.0.0.1")
            assert connection is not None
            channel = ClientChannel(server_key=self._public)
            connection.receive(channel.handshake())
            channel.receive(await connection.next_frame() or b"", 0.0)
            self._connections[player], self._channels[player] = connection, channel
            hello = hall_pb2.Hello(major=protocol.MAJOR)
            guest = hall_pb2.OpenGuest(device_secret=player.to_bytes(32, "big"))
            op = bytes.fromhex("0190f5fd3a2b7c4d8e9fa0b1c2d3e4f5")
            for command in (
                hall_pb2.Command(id=1, hello=hello),
                hall_pb2.Command(id=2, op=op, open_guest=guest),
            ):
                connection.receive(self._sealed(player, command))
            while connection.session.player is None:  # noqa: ASYNC110
                await asyncio.sleep(0)
            self._flush([player])

    def follow(self, rounds: Iterable[Round]) -> None:
        """Let everybody follow the tables of which he is told in these rounds."""
        for event in (e for one in rounds for e in one.events):
            told = host_pb2.HostEvent.FromString(event).deliver
            update = hall_pb2.Update.FromString(told.update)
            if update.HasField("table"):
                for player in told.players:
                    feed = self._connections[player].session.feed
                    feed.follow(update.table.table, common_pb2.Cursor(), Flow.LIVE)

    def play(self, round: Round) -> None:
        """One round, measured."""
        frames, events = [], []
        for data in round.commands:
            asked = host_pb2.HostCommand.FromString(data)
            kind = str(asked.WhichOneof("body"))
            body: Any = {kind: getattr(asked, kind)}
            command = hall_pb2.Command(id=asked.id, op=asked.op, **body)
            frames.append((asked.player, self._sealed(asked.player, command)))
            self.actions += kind == "act"
        for data in round.events:
            events.append(host_pb2.HostEvent.FromString(data))
        numbers = [host_pb2.HostCommand.FromString(data).id for data in round.commands]
        receivers = {p for event in events for p in event.deliver.players}
        receivers |= {player for player, _ in frames}

        begun = time.thread_time()
        for player, frame in frames:
            self._connections[player].receive(frame)
        waiting = dict(zip(numbers, self._router.sent, strict=True))
        for event in events:
            if event.WhichOneof("body") == "answer":
                self.gateway.link_answer(waiting.pop(event.answer.id), event.answer)
            else:
                self.gateway.link_event("h", event)
        self.frames += self._flush(receivers)
        self.cpu_s += time.thread_time() - begun
        self._router.sent.clear()

    def _flush(self, players: Iterable[int]) -> int:
        return sum(bool(self._connections[player]._sealed()) for player in players)

    def _sealed(self, player: int, *commands: hall_pb2.Command) -> bytes:
        packet = hall_pb2.ClientFrame(commands=commands).SerializeToString()
        return self._channels[player].seal(packet, time.monotonic())

    async def close(self) -> None:
        for connection in self._connections.values():
            connection.lost()


def quickest(costs: Sequence[float], part: float = 0.1) -> float:
    """A low quantile: other work on the machine only adds."""
    return sorted(costs)[int(part * len(costs))]
