"""The client against a hall on real gRPC ports in this process."""

from __future__ import annotations

import asyncio

import pytest

from hall_client import (
    ClientClosed,
    ConnectionFailed,
    HallClient,
    Refused,
    Replaced,
    SessionEnded,
    TableHandle,
    TableLeft,
)
from hall_client.backoff import Backoff
from hall_client.links import may_go
from paiju.service.refusals import Refused as Refusal
from paiju.wire.v1 import hall_pb2
from tests.unit.hall_client.fake_hall import KEYS, FakeHall, eventually

A, B = b"a" * 32, b"b" * 32


def client(addresses: list[str], **more: object) -> HallClient:
    backoff = Backoff(first_s=0.01, longest_s=0.1)
    return HallClient(
        addresses,
        server_keys=KEYS.public,
        backoff=backoff,
        timeout_s=10.0,
        **more,  # type: ignore[arg-type]
    )


async def play_hand(*tables: TableHandle) -> None:
    """All seats ready and say numbers until the hand is over."""
    hand = max(table.hand for table in tables) + 1

    async def one(table: TableHandle) -> None:
        await table.ready()
        await table.wait(lambda view: view["@hand"] >= hand, timeout_s=5)
        while True:
            view = await table.wait(
                lambda view: view["@phase"] == "waiting" or table.my_turn, timeout_s=5
            )
            if view["@phase"] == "waiting":
                return
            acted = await table.act(f"say {view['last'] + 1}")
            await table.reached(acted.seq)

    await asyncio.gather(*(one(table) for table in tables))


async def test_guests_sit_and_play_a_hand(hall: FakeHall) -> None:
    addresses = await hall.start()
    async with client(addresses) as a, client(addresses) as b:
        session = await a.guest(A, name="Ann")
        await b.guest(B)
        assert session.profile.name == "Ann" and a.profile.guest
        assert [room.id for room in await a.rooms()] == ["toy"]
        assert (await a.wallet()).coin == 500
        tables = [await a.quick_join("toy"), await b.quick_join("toy")]
        assert [table.seat for table in tables] == [0, 1]
        await play_hand(*tables)
        assert tables[0].view["@result"]["result"] == "won"
        await tables[0].stand()
        with pytest.raises(TableLeft):
            await tables[0].ready()
        assert a.counters().mismatches == b.counters().mismatches == 0
        assert a.counters().gaps == 0


async def test_a_refusal_is_an_exception_with_everything_in_it(hall: FakeHall) -> None:
    async with client(await hall.start(), locale="zh") as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        with pytest.raises(Refused) as raised:
            await table.act("say 1")
        assert raised.value.code == "NO_HAND"
        assert raised.value.sentence == "没有进行中的牌局。"


async def test_retry_is_honoured_with_the_same_operation(hall: FakeHall) -> None:
    hall.refuse["quick_join"] = [Refusal("RETRY", retry_after_ms=20), Refusal("BUSY")]
    async with client(await hall.start()) as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        assert table.seat == 0
    ops = [op for kind, op in hall.handled if kind == "quick_join"]
    assert len(ops) == 3 and len(set(ops)) == 1


@pytest.mark.parametrize("lost", ["quick_join", "ready", "act", "stand", "open_guest"])
async def test_a_lost_answer_is_asked_for_again_and_nothing_happens_twice(
    hall: FakeHall, lost: str
) -> None:
    addresses = await hall.start(gateways=2)
    hall.cut_after[lost] = 1
    async with client(addresses) as a, client(addresses) as b:
        await a.guest(A)
        await b.guest(B)
        tables = [await a.quick_join("toy"), await b.quick_join("toy")]
        await play_hand(*tables)
        for table in tables:
            await table.stand()
    (toy,) = hall.tables.values()
    assert toy.hand == 1 and toy.count == toy.actions
    assert toy.players == [None, None]
    assert a.counters().mismatches == b.counters().mismatches == 0


async def test_a_dropped_connection_goes_on_with_exactly_what_was_missed(hall: FakeHall) -> None:
    addresses = await hall.start(gateways=2)
    async with client(addresses) as a, client(addresses) as b:
        await a.guest(A)
        await b.guest(B)
        mine, other = await a.quick_join("toy"), await b.quick_join("toy")
        before = a.gateway
        for _ in range(3):
            a.drop()
            await play_hand(mine, other)
        await eventually(lambda: a.resumes == 3)
        assert a.gateway != before
        (toy,) = hall.tables.values()
        await eventually(lambda: mine.seq == toy.seq)
        counters = a.counters()
        assert counters.snapshots == 1  # only the first
        assert counters.gaps == counters.dropped == counters.mismatches == 0
        assert mine.mirror.parts == toy.views[0]


async def test_a_dead_gateway_is_left_for_another(hall: FakeHall) -> None:
    addresses = await hall.start(gateways=2)
    async with client(addresses) as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        await hall.stop_gateway(0)
        await table.ready()
        assert a.gateway == addresses[1] and a.resumes == 1


async def test_replaced_stops_reconnecting(hall: FakeHall) -> None:
    async with client(await hall.start(gateways=2)) as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        (wire,) = hall.wires
        wire.send(notice=hall_pb2.Notice(code="REPLACED", text="newer"))
        wire.cut()
        with pytest.raises(Replaced):
            await table.wait(lambda view: False, timeout_s=5)
        with pytest.raises(Replaced):
            await a.wallet()
        await eventually(lambda: not hall.wires)
        assert not a.connected


async def test_a_stale_resume_counts_as_replaced(hall: FakeHall) -> None:
    async with client(await hall.start()) as a:
        await a.guest(A)
        hall.connection[a.profile.player] = 1000
        a.drop()
        with pytest.raises(Replaced):
            await a.wallet()


async def test_a_guest_whose_ticket_ran_out_comes_back_by_its_secret(hall: FakeHall) -> None:
    async with client(await hall.start()) as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        hall.ticket_good = False
        a.drop()
        await table.ready()
        (toy,) = hall.tables.values()
        await eventually(lambda: table.view["@seat0"]["ready"] and table.seq == toy.seq)


async def test_draining_moves_to_another_gateway(hall: FakeHall) -> None:
    addresses = await hall.start(gateways=2)
    async with client(addresses) as a:
        await a.guest(A)
        hall.wires[0].send(notice=hall_pb2.Notice(code="DRAINING"))
        await eventually(lambda: a.gateway == addresses[1] and a.connected)


async def test_no_gateway_is_said_in_time() -> None:
    with pytest.raises(ConnectionFailed):
        async with client(["127.0.0.1:1"], connect_timeout_s=0.3):
            pass


async def test_closing_fails_what_is_waiting(hall: FakeHall) -> None:
    async with client(await hall.start()) as a:
        await a.guest(A)
        table = await a.quick_join("toy")
        waiting = asyncio.create_task(table.wait(lambda view: False))
        await asyncio.sleep(0)
    with pytest.raises(ClientClosed):
        await waiting


async def test_events_are_told(hall: FakeHall) -> None:
    async with client(await hall.start()) as a:
        await a.guest(A)
        seen: list[str] = []

        async def listen() -> None:
            async for event in a.events():
                seen.append(type(event).__name__)

        task = asyncio.create_task(listen())
        await a.quick_join("toy")
        await eventually(lambda: "TableChanged" in seen and "PresenceChanged" in seen)
        task.cancel()


async def test_a_faulty_observer_does_not_leave_anybody_waiting(hall: FakeHall) -> None:
    def broken(event: object) -> None:
        raise RuntimeError("observer")

    async with client(await hall.start(), observer=broken) as a:
        with pytest.raises(SessionEnded, match="observer"):
            await a.guest(A)


async def test_a_full_gateway_may_name_another_one(hall: FakeHall) -> None:
    """Its word is followed once the key is proved there; what is no address is not."""
    known, other = await hall.start(gateways=2)
    for named in ("not an address", other):
        hall.refuse["hello"].append(Refusal("SERVER_FULL", retry_after_ms=1, elsewhere=named))
    async with client([known]) as one:
        await one.guest(A)
        assert one.gateway == other


@pytest.mark.parametrize(
    ("address", "hint", "goes"),
    [
        *(("h:1", "i:2", True), ("grpc://h:1", "i:2", True), ("h:1", "grpcs://i:2", True)),
        *(("grpcs://h:1", "grpcs://i:2", True), ("grpcs://h:1", "i:2", False)),
        *(("ws://h:1", "ws://i:2", True), ("ws://h:1", "wss://i", True)),
        *(("wss://h", "wss://i", True), ("wss://h", "ws://i:2", False)),
        *(("ws://h:1", "i:2", False), ("h:1", "ws://i:2", False), ("h:1", "file:///x", False)),
    ],
)
def test_nobody_is_sent_to_another_edge_or_out_of_tls(address: str, hint: str, goes: bool) -> None:
    assert may_go(address, hint) is goes


async def test_who_is_turned_away_everywhere_learns_why(hall: FakeHall) -> None:
    hall.refuse["hello"] += [Refusal("SERVER_FULL", retry_after_ms=1)] * 1000
    shut_out = client(await hall.start(), connect_timeout_s=0.3)
    with pytest.raises(ConnectionFailed, match="SERVER_FULL") as failed:
        await shut_out.connect()
    assert failed.value.reason == shut_out.turned_away == "SERVER_FULL"


async def test_an_attempt_that_we_give_up_ourselves_hides_no_reason(hall: FakeHall) -> None:
    hall.refuse["hello"] += [Refusal("SERVER_FULL", retry_after_ms=1)] * 9
    addresses = await hall.start()
    silent = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1")
    addresses.append(f"127.0.0.1:{silent.sockets[0].getsockname()[1]}")
    shut_out = client(addresses)
    connecting = asyncio.create_task(shut_out.connect())
    await eventually(
        lambda: (shut_out.turned_away, shut_out.gateway) == ("SERVER_FULL", addresses[1])
    )
    await shut_out.close()
    assert shut_out.turned_away == "SERVER_FULL"
    with pytest.raises(SessionEnded, match="CLOSED"):
        await connecting
    silent.close()
