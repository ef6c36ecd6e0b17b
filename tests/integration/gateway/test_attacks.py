"""What a stranger with our source can do to the players' ports without any account.

Each test is a hole that was there once; docs/security.md lists what was tried besides.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import time

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from game_server.gateway import grpc_edge
from game_server.gateway.connection import Connection
from game_server.gateway.limits import Limits
from game_server.gateway.signals import kind_of
from paiju.wire.v1 import hall_pb2, hall_pb2_grpc

from .conftest import Client, World, _read
from .test_grpc_edge import ROOMY

GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\4\0\0\0\0\0"


async def test_a_packet_that_unpacks_to_megabytes_is_not_unpacked(world: World) -> None:
    """64 KiB of gzip were 50 MB of memory, per packet, before anything looked at it."""
    await world.serve()
    options = [*ROOMY, ("grpc.max_send_message_length", -1)]
    async with grpc.aio.insecure_channel(
        world.address, options=options, compression=grpc.Compression.Gzip
    ) as channel:
        call = hall_pb2_grpc.HallStub(channel).Play()
        with contextlib.suppress(grpc.aio.AioRpcError):
            await call.write(hall_pb2.Packet(data=bytes(20_000_000)))
        # The status may be overtaken by the reset of the stream.
        refused = (grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INTERNAL)
        assert await call.code() in refused
    assert world.gateway.metrics.bytes_in.value == 0, "it reached nobody"


async def test_health_is_told_but_not_followed(world: World) -> None:
    """A Watch was a stream that no limit counted, for anybody."""
    server = grpc.aio.server(options=grpc_edge.OPTIONS)
    state = grpc_edge.Probe()
    health_pb2_grpc.add_HealthServicer_to_server(state, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await state.set("paiju.v1.Hall", health_pb2.HealthCheckResponse.SERVING)
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        asked = health_pb2.HealthCheckRequest(service="paiju.v1.Hall")
        assert (await stub.Check(asked)).status == health_pb2.HealthCheckResponse.SERVING
        watching = stub.Watch(asked)
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await watching.read()
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
    await server.stop(0)


@pytest.mark.parametrize("said", [b"", GREETING[:5]])
async def test_who_connects_and_does_not_greet_is_cut(world: World, said: bytes) -> None:
    """Two minutes were enough to use up the open files of a gateway from one machine."""
    await world.serve()
    host, _, port = world.address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    begun = time.monotonic()
    writer.write(said)
    async with asyncio.timeout(20):
        while await reader.read(1000):
            pass
    assert time.monotonic() - begun < 15
    writer.close()


def test_a_connection_without_a_call_is_not_kept_for_ever() -> None:
    assert dict(grpc_edge.OPTIONS)["grpc.max_connection_idle_ms"] <= 60_000


def test_what_is_found_inside_a_seal_stays_a_forgery() -> None:
    assert {kind_of(reason) for reason in ("garbage", "oversize", "no_id")} == {"forged_frame"}
    assert kind_of("seal_forged") == "bad_seal" and kind_of("flood") == "flood"


async def test_a_ticket_whose_footer_never_ends_is_only_a_bad_ticket(world: World) -> None:
    """It was a fault with a stack in the log each time."""
    client = world.client()
    await client.hello()
    footer = base64.urlsafe_b64encode(b"[" * 1200).rstrip(b"=").decode()
    body = base64.urlsafe_b64encode(json.dumps({}).encode() + bytes(64)).rstrip(b"=").decode()
    resume = hall_pb2.Resume(ticket=f"v4.public.{body}.{footer}", connection=1)
    assert (await client.ask(resume=resume)).refusal.code == "BAD_TICKET"


# ---- more than one's share -----------------------------------------------------------------


class TestPlaces:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(
            place_burst=1e6,
            place_guests_burst=3,
            place_guests_per_s=0.01,
            place_hashes_burst=2,
            place_hashes_per_s=0.01,
            place_share=0.02,  # of 3,000
        )

    async def test_one_place_does_not_take_all_connections(self, world: World) -> None:
        gateway = world.gateway
        crowd = [gateway.connect(f"192.0.2.{number}") for number in range(60)]
        assert all(crowd)
        assert gateway.connect("192.0.2.250") is None
        assert gateway.metrics.closes_by_reason["place_full"] == 1
        assert gateway.connect("198.51.100.1") is not None, "others come in"
        assert all(gateway.connect("127.0.0.1") for _ in range(70)), "this machine's programs"
        assert crowd[0] is not None
        crowd[0].lost()
        assert gateway.connect("192.0.2.251") is not None

    async def test_one_place_does_not_use_up_the_hashes(self, world: World) -> None:
        """Each costs the data server 22 ms; other places still get in."""

        async def register(place: str, number: int) -> str:
            connection = world.gateway.connect(place)
            assert connection is not None
            client = _reading(world, connection)
            await client.hello()
            body = hall_pb2.Register(name=f"name {number}", password="a password")
            return (await client.ask(register=body)).refusal.code

        flood = [await register("192.0.2.9", number) for number in range(4)]
        assert flood[2:] == ["TOO_FAST", "TOO_FAST"] and "TOO_FAST" not in flood[:2]
        assert await register("198.51.100.9", 9) != "TOO_FAST"

    async def test_one_place_does_not_make_guests_without_end(self, world: World) -> None:
        codes = []
        for number in range(5):
            connection = world.gateway.connect("192.0.2.9")
            assert connection is not None
            client = _reading(world, connection)
            await client.hello()
            answer = await client.ask(
                open_guest=hall_pb2.OpenGuest(device_secret=bytes([number]) * 32)
            )
            codes.append(answer.refusal.code)
        assert codes == ["", "", "", "TOO_FAST", "TOO_FAST"]


def _reading(world: World, connection: Connection) -> Client:
    client = Client(connection.receive)
    world.tasks.append(asyncio.create_task(_read(connection, client)))
    return client


class TestOldTickets:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(place_burst=1e6, account_burst=3, account_per_s=0.01)

    async def test_an_old_ticket_keeps_its_player_out_of_nothing(self, world: World) -> None:
        """Whoever had one could use up the resumes of its player at a gateway."""
        world.data.ticket_s = -1.0
        old = await world.client().guest(b"v" * 32)
        world.data.ticket_s = 300.0
        mine = await world.client().guest(b"v" * 32)
        assert mine.profile.player == old.profile.player
        codes = []
        for number in range(6):
            connection = world.gateway.connect("192.0.2.66")
            assert connection is not None
            thief = _reading(world, connection)
            await thief.hello()
            resume = hall_pb2.Resume(ticket=old.ticket, connection=100 + number)
            codes.append((await thief.ask(resume=resume)).refusal.code)
        assert codes == ["BAD_TICKET"] * 3 + ["TOO_FAST"] * 3
        client = world.client()
        await client.hello()
        resume = hall_pb2.Resume(ticket=mine.ticket, connection=mine.connection + 1)
        assert (await client.ask(resume=resume)).HasField("session")
