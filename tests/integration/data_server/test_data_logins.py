"""Accounts with passwords: one hash on each path, and queues that keep kinds apart."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Iterator
from typing import Any

import grpc
import pytest
from data_hall import Client, hand

from data_server.passwords import Passwords
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

PASSWORD = "correct horse"


def register(name: str, password: str = PASSWORD, op: bytes = b"") -> data_pb2.RegisterRequest:
    return data_pb2.RegisterRequest(op=op or new_op(), name=name, password=password)


def login(name: str, password: str = PASSWORD) -> data_pb2.LoginRequest:
    return data_pb2.LoginRequest(name=name, password=password)


@pytest.fixture
def hashes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What is hashed, in order: the password and against what."""
    seen: list[str] = []
    real = Passwords._in_pool

    async def count(self: Passwords, function: object, *args: str) -> object:
        seen.append(args[-1])
        return await real(self, function, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Passwords, "_in_pool", count)
    yield seen


async def test_register_login_and_name_rules(hall: Client) -> None:
    op = new_op()
    first = await hall.accounts.Register(register("Ann Ä", op=op))
    assert first.session.profile.name == "Ann Ä" and not first.session.profile.guest
    assert await hall.accounts.Register(register("Ann Ä", op=op)) == first
    other = await hall.accounts.Register(register("Ann Ä", "another one", op=op))
    assert other.refusal.code == "OP_REUSED"
    taken = await hall.accounts.Register(register("ANN a\u0308"))
    assert taken.refusal.code == "NAME_TAKEN"
    assert (await hall.accounts.Register(register("x"))).refusal.code == "BAD_NAME"
    assert (await hall.accounts.Register(register("Bob", "short"))).refusal.code == "BAD_PASSWORD"
    again = await hall.accounts.Login(login("ann ä"))
    assert again.session.session_epoch == first.session.session_epoch + 1
    assert again.session.wallet.coin == 10_000


async def test_every_way_to_fail_costs_one_hash_and_says_the_same(
    small: Client, hashes: list[str]
) -> None:
    await small.accounts.Register(register("Ann"))
    guest = await small.guest()
    for request in (
        login("Ann"),
        login("Ann", "wrong password"),
        login("Nobody"),
        login(guest.session.profile.name),
        login("Ann", "x"),
        login("Ann", "x" * 5000),
        login("", ""),
    ):
        hashes.clear()
        reply = await small.accounts.Login(request)
        assert len(hashes) == 1
        wanted = "" if request == login("Ann") else "BAD_CREDENTIALS"
        assert reply.refusal.code == wanted and not reply.refusal.params


@pytest.fixture
def in_lane(monkeypatch: pytest.MonkeyPatch, small: Client) -> Iterator[list[int]]:
    """For each hash how many calls the lane `logins` had at work when it was asked for."""
    seen: list[int] = []
    real = Passwords._in_pool

    async def note(self: Passwords, function: object, *args: str) -> object:
        seen.append(small.server.lanes.logins.working)
        return await real(self, function, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(Passwords, "_in_pool", note)
    yield seen


async def test_every_path_hashes_as_often_as_it_must_in_one_queue(
    small: Client, in_lane: list[int]
) -> None:
    async def cost(call: Awaitable[Any], code: str = "") -> tuple[int, data_pb2.SessionReply]:
        in_lane.clear()
        reply = await call
        assert reply.refusal.code == code, reply
        assert all(working == 1 for working in in_lane)
        return len(in_lane), reply

    hashes, registered = await cost(small.accounts.Register(register("Ann")))
    assert hashes == 1
    hashes, opened = await cost(small.accounts.Login(login("Ann")))
    assert hashes == 1
    assert (await cost(small.accounts.Login(login("Ann", "wrong one")), "BAD_CREDENTIALS"))[0] == 1
    assert (await cost(small.accounts.Login(login("Nobody")), "BAD_CREDENTIALS"))[0] == 1

    # coming back costs none
    token = opened.session.refresh_token
    renew = data_pb2.RenewRequest(op=new_op(), refresh_token=token)
    assert (await cost(small.accounts.Renew(renew)))[0] == 0
    secret = secrets.token_bytes(32)
    guest = data_pb2.OpenGuestRequest(op=new_op(), device_secret=secret)
    assert (await cost(small.accounts.OpenGuest(guest)))[0] == 0

    # the old one is checked, the new one is made
    change = data_pb2.ChangePasswordRequest(
        op=new_op(),
        player=registered.session.profile.player,
        session_epoch=opened.session.session_epoch,
        old_password=PASSWORD,
        new_password="battery staple",
    )
    assert (await cost(small.accounts.ChangePassword(change)))[0] == 2
    assert (await cost(small.accounts.ChangePassword(change)))[0] == 0
    change.op, change.old_password = new_op(), "wrong one"
    assert (await cost(small.accounts.ChangePassword(change), "BAD_CREDENTIALS"))[0] == 1


async def test_a_login_that_overlaps_a_change_of_the_password_opens_nothing(
    hall: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = (await hall.accounts.Register(register("Ann"))).session
    checked, changed = asyncio.Event(), asyncio.Event()
    real = Passwords.verify

    async def verify(self: Passwords, stored: str | None, password: str) -> bool:
        matches = await real(self, stored, password)
        if not checked.is_set():
            checked.set()
            await changed.wait()
        return matches

    monkeypatch.setattr(Passwords, "verify", verify)
    late = asyncio.ensure_future(hall.accounts.Login(login("Ann")))
    await checked.wait()
    change = data_pb2.ChangePasswordRequest(
        op=new_op(),
        player=first.profile.player,
        session_epoch=first.session_epoch,
        old_password=PASSWORD,
        new_password="battery staple",
    )
    assert not (await hall.accounts.ChangePassword(change)).HasField("refusal")
    changed.set()
    assert (await late).refusal.code == "BAD_CREDENTIALS"


async def test_a_new_password_ends_other_sessions(hall: Client) -> None:
    first = (await hall.accounts.Register(register("Ann"))).session
    change = data_pb2.ChangePasswordRequest(
        op=new_op(),
        player=first.profile.player,
        session_epoch=first.session_epoch,
        old_password=PASSWORD,
        new_password="battery staple",
    )
    changed = await hall.accounts.ChangePassword(change)
    assert changed.session.session_epoch == first.session_epoch + 1
    assert await hall.accounts.ChangePassword(change) == changed
    renew = data_pb2.RenewRequest(op=new_op(), refresh_token=first.refresh_token)
    assert (await hall.accounts.Renew(renew)).refusal.code == "BAD_TICKET"
    assert (await hall.accounts.Login(login("Ann"))).refusal.code == "BAD_CREDENTIALS"
    assert not (await hall.accounts.Login(login("Ann", "battery staple"))).HasField("refusal")
    change.op = new_op()
    assert (await hall.accounts.ChangePassword(change)).refusal.code == "BAD_CREDENTIALS"


async def test_neither_tickets_nor_passwords_lie_open_in_the_database(
    small: Client,
) -> None:
    reply = await small.accounts.Register(register("Ann"))
    secret = secrets.token_bytes(32)
    guest = await small.guest(secret=secret)
    path = small.server.settings.url().removeprefix("sqlite:///")

    def content() -> bytes:
        data = b""
        for end in ("", "-wal"):
            with open(path + end, "rb") as file:  # noqa: PTH123
                data += file.read()
        return data

    stored = await asyncio.to_thread(content)
    assert b"Ann" in stored
    for hidden in (
        PASSWORD.encode(),
        reply.session.refresh_token.encode(),
        reply.session.ticket.encode(),
        guest.session.refresh_token.encode(),
        secret,
    ):
        assert hidden not in stored


async def test_a_flood_of_logins_is_turned_away_while_hands_are_settled(
    start: Any,
) -> None:
    client: Client = await start(logins_at_once=1, logins_waiting=3, hash_threads=1)
    host, table = await client.host(), await client.table()
    player = await client.guest()
    sitting = (await host.sit(player, table, 0)).sitting
    await client.accounts.Register(register("Ann"))

    async def attempt() -> grpc.aio.AioRpcError | None:
        try:
            await client.accounts.Login(login("Ann", "wrong password"))
        except grpc.aio.AioRpcError as error:
            return error
        return None

    flood = [asyncio.ensure_future(attempt()) for _ in range(40)]
    settled = []
    while not all(f.done() for f in flood):
        one = hand(table, len(settled) + 1, [(player, 0, sitting, 0)])
        settled.append(await host.settle(one))
    errors = [error for error in await asyncio.gather(*flood) if error is not None]
    # Four fit at once; one more for each that was done before the last had arrived.
    assert 30 <= len(errors) <= 36 and len(settled) >= 3
    assert not any(reply.results[0].HasField("refusal") for reply in settled)
    for error in errors:
        assert error.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert int(dict(error.trailing_metadata() or ())["retry-after-ms"]) >= 50
