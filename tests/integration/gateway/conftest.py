"""A gateway between a fake data server and a fake host, all in this loop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest

from game_server.data_client import DataClient
from game_server.gateway import grpc_edge
from game_server.gateway.connection import Connection
from game_server.gateway.context import Context
from game_server.gateway.gateway import Gateway
from game_server.gateway.limits import Limits
from game_server.gateway.metrics import Metrics
from game_server.gateway.rooms import RoomSpec
from game_server.gateway.stream import LinkConfig
from paiju.service.ids import new_op, now_us
from paiju.wire import protocol
from paiju.wire.sealed import Channel
from paiju.wire.v1 import common_pb2, hall_pb2

from .fake_data import TOKEN, FakeData
from .fake_host import SECRET, FakeHost
from .plain import Plain

ROOM = "doudizhu.novice"


async def until(what: Callable[[], Any], *, within_s: float = 5.0) -> Any:
    """Poll until it is true."""
    end = time.monotonic() + within_s
    while True:
        found = what()
        if found:
            return found
        assert time.monotonic() < end, "not in time"
        await asyncio.sleep(0.005)


class Client:
    """A player on a Connection, as an edge would drive it, or on a gRPC stream."""

    def __init__(self, send: Callable[[bytes], Any], channel: Channel | None = None) -> None:
        self.channel: Channel = channel or Plain()
        self._send = send
        self._next = 1
        self.updates: list[hall_pb2.Update] = []
        self.packets = 0
        self.ended = False
        self._task: asyncio.Task[None] | None = None
        self.stop: Callable[[], object] = lambda: None

    def took(self, frame: bytes) -> None:
        packet = self.channel.receive(frame, time.monotonic())
        if packet is None:
            return
        self.packets += 1
        self.updates += hall_pb2.ServerFrame.FromString(packet).updates

    def command(self, **body: Any) -> hall_pb2.Command:
        self._next += 1
        return hall_pb2.Command(id=self._next, op=body.pop("op", new_op()), **body)

    async def send(self, *commands: hall_pb2.Command) -> None:
        await self.put(hall_pb2.ClientFrame(commands=commands).SerializeToString())

    async def put(self, packet: bytes) -> None:
        """Seal and send it; the handshake comes before the first one."""
        if opening := self.channel.handshake():
            await self.put_frame(opening)
            await until(lambda: self.channel.ready or self.ended)
        await self.put_frame(self.channel.seal(packet, time.monotonic()))

    async def put_frame(self, frame: bytes) -> None:
        sent = self._send(frame)
        if sent is not None:
            await sent

    async def ask(self, **body: Any) -> hall_pb2.Answer:
        command = self.command(**body)
        await self.send(command)
        return await self.answer(command.id)

    async def answer(self, id: int) -> hall_pb2.Answer:
        def found() -> list[hall_pb2.Answer]:
            return [u.answer for u in self.updates if u.answer.id == id]

        return (await until(found))[0]

    async def hello(self, locale: str = "en") -> hall_pb2.Answer:
        return await self.ask(hello=hall_pb2.Hello(major=protocol.MAJOR, locale=locale))

    async def guest(self, secret: bytes = b"s" * 32) -> hall_pb2.Session:
        await self.hello()
        answer = await self.ask(open_guest=hall_pb2.OpenGuest(device_secret=secret))
        assert answer.HasField("session"), answer
        return answer.session

    async def join(self) -> common_pb2.TableRef:
        answer = await self.ask(quick_join=hall_pb2.QuickJoin(room=ROOM))
        assert answer.HasField("seated"), answer
        await until(self.snapshots)
        return answer.seated.table

    def act(self, table: common_pb2.TableRef, action: str = "pass") -> hall_pb2.Command:
        return self.command(act=hall_pb2.Act(table=table, action=action))

    def notices(self) -> list[str]:
        return [u.notice.code for u in self.updates if u.HasField("notice")]

    def steps(self) -> list[int]:
        return [u.table.seq for u in self.updates if u.table.HasField("step")]

    def snapshots(self) -> list[int]:
        return [u.table.seq for u in self.updates if u.table.HasField("snapshot")]


class World:
    def __init__(self, *, data: FakeData, host: FakeHost, gateway: Gateway, folder: Path) -> None:
        self.data = data
        self.host = host
        self.gateway = gateway
        self.folder = folder
        self.server: grpc.aio.Server | None = None
        self.address = ""
        self.channel: grpc.aio.Channel | None = None
        self.tasks: list[asyncio.Task[None]] = []

    def client(self, *, reading: bool = True) -> Client:
        """Without gRPC."""
        connection = self.gateway.connect("test")
        assert connection is not None
        client = Client(connection.receive)
        client.stop = connection.lost
        client.connection = connection  # type: ignore[attr-defined]
        if reading:
            self.tasks.append(asyncio.create_task(_read(connection, client)))
        return client

    async def serve(self) -> None:
        self.server = grpc.aio.server(options=grpc_edge.OPTIONS)
        grpc_edge.add(self.gateway, self.server)
        self.address = f"127.0.0.1:{self.server.add_insecure_port('127.0.0.1:0')}"
        await self.server.start()

    async def close(self) -> None:
        if self.channel is not None:
            await self.channel.close()
        await self.gateway.close()
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        if self.server is not None:
            await self.server.stop(grace=0)
        await self.host.stop()
        await self.data.stop()


async def _read(connection: Connection, client: Client) -> None:
    while (packet := await connection.next_frame()) is not None:
        client.took(packet)
    client.ended = True
    connection.lost()


SPEC = RoomSpec(
    id=ROOM, game="doudizhu", title={"en": "Novice", "zh": "新手"}, currency=common_pb2.COIN,
    buy_in_min=100, buy_in_max=1000, buy_in_default=500, parameters="{}", seats=3,
)  # fmt: skip
FAST = Limits(rewatch_min_s=0.02, rewatch_max_s=0.1, place_burst=1e6)


@pytest.fixture
def limits() -> Limits:
    return FAST


@pytest.fixture
def channel() -> Callable[[], Channel]:
    """Overridden where the seal is the point."""
    return Plain


@pytest.fixture
async def world(
    tmp_path: Path, limits: Limits, channel: Callable[[], Channel]
) -> AsyncIterator[World]:
    data = FakeData()
    address = await data.start()
    host = FakeHost("host-0", tmp_path)
    await host.start()
    data.add_host(host.info(), (ROOM, 0))
    data.host_for_new = "host-0"
    metrics = Metrics()
    gateway = Gateway(
        context=Context(server="gs", gateway="gs/gateway-0", wall_us=now_us, limits=limits),
        data=DataClient([address], token=TOKEN, metrics=metrics, backoff_s=0.01),
        link=LinkConfig(
            cell="cell", secret=SECRET, gateway="gs/gateway-0", machine="m1",
            backoff_min_s=0.02, backoff_max_s=0.2,
        ),
        rooms=[SPEC, replace(SPEC, id="doudizhu.master")],
        metrics=metrics,
        quota=3000,
        channel=channel,
    )  # fmt: skip
    gateway.start()
    world = World(data=data, host=host, gateway=gateway, folder=tmp_path)
    yield world
    await world.close()
