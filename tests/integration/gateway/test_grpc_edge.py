"""The gRPC edge over a real socket: play, what it answers before it closes, what it leaves."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import grpc
import pytest

from game_server.gateway import grpc_edge
from game_server.gateway.limits import Limits
from paiju.wire import protocol
from paiju.wire.sealed import Channel
from paiju.wire.v1 import hall_pb2, hall_pb2_grpc

from .conftest import ROOM, Client, World, until

ROOMY = [
    ("grpc.max_send_message_length", -1),
    ("grpc.use_local_subchannel_pool", 1),
    # A window of fixed size, so that a client who does not read is felt soon.
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.lookahead_bytes", 65_536),
]


class GrpcClient(Client):
    def __init__(self, channel: grpc.aio.Channel, *, sealed: Channel | None = None) -> None:
        self.call = hall_pb2_grpc.HallStub(channel).Play()
        super().__init__(lambda data: self.call.write(hall_pb2.Packet(data=data)), sealed)
        self.stop = self.call.cancel
        self.status: grpc.StatusCode | None = None
        self.reading = True

    async def read(self) -> None:
        try:
            while (packet := await self.call.read()) is not grpc.aio.EOF:
                self.took(packet.data)
                if not self.reading:
                    return
        except grpc.aio.AioRpcError:
            pass
        except asyncio.CancelledError:
            self.call.cancel()
            raise
        self.ended = True
        self.status = await self.call.code()


@pytest.fixture
async def served(world: World) -> AsyncIterator[World]:
    await world.serve()
    world.channel = grpc.aio.insecure_channel(world.address, options=ROOMY)
    yield world


def connect(world: World, *, reading: bool = True) -> GrpcClient:
    assert world.channel is not None
    client = GrpcClient(world.channel)
    if reading:
        world.tasks.append(asyncio.create_task(client.read()))
    return client


async def test_guest_quick_join_act_update(served: World) -> None:
    client = connect(served)
    session = await client.guest()
    assert session.ticket
    table = await client.join()
    answer = await client.ask(act=hall_pb2.Act(table=table, action="pass"))
    assert answer.acted.seq == 2
    await until(lambda: client.steps() == [2])
    assert served.gateway.metrics.bytes_in.value > 0
    client.stop()
    await until(lambda: served.gateway.connections == 0)
    await until(lambda: served.host.kinds()[-1] == "gone")


async def test_half_closing_ends_the_connection(served: World) -> None:
    client = connect(served)
    await client.guest()
    await client.call.done_writing()
    await until(lambda: client.ended)
    assert client.status is grpc.StatusCode.OK
    assert served.gateway.connections == 0


@pytest.mark.parametrize(
    "packet, reason",
    [
        (b"\xff" * 20, "garbage"),
        (b"\x0a" + b"\x00" * protocol.MAX_PACKET_BYTES, "oversize"),
        (
            hall_pb2.ClientFrame(
                commands=[hall_pb2.Command(ping=hall_pb2.Ping())]
            ).SerializeToString(),
            "no_id",
        ),
    ],
)
async def test_what_breaks_the_format_is_said_before_the_end(
    served: World, packet: bytes, reason: str
) -> None:
    other = connect(served)
    await other.guest()
    client = connect(served)
    await client.hello("zh")
    await client.call.write(hall_pb2.Packet(data=packet))
    await until(lambda: client.ended)
    assert client.notices() == ["MALFORMED"]
    assert client.updates[-1].notice.text.startswith("无法读取消息")
    assert served.gateway.metrics.closes_by_reason[reason] == 1
    assert (await other.ask(ping=hall_pb2.Ping(nonce=3))).pong.nonce == 3


async def test_far_too_large_a_packet_is_cut_by_grpc(served: World) -> None:
    client = connect(served)
    await client.hello()
    await client.call.write(hall_pb2.Packet(data=b"x" * 200_000))
    await until(lambda: client.ended)
    await until(lambda: served.gateway.connections == 0)


async def test_a_full_server_says_so(served: World) -> None:
    served.gateway._quota = 1
    one = connect(served)
    await one.guest()
    two = connect(served)
    answer = await two.hello()
    assert answer.refusal.code == "SERVER_FULL"
    assert answer.refusal.retry_after_ms > 0
    assert answer.refusal.text == "This server is full."
    await until(lambda: two.ended)
    one.stop()
    await until(lambda: served.gateway.connections == 0)
    assert dict(answer.refusal.params) == {}
    served.gateway._quota = -200
    three = connect(served)
    await until(lambda: three.ended)
    assert three.status is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_a_full_server_names_others_that_have_room(served: World) -> None:
    """Asked of the data server before anybody has to wait for it, and not with each player."""
    served.data.elsewhere = ["10.0.0.7:7700", "10.0.0.8:7700"]
    served.gateway._quota = 2
    inside = [connect(served), connect(served)]
    for number, client in enumerate(inside):
        await client.guest(bytes([number]) * 32)
    await until(lambda: served.gateway._elsewhere._addresses)
    named = []
    for _ in range(3):
        refusal = (await connect(served).hello()).refusal
        assert refusal.code == "SERVER_FULL"
        named.append(refusal.params["elsewhere"])
    assert named[0] != named[1] and named[0] == named[2]
    assert served.data.calls.count("Elsewhere") == 1


class TestDeadlines:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(hello_s=0.05, open_s=0.1, idle_s=0.0)

    async def test_the_silent_and_the_undecided_are_closed(self, served: World) -> None:
        silent, undecided = connect(served), connect(served)
        await undecided.hello()
        await until(lambda: silent.ended and undecided.ended)
        reasons = served.gateway.metrics.closes_by_reason
        assert reasons["hello_timeout"] == 1
        assert reasons["open_timeout"] == 1


class TestSlow:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(stall_s=0.5, outbox_bytes=60_000)

    async def test_a_player_who_does_not_read_is_closed_and_the_others_play(
        self, served: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(grpc_edge, "LINGER_S", 0.1)
        slow, quick = connect(served), connect(served)
        await slow.guest()
        table = await slow.join()
        await quick.guest(b"q" * 32)
        await quick.join()
        slow.reading = False
        reasons = served.gateway.metrics.closes_by_reason
        end = time.monotonic() + 20
        while not reasons["slow_consumer"] and time.monotonic() < end:
            seq = served.host.step(table.table, b"x" * 4_000)
            await until(lambda seq=seq: quick.steps()[-1:] == [seq])
        assert reasons["slow_consumer"] == 1
        await until(lambda: served.gateway.connections == 1)
        assert len(quick.steps()) == served.host.seq[table.table] - 1
        await until(lambda: len(_tasks()) <= 4)  # of the quick one, and the slow one's status
        assert (await quick.ask(ping=hall_pb2.Ping(nonce=7))).pong.nonce == 7


async def test_two_thousand_connections_that_come_and_go_leave_nothing(served: World) -> None:
    async def come_and_go(number: int) -> None:
        client = GrpcClient(channels[number % len(channels)])
        try:
            if number % 4:
                await client.send(client.command(hello=hall_pb2.Hello(major=1)))
                await client.call.read()
            if number % 4 > 1:
                secret = number.to_bytes(32, "big")
                await client.send(
                    client.command(open_guest=hall_pb2.OpenGuest(device_secret=secret))
                )
            if number % 4 > 2:
                await client.call.read()
                await client.send(client.command(quick_join=hall_pb2.QuickJoin(room=ROOM)))
        finally:
            client.call.cancel()

    channels = [grpc.aio.insecure_channel(served.address, options=ROOMY) for _ in range(8)]
    for begin in range(0, 2000, 100):
        await asyncio.gather(*(come_and_go(begin + n) for n in range(100)))
    gateway = served.gateway
    await until(lambda: gateway.connections == 0 and gateway.sessions == 0)
    await until(lambda: gateway.tasks == 4)  # presence, follow, sweep, games
    assert gateway.metrics.red.calls.labels("Play")._value.get() >= 1500
    assert gateway.metrics.closes_by_reason["lost"] >= 1500
    await until(lambda: not any(served.data.presence.values()))
    for channel in channels:
        await channel.close()
    await until(lambda: not _tasks())


def _tasks() -> list[str]:
    names = (repr(task.get_coro()) for task in asyncio.all_tasks())
    return [name for name in names if "Play" in name or "_read" in name]
