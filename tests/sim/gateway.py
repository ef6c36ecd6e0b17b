"""A gateway as a process: the product's `Gateway`, and an edge that carries packets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from game_server.data_client import DataClient
from game_server.gateway.connection import Connection
from game_server.gateway.context import Context
from game_server.gateway.gateway import Gateway
from game_server.gateway.limits import Limits
from game_server.gateway.rooms import RoomSpec
from game_server.gateway.stream import LinkConfig
from paiju.service import ids
from paiju.wire.v1 import common_pb2
from tests.sim.calls import SimDataClient
from tests.sim.clockwork import Process
from tests.sim.host import CELL, GAME, SECRET
from tests.sim.network import Flow, Network
from tests.sim.silent import SILENT

ROOM = "tally.room"


class OpenChannel:
    """A channel that seals nothing: what tests/wire proves is not proved again here."""

    ready = True

    def handshake(self) -> bytes:
        return b""

    def receive(self, frame: bytes, now: float) -> bytes | None:
        return frame

    def seal(self, payload: bytes, now: float) -> bytes:
        return payload


class GatewayProcess:
    """One life of a gateway."""

    def __init__(
        self,
        process: Process,
        network: Network,
        *,
        data: SimDataClient,
        seats: int,
        limits: Limits,
        kind: type[Gateway] = Gateway,
    ) -> None:
        self.process = process
        self.network = network
        self.lines: list[Line] = []
        self._data = data
        self._seats = seats
        self._limits = limits
        self._kind = kind
        self.gateway: Gateway | None = None
        process.spawn(self._start())

    async def _start(self) -> None:
        room = RoomSpec(
            id=ROOM,
            game=GAME.name,
            title={},
            currency=common_pb2.COIN,
            buy_in_min=60,
            buy_in_max=400,
            buy_in_default=100,
            parameters="{}",
            seats=self._seats,
        )
        self.gateway = self._kind(
            context=Context(
                server="server",
                gateway=self.process.name,
                wall_us=ids.now_us,
                limits=self._limits,
                sentences=lambda code, params, locale, game: code,
            ),
            data=cast(DataClient, self._data),
            link=LinkConfig(cell=CELL, secret=SECRET, gateway=self.process.name, machine="machine"),
            rooms=[room],
            metrics=SILENT,
            quota=100,
            channel=OpenChannel,
        )
        self.gateway.start()

    def dial(self, client: Process, on_packet: Callable[[bytes], None], on_end: Any) -> Line:
        """A client connects; it may find nobody there, and learns so as of any lost line."""
        line = Line(self, client, on_packet, on_end)
        self.lines = [old for old in self.lines if not old.over]
        self.lines.append(line)
        return line


class Line:
    """A player's connection. `send` and `hang_up` are the client's; the edge is the gateway's."""

    def __init__(
        self,
        gateway: GatewayProcess,
        client: Process,
        on_packet: Callable[[bytes], None],
        on_end: Callable[[Line], None],
    ) -> None:
        network = gateway.network
        self.over = False
        """For the client: it hears and says nothing more here."""
        self._gateway = gateway
        self._network = network
        self._up = Flow(network, gateway.process)
        self._down = Flow(network, client)
        self._on_packet = on_packet
        self._on_end = on_end
        self._connection: Connection | None = None
        self._client = client
        gateway.process.on_end.append(self._gateway_ended)
        if gateway.process.alive and gateway.gateway is not None:
            self._up.arrive(self._accept)
        else:
            self._lose(network.delay())

    # ---- the client's end ------------------------------------------------------------------

    def send(self, packet: bytes) -> None:
        if not self.over:
            self._up.arrive(self._receive, packet)

    def hang_up(self, *, silently: bool) -> None:
        """silently: the gateway notices late, and what was said before still arrives there."""
        if self.over:
            return
        self.over = True
        self._down.stop()
        late = self._network.random.uniform(0.5, 8.0) if silently else 0.0
        if not silently:
            self._up.end()
        self._after(late + self._network.delay(), self._closed)

    # ---- the gateway's end -----------------------------------------------------------------

    def _after(self, seconds: float, work: Callable[[], None]) -> None:
        context = self._gateway.process.context
        self._network.loop.call_later(seconds, work, context=context)

    def _accept(self) -> None:
        gateway = self._gateway.gateway
        assert gateway is not None
        self._connection = gateway.connect("10.0.0.1")
        if self._connection is None:
            self._hung_up()
        else:
            self._gateway.process.spawn(self._write(self._connection))

    async def _write(self, connection: Connection) -> None:
        while (frame := await connection.next_frame()) is not None:
            if not self.over:
                self._down.arrive(self._on_packet, frame)
        connection.lost()
        self._hung_up()

    def _receive(self, packet: bytes) -> None:
        if self._connection is not None:
            self._connection.receive(packet)

    def _closed(self) -> None:
        if self._connection is not None:
            self._connection.lost()

    def _hung_up(self) -> None:
        if not self.over:
            self._down.arrive(self._ended)

    # ---- how it ends -----------------------------------------------------------------------

    def _gateway_ended(self) -> None:
        if not self.over:
            self._down.end()
            self._lose(self._network.delay())

    def _lose(self, after_s: float) -> None:
        self._network.loop.call_later(after_s, self._ended, context=self._client.context)

    def _ended(self) -> None:
        if not self.over:
            self.over = True
            self._on_end(self)
