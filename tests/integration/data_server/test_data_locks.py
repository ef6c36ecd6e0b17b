"""Soft locks at the door, and sessions that end everywhere within two seconds."""

from __future__ import annotations

import asyncio
import secrets
import time
from typing import Any

import pytest
from data_hall import Client, eventually

from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

PASSWORD = "correct horse"
HOME, STRANGER = "192.0.2.1", "198.51.100.9"


class Wall:
    """A wall clock that a test moves; microseconds."""

    def __init__(self) -> None:
        self.now = time.time_ns() // 1000

    def __call__(self) -> int:
        return self.now


def origin(address: str) -> data_pb2.Origin:
    return data_pb2.Origin(server="gs1", gateway="g0", address=address)


async def register(client: Client, name: str, address: str = HOME) -> data_pb2.SessionReply:
    reply: data_pb2.SessionReply = await client.accounts.Register(
        data_pb2.RegisterRequest(op=new_op(), origin=origin(address), name=name, password=PASSWORD)
    )
    assert not reply.HasField("refusal"), reply
    return reply


async def code(client: Client, name: str, password: str, address: str = HOME) -> str:
    reply = await client.accounts.Login(
        data_pb2.LoginRequest(origin=origin(address), name=name, password=password)
    )
    if reply.refusal.code == "LOCKED":
        assert reply.refusal.retry_after_ms > 0 and int(reply.refusal.params["seconds"]) > 0
    found: str = reply.refusal.code
    return found


async def test_five_wrong_passwords_make_the_sixth_wait_and_the_lock_ends(
    start: Any, database_url: str
) -> None:
    wall = Wall()
    client = await start(database_url=database_url, server={"clock": wall})
    await register(client, "Ann")
    for name in ("Ann", "Nobody"):
        got = [await code(client, name, "wrong guess") for _ in range(7)]
        assert got == ["BAD_CREDENTIALS"] * 5 + ["LOCKED"] * 2
    assert await code(client, "Ann", PASSWORD) == "LOCKED"
    # others at the same address, and the player elsewhere, are not held up
    await register(client, "Bob")
    assert await code(client, "Bob", PASSWORD) == ""
    assert await code(client, "Ann", PASSWORD, STRANGER) == ""
    wall.now += 5 * 10**6
    assert await code(client, "Ann", PASSWORD) == ""
    # a right password forgets the wrong ones of this pair
    got = [await code(client, "Ann", "wrong guess") for _ in range(6)]
    assert got == ["BAD_CREDENTIALS"] * 5 + ["LOCKED"]


async def test_guesses_sent_at_once_are_counted_like_those_one_after_the_other(
    hall: Client,
) -> None:
    await register(hall, "Ann")
    got = await asyncio.gather(*(code(hall, "Ann", f"guess {n:04d}") for n in range(60)))
    assert sorted(got) == ["BAD_CREDENTIALS"] * 5 + ["LOCKED"] * 55


async def test_guesses_from_many_addresses_lock_strangers_out_and_not_the_player(
    start: Any,
) -> None:
    client = await start(lock_free_account=10)
    await register(client, "Ann")
    got = [await code(client, "Ann", "wrong guess", f"198.51.100.{n}") for n in range(14)]
    assert got == ["BAD_CREDENTIALS"] * 10 + ["LOCKED"] * 4
    assert await code(client, "Ann", PASSWORD, "203.0.113.5") == "LOCKED"
    assert await code(client, "Ann", PASSWORD, HOME) == ""


async def test_one_address_that_tries_many_accounts_is_locked(start: Any) -> None:
    client = await start(lock_free_address=12)
    await register(client, "Ann")
    got = []
    for n in range(16):
        got.append(await code(client, f"name{n}", "wrong guess", STRANGER))
        if n % 4 == 0 and n < 10:  # an account of the guesser's own does not wipe it out
            assert await code(client, "Ann", PASSWORD, STRANGER) == ""
    assert got == ["BAD_CREDENTIALS"] * 12 + ["LOCKED"] * 4
    assert await code(client, "Ann", PASSWORD, HOME) == ""


async def test_a_stolen_session_cannot_try_old_passwords_for_ever(small: Client) -> None:
    session = (await register(small, "Ann")).session
    codes = []
    for _ in range(7):
        change = data_pb2.ChangePasswordRequest(
            op=new_op(),
            origin=origin(STRANGER),
            player=session.profile.player,
            session_epoch=session.session_epoch,
            old_password="wrong guess",
            new_password="battery staple",
        )
        codes.append((await small.accounts.ChangePassword(change)).refusal.code)
    assert codes == ["BAD_CREDENTIALS"] * 5 + ["LOCKED"] * 2


async def test_old_locks_are_forgotten(start: Any, database_url: str) -> None:
    wall = Wall()
    client = await start(database_url=database_url, server={"clock": wall})
    for n in range(5):
        await code(client, f"name{n}", "wrong guess")

    def rows(tx: Any) -> int:
        found: int = tx.exec_driver_sql("SELECT count(*) FROM login_lock").scalar()
        return found

    assert await client.server.database.read(rows) == 11
    wall.now += 5000 * 10**6
    await client.server.jobs.cleanup()
    assert await client.server.database.read(rows) == 0


class Heard:
    """What followers of several game servers at several data servers are told."""

    def __init__(self) -> None:
        self.ended: dict[str, tuple[float, data_pb2.SessionEnded]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._streams: list[Any] = []

    async def follow(self, client: Client, server: str) -> None:
        stream = client.cluster.Follow(data_pb2.FollowRequest(server=server))
        before = client.server.followers.count()
        self._streams.append(stream)

        async def read() -> None:
            async for event in stream:
                if event.HasField("session_ended"):
                    self.ended[server] = (time.monotonic(), event.session_ended)

        self._tasks.append(asyncio.ensure_future(read()))

        async def there() -> bool:
            return client.server.followers.count() > before

        await eventually(there)

    async def close(self) -> None:
        for stream in self._streams:
            stream.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.mark.parametrize("how", ["password", "reuse"])
async def test_a_session_ends_at_every_game_server_of_every_data_server(
    start: Any, postgres_url: str, how: str
) -> None:
    one, two = [await start(database_url=postgres_url) for _ in range(2)]
    heard = Heard()
    for client, server in ((one, "gs1"), (one, "gs2"), (two, "gs3"), (two, "gs4")):
        await heard.follow(client, server)
    session = (await register(one, "Ann")).session
    begun = time.monotonic()
    if how == "password":
        change = data_pb2.ChangePasswordRequest(
            op=new_op(),
            player=session.profile.player,
            session_epoch=session.session_epoch,
            old_password=PASSWORD,
            new_password="battery staple",
        )
        assert not (await one.accounts.ChangePassword(change)).HasField("refusal")
    else:
        for _ in range(2):
            renew = data_pb2.RenewRequest(op=new_op(), refresh_token=session.refresh_token)
            await one.accounts.Renew(renew)

    async def all_heard() -> bool:
        return len(heard.ended) == 4

    await eventually(all_heard)
    late = max(at for at, _ in heard.ended.values()) - begun
    assert late < 2.0, f"{late:.2f} s"
    reason = "REPLACED" if how == "password" else "KICKED"
    for _, event in heard.ended.values():
        assert (event.player, event.reason) == (session.profile.player, reason)
        assert event.below_epoch == session.session_epoch + 1
    await heard.close()


async def test_who_arrives_with_the_ticket_of_an_ended_session_is_shown_out(
    hall: Client,
) -> None:
    secret = secrets.token_bytes(32)
    old = await hall.guest(secret=secret)
    heard = Heard()
    await heard.follow(hall, "gs7")
    new = await hall.guest(secret=secret)  # gs7 had nothing to do with it and is told nothing

    async def arrive(epoch: int) -> None:
        here = data_pb2.PresenceChange(player=old.id, session_epoch=epoch, online=True)
        await hall.cluster.Presence(
            data_pb2.PresenceRequest(server="gs7", gateway="g0", changes=[here])
        )

    await arrive(old.epoch)

    async def told() -> bool:
        return "gs7" in heard.ended

    await eventually(told)
    _, event = heard.ended["gs7"]
    assert (event.player, event.below_epoch, event.reason) == (old.id, new.epoch, "REPLACED")
    found = await hall.cluster.FindPlayer(data_pb2.FindPlayerRequest(player=old.id))
    assert not found.online and not found.server

    heard.ended.clear()
    await hall.accounts.Logout(data_pb2.LogoutRequest(player=old.id, session_epoch=new.epoch))
    await arrive(new.epoch)
    await eventually(told)
    assert heard.ended["gs7"][1].reason == "KICKED"
    await heard.close()
