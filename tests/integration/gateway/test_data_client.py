"""The data client: fail-over, repeats under one op, typed refusals, Follow; tickets' keys."""

from __future__ import annotations

import grpc
import pytest

from game_server.data_client import DataClient
from game_server.gateway.metrics import Metrics
from game_server.gateway.presence import Presence
from game_server.gateway.tickets import Tickets
from paiju.service.ids import new_op, now_us
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

from .fake_data import TOKEN, FakeData

WALLET = data_pb2.GetWalletRequest(player=5)


@pytest.fixture
async def data():  # type: ignore[no-untyped-def]
    fake = FakeData()
    await fake.start()
    yield fake
    await fake.stop()


def client(*targets: str, token: str = TOKEN, **more: float) -> DataClient:
    return DataClient(targets, token=token, metrics=Metrics(), backoff_s=0.005, **more)


async def test_another_address_is_tried_and_kept(data: FakeData) -> None:
    calls = client("127.0.0.1:1", data.address)
    assert (await calls.call("GetWallet", WALLET)).wallet.coin == 5
    assert calls._current == 1
    assert (await calls.call("GetWallet", WALLET)).wallet.coin == 5
    await calls.close()


async def test_a_repeat_carries_the_same_op(data: FakeData) -> None:
    calls = client(data.address)
    data.fail_with = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED]
    request = data_pb2.OpenGuestRequest(op=new_op(), device_secret=b"x" * 32)
    reply = await calls.call("OpenGuest", request)
    assert reply.session.profile.player == 101
    assert data.calls == ["OpenGuest"] * 3
    await calls.close()


async def test_nobody_there_is_a_retry(data: FakeData) -> None:
    calls = client("127.0.0.1:1", deadline_s=0.1)
    with pytest.raises(Refused) as refused:
        await calls.call("GetWallet", WALLET)
    assert refused.value.code == "RETRY"
    assert refused.value.retry_after_ms > 0
    await calls.close()


async def test_a_slow_one_is_given_up(data: FakeData) -> None:
    data.slow_s = 5
    calls = client(data.address, deadline_s=0.2, attempt_s=0.1)
    with pytest.raises(Refused, match="RETRY"):
        await calls.call("GetWallet", WALLET)
    await calls.close()


async def test_the_business_refusal_is_passed_on(data: FakeData) -> None:
    calls = client(data.address)
    with pytest.raises(Refused, match="BAD_CREDENTIALS"):
        await calls.call("Login", data_pb2.LoginRequest(name="1", password="x"))
    with pytest.raises(Refused, match="NO_HOST"):
        await calls.call("OpenShard", data_pb2.OpenShardRequest(room="r"))
    await calls.close()


async def test_a_wrong_cluster_token_is_our_fault(data: FakeData) -> None:
    calls = client(data.address, token="wrong")
    with pytest.raises(Refused, match="INTERNAL"):
        await calls.call("GetWallet", WALLET)
    assert data.calls == ["GetWallet"]
    await calls.close()


async def test_follow_yields_until_it_ends(data: FakeData) -> None:
    calls = client(data.address)
    data.end_below(4, 2, "KICKED")
    events = calls.follow("gs", lambda: None)
    async for event in events:
        assert event.session_ended.reason == "KICKED"
        break
    await events.aclose()  # type: ignore[attr-defined]
    data.down = True
    assert [event async for event in calls.follow("gs", lambda: None)] == []
    await calls.close()


async def test_keys_are_fetched_when_unknown_but_not_for_each_invention(data: FakeData) -> None:
    calls = client(data.address)
    clock = [100.0]
    tickets = Tickets(
        lambda: calls.call("TicketKeys", data_pb2.TicketKeysRequest()),
        wall_us=now_us,
        clock=lambda: clock[0],
    )
    session = data.session(7)
    claims = await tickets.verify(session.ticket)
    assert (claims.player, claims.name, claims.guest, claims.epoch) == (7, "p7", True, 1)
    assert claims.expires_us == session.ticket_expires_us
    invented = session.ticket.rpartition(".")[0] + ".eyJraWQiOiJrMiJ9"
    for _ in range(5):
        with pytest.raises(Refused, match="BAD_TICKET"):
            await tickets.verify(invented)
    assert data.calls.count("TicketKeys") == 1
    clock[0] += 6
    with pytest.raises(Refused, match="BAD_TICKET"):
        await tickets.verify(invented)
    assert data.calls.count("TicketKeys") == 2
    await calls.close()


async def test_presence_keeps_what_it_could_not_tell() -> None:
    told: list[data_pb2.PresenceRequest] = []
    down = True

    async def tell(request: data_pb2.PresenceRequest) -> None:
        if down:
            raise Refused("RETRY")
        told.append(request)

    presence = Presence(tell, server="gs", gateway="g")
    presence.changed(1, 5, online=True)
    presence.changed(2, 1, online=True)
    await presence.flush()
    presence.changed(1, 4, online=False)  # an older session's end, late
    presence.changed(2, 1, online=False)
    down = False
    await presence.flush()
    await presence.flush()
    (request,) = told
    assert {c.player: (c.session_epoch, c.online) for c in request.changes} == {
        1: (5, True),
        2: (1, False),
    }
