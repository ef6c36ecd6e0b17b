"""Whatever a client sends: a code and a sentence, nothing changes, other players notice nothing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio

from hall_client import HallClient
from hall_client.errors import Refused, SessionEnded
from hall_client.table import TableHandle
from paiju.service.ids import new_op
from paiju.wire.sealed import ClientChannel
from paiju.wire.v1 import common_pb2, hall_pb2, hall_pb2_grpc
from tests.integration.hall_client.mini_hall import MiniHall

ROOM = "doudizhu.novice"


class Playing:
    """Three players in mid-hand; one of them has the turn."""

    def __init__(self, hall: MiniHall, clients: list[HallClient], tables: list[TableHandle]):
        self.hall, self.clients, self.tables = hall, clients, tables

    def turn(self) -> int:
        return next(i for i, table in enumerate(self.tables) if table.my_turn)

    def seen(self) -> list[tuple[int, dict]]:
        return [(table.seq, dict(table.view)) for table in self.tables]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def playing(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Playing]:
    async with MiniHall(tmp_path_factory.mktemp("hall")) as hall:
        clients = [HallClient(hall.gateways, server_keys=hall.server_keys) for _ in range(3)]
        for number, client in enumerate(clients):
            await client.connect()
            await client.guest(b"%032d" % number)
        tables = [await client.quick_join(ROOM) for client in clients]
        for table in tables:
            await table.ready()
        for table in tables:
            await table.wait(lambda view: view["@phase"] == "playing", timeout_s=20)
        yield Playing(hall, clients, tables)
        for client in clients:
            await client.close()


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def refused(call: object) -> Refused:
    with pytest.raises(Refused) as caught:
        await call  # type: ignore[misc]
    assert caught.value.sentence and caught.value.sentence != caught.value.code
    return caught.value


async def test_what_the_rules_or_the_table_refuse(playing: Playing) -> None:
    before = playing.seen()
    turn = playing.turn()
    mine, other = playing.tables[turn], playing.tables[(turn + 1) % 3]
    nowhere = common_pb2.TableRef(room=ROOM, shard=0, table=1 << 40)
    client = playing.clients[turn]
    for call, code in (
        (mine.act("call 9"), "SYNTAX"),
        (mine.act("play 3s"), "WRONG_PHASE"),
        (mine.act("x" * 200), "SYNTAX"),
        (mine.act("叫三分"), "SYNTAX"),
        (other.act("call 1"), "NOT_YOUR_TURN"),
        (mine.top_up(10**15), "HAND_RUNNING"),
        (client.sit(mine.ref, 0), "ALREADY_SEATED"),
        (client.quick_join("no.such.room"), "NO_SUCH_ROOM"),
        (client.sit(nowhere, 0), "NO_SUCH_TABLE"),
    ):
        assert (await refused(call)).code == code
    assert playing.seen() == before


async def test_a_stake_above_the_balance_or_the_room(playing: Playing) -> None:
    async with HallClient(playing.hall.gateways, server_keys=playing.hall.server_keys) as poor:
        await poor.guest(b"p" * 32)
        wallet = await poor.wallet()
        too_much = await refused(poor.quick_join(ROOM, buy_in=10**9))
        assert too_much.code == "BUY_IN_RANGE" and too_much.params["maximum"]
        # Masters want more than a new player has.
        assert (await refused(poor.quick_join("doudizhu.master", buy_in=50_000))).code == (
            "NOT_ENOUGH"
        )
        assert await poor.wallet() == wallet


@pytest.mark.parametrize(
    "name",
    ["x" * 10_000, "a", "a\u0000b", "a\u202eb", "a\u200bb", "", "   "],
    ids=["long", "short", "control", "bidi", "zero-width", "empty", "blank"],
)
async def test_names_that_nobody_may_have(playing: Playing, name: str) -> None:
    async with HallClient(playing.hall.gateways, server_keys=playing.hall.server_keys) as client:
        assert (await refused(client.register(name, "long enough 1"))).code == "BAD_NAME"


async def test_a_wrong_password_and_an_unknown_user_look_the_same(playing: Playing) -> None:
    async with HallClient(playing.hall.gateways, server_keys=playing.hall.server_keys) as client:
        await client.register("Ann Bee", "long enough 1")
        await client.logout()
    async with HallClient(playing.hall.gateways, server_keys=playing.hall.server_keys) as client:
        wrong = await refused(client.login("Ann Bee", "long enough 2"))
        unknown = await refused(client.login("Nobody Here", "long enough 2"))
        assert (wrong.code, wrong.params, wrong.sentence) == (
            unknown.code,
            unknown.params,
            unknown.sentence,
        )


async def test_a_second_login_replaces_the_first(playing: Playing) -> None:
    first = HallClient(playing.hall.gateways[:1], server_keys=playing.hall.server_keys)
    await first.connect()
    await first.guest(b"s" * 32)
    async with HallClient(
        playing.hall.gateways[1:], server_keys=playing.hall.server_keys
    ) as second:
        await second.guest(b"s" * 32)
        with pytest.raises(SessionEnded) as ended:
            async with asyncio.timeout(10):
                while True:
                    await first.ping()
                    await asyncio.sleep(0.05)
        assert ended.value.code == "REPLACED"
        assert await second.wallet()
    await first.close()


async def test_an_operation_that_comes_twice_counts_once(playing: Playing) -> None:
    async with HallClient(playing.hall.gateways, server_keys=playing.hall.server_keys) as client:
        await client.guest(b"t" * 32)
        op = new_op()
        join = hall_pb2.Command(op=op, quick_join=hall_pb2.QuickJoin(room=ROOM))
        first = (await client.call(join)).seated
        second = (await client.call(join)).seated
        assert first == second
        other = hall_pb2.Command(op=op, quick_join=hall_pb2.QuickJoin(room=ROOM, buy_in=300))
        assert (await refused(client.call(other))).code == "OP_REUSED"
        await client.tables()[0].stand()


@pytest.mark.parametrize(
    "garbage", [b"\xff" * 50, b"\x00", b"\x0a\x7f" + b"z" * 20], ids=["text", "zero", "cut"]
)
async def test_garbage_ends_that_connection_and_no_other(playing: Playing, garbage: bytes) -> None:
    before = playing.seen()
    sealed = ClientChannel(server_key=playing.hall.server_keys[0])
    async with grpc.aio.insecure_channel(playing.hall.gateways[0]) as channel:
        call = hall_pb2_grpc.HallStub(channel).Play()
        await call.write(hall_pb2.Packet(data=sealed.handshake()))
        sealed.receive((await call.read()).data, 0.0)
        await call.write(hall_pb2.Packet(data=sealed.seal(garbage, 0.0)))
        said = []
        for packet in await _all_of(call):
            said.append(hall_pb2.ServerFrame.FromString(sealed.receive(packet, 0.0) or b""))
        codes = [u.notice.code or u.answer.refusal.code for frame in said for u in frame.updates]
        assert codes and all(codes)
    assert playing.seen() == before


async def test_what_is_not_sealed_gets_no_word(playing: Playing) -> None:
    before = playing.seen()
    hello = hall_pb2.ClientFrame(commands=[hall_pb2.Command(id=1, hello=hall_pb2.Hello(major=1))])
    async with grpc.aio.insecure_channel(playing.hall.gateways[0]) as channel:
        call = hall_pb2_grpc.HallStub(channel).Play()
        await call.write(hall_pb2.Packet(data=hello.SerializeToString()))
        assert await _all_of(call) == []
    assert playing.seen() == before


async def _all_of(call: Any) -> list[bytes]:
    """What the gateway says until it ends the call."""
    said = []
    async with asyncio.timeout(10):
        with contextlib.suppress(grpc.aio.AioRpcError):
            while (packet := await call.read()) is not grpc.aio.EOF:
                said.append(packet.data)
    return said


async def test_a_message_that_is_too_large(playing: Playing) -> None:
    before = playing.seen()
    async with grpc.aio.insecure_channel(playing.hall.gateways[0]) as channel:
        call = hall_pb2_grpc.HallStub(channel).Play()
        await call.write(hall_pb2.Packet(data=b"x" * 1_000_000))
        async with asyncio.timeout(10):
            try:
                while await call.read() is not grpc.aio.EOF:
                    pass
            except grpc.aio.AioRpcError:
                pass
            assert await call.code() is not grpc.StatusCode.OK
    assert playing.seen() == before
