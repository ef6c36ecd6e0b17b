"""One live session per player; tickets and refresh tokens."""

from __future__ import annotations

import asyncio
import json
import secrets

import pyseto
import pytest
from data_hall import Client, eventually

from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

ORIGIN = data_pb2.Origin(server="gs1", gateway="g0", address="192.0.2.1")


def renew(token: str, op: bytes | None = None) -> data_pb2.RenewRequest:
    return data_pb2.RenewRequest(op=op or new_op(), origin=ORIGIN, refresh_token=token)


async def test_a_ticket_says_who_plays(small: Client) -> None:
    player = await small.guest()
    (key,) = (await small.accounts.TicketKeys(data_pb2.TicketKeysRequest())).keys
    public = pyseto.Key.from_asymmetric_key_params(version=4, x=key.public_key)
    token = pyseto.decode(public, player.session.ticket)
    claims = json.loads(token.payload)
    assert claims == {
        "player": str(player.id),
        "name": player.session.profile.name,
        "guest": True,
        "session_epoch": player.epoch,
        "expires_us": player.session.ticket_expires_us,
    }
    assert json.loads(token.footer) == {"kid": key.id}


async def test_the_same_device_opens_the_same_account_in_a_new_session(hall: Client) -> None:
    secret = secrets.token_bytes(32)
    first = await hall.guest(secret=secret)
    second = await hall.guest(secret=secret)
    assert second.id == first.id and second.epoch == first.epoch + 1
    assert second.session.wallet.coin == 10_000

    op = new_op()
    request = data_pb2.OpenGuestRequest(op=op, origin=ORIGIN, device_secret=secret)
    once = await hall.accounts.OpenGuest(request)
    assert await hall.accounts.OpenGuest(request) == once
    short = data_pb2.OpenGuestRequest(op=new_op(), device_secret=b"short")
    assert (await hall.accounts.OpenGuest(short)).refusal.code == "BAD_SECRET"


async def test_a_hundred_logins_at_once_leave_one_live_session(hall: Client) -> None:
    secret = secrets.token_bytes(32)
    await hall.guest(secret=secret)
    sessions = await asyncio.gather(*(hall.guest(secret=secret) for _ in range(100)))
    assert len({s.id for s in sessions}) == 1
    assert sorted(s.epoch for s in sessions) == list(range(2, 102))
    host, table = await hall.host(), await hall.table()
    replies = await asyncio.gather(*(host.sit(s, table, i) for i, s in enumerate(sessions[:50])))
    newest = max(range(100), key=lambda i: sessions[i].epoch)
    for i, reply in enumerate(replies):
        assert reply.refusal.code == ("" if i == newest else "STALE_SESSION")


async def test_a_refresh_token_is_good_once(hall: Client) -> None:
    player = await hall.guest()
    op = new_op()
    first = await hall.accounts.Renew(renew(player.session.refresh_token, op))
    assert first.session.session_epoch == player.epoch
    assert await hall.accounts.Renew(renew(player.session.refresh_token, op)) == first

    # somebody else shows the one that was rotated away: nobody may go on
    reused = await hall.accounts.Renew(renew(player.session.refresh_token))
    assert reused.refusal.code == "BAD_TICKET"
    after = await hall.accounts.Renew(renew(first.session.refresh_token))
    assert after.refusal.code == "BAD_TICKET"
    host, table = await hall.host(), await hall.table()
    assert (await host.sit(player, table, 0)).refusal.code == "STALE_SESSION"


@pytest.mark.parametrize("token", ["", "nonsense", "é", "QUJD" * 20])
async def test_a_made_up_token_changes_nothing(small: Client, token: str) -> None:
    player = await small.guest()
    assert (await small.accounts.Renew(renew(token))).refusal.code == "BAD_TICKET"
    flipped = player.session.refresh_token[:-6] + "AAAAAA"
    assert (await small.accounts.Renew(renew(flipped))).refusal.code == "BAD_TICKET"
    good = await small.accounts.Renew(renew(player.session.refresh_token))
    assert not good.HasField("refusal")


async def test_followers_hear_who_was_replaced_and_who_left(small: Client) -> None:
    secret = secrets.token_bytes(32)
    first = await small.guest(secret=secret)
    stream = small.cluster.Follow(data_pb2.FollowRequest(server="gs1"))

    async def followed() -> bool:
        return small.server.followers.count() == 1

    await eventually(followed)
    second = await small.guest(secret=secret, server="gs2")
    event = (await asyncio.wait_for(stream.read(), 5)).session_ended
    assert (event.player, event.below_epoch, event.reason) == (first.id, second.epoch, "REPLACED")

    here = data_pb2.PresenceChange(player=first.id, session_epoch=second.epoch, online=True)
    await small.cluster.Presence(data_pb2.PresenceRequest(server="gs1", changes=[here]))
    stale = data_pb2.LogoutRequest(player=first.id, session_epoch=first.epoch)
    assert not (await small.accounts.Logout(stale)).HasField("refusal")
    live = data_pb2.LogoutRequest(player=first.id, session_epoch=second.epoch)
    await small.accounts.Logout(live)
    event = (await asyncio.wait_for(stream.read(), 5)).session_ended
    assert (event.below_epoch, event.reason) == (second.epoch + 1, "KICKED")
    reply = await small.accounts.Renew(renew(second.session.refresh_token))
    assert reply.refusal.code == "BAD_TICKET"
    stream.cancel()


async def test_relief_fills_up_three_times_a_day(small: Client) -> None:
    secret = secrets.token_bytes(32)
    player = await small.guest(secret=secret)
    host, table = await small.host(), await small.table()
    got = []
    for _ in range(5):
        coins = await small.coins(player)
        take = data_pb2.GrantRequest(op=new_op(), player=player.id, amount=1 - coins, reason="t")
        await small.admin.Grant(take)
        player = await small.guest(secret=secret)
        got.append(player.session.wallet.coin)
    assert got == [2000, 2000, 2000, 1, 1]
    sat = await host.sit(player, table, 0, amount=1)
    assert sat.wallet.escrow == 1
    await small.check()


async def test_stakes_on_tables_are_no_reason_for_relief(small: Client) -> None:
    secret = secrets.token_bytes(32)
    player = await small.guest(secret=secret)
    host, table = await small.host(), await small.table()
    await host.sit(player, table, 0, amount=9_900)
    again = await small.guest(secret=secret)
    assert (again.session.wallet.coin, again.session.wallet.escrow) == (100, 9_900)
    assert [seat.table for seat in again.session.seats] == [table.table]
