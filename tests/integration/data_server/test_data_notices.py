"""What was decided about a player is told to him: at once when he is here, else with his next
session, again and again until he has heard it, and to nobody else."""

from __future__ import annotations

import asyncio
from typing import Any

from data_hall import Client, Player, eventually

from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2, hall_pb2


async def punish(client: Client, player: Player, action: str, amount: int = 0) -> int:
    request = data_pb2.PunishRequest(
        op=new_op(), player=player.id, action=action, amount=amount, reason="bad words"
    )
    reply = await client.admin.Punish(request)
    assert not reply.HasField("refusal"), reply
    number: int = reply.penalty.id
    return number


async def unheard(client: Client, player: int) -> list[hall_pb2.PenaltyNotice]:
    request = data_pb2.UnheardPenaltiesRequest(player=player)
    return list((await client.cluster.UnheardPenalties(request)).penalties)


async def hear(client: Client, player: Player, penalty: int) -> None:
    request = data_pb2.PenaltyHeardRequest(player=player.id, penalty=penalty)
    await client.cluster.PenaltyHeard(request)


class Ear:
    """Follows for a game server; `news` are players there is something to tell."""

    def __init__(self, client: Client, server: str) -> None:
        self.news: list[int] = []
        self._call = client.cluster.Follow(data_pb2.FollowRequest(server=server))
        self._task = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for event in self._call:
            if event.HasField("news"):
                self.news.append(event.news.player)

    async def close(self) -> None:
        self._call.cancel()
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)


async def test_warnings_and_fines_are_told_until_they_were_heard(hall: Client) -> None:
    secret = b"n" * 32
    player, other = await hall.guest(secret=secret), await hall.guest()
    here, elsewhere = Ear(hall, "gs1"), Ear(hall, "gs2")
    await eventually(lambda: _is(hall.server.followers.count() == 2))
    warning = await punish(hall, player, "warn")
    fine = await punish(hall, player, "fine", 400)
    await eventually(lambda: _is(here.news == [player.id] * 2))
    assert elsewhere.news == []

    first, second = await unheard(hall, player.id)
    assert (first.id, first.action, first.kind, first.reason) == (
        warning, "warn", "operator", "bad words",
    )  # fmt: skip
    assert (second.id, second.action, second.taken) == (fine, "fine", 400)
    assert await unheard(hall, other.id) == []

    # Nobody else can take it away from him.
    await hear(hall, other, warning)
    await hear(hall, player, warning)
    await hear(hall, player, warning)
    again = await hall.guest(secret=secret)
    assert [notice.id for notice in again.session.penalties] == [fine]
    await hear(hall, again, fine)
    assert not (await hall.guest(secret=secret)).session.penalties
    for ear in (here, elsewhere):
        await ear.close()


async def test_the_policy_tells_too_and_what_it_counted_stays_inside(hall: Client) -> None:
    player = await hall.guest()
    request = data_pb2.SignalRequest(
        op=new_op(), source=data_pb2.SIGNAL_CLIENT, player=player.id,
        session_epoch=player.epoch, kind="vault", detail="slot 3", server="gs1", gateway="g0",
    )  # fmt: skip
    reply = await hall.cluster.Signal(request)
    assert reply.penalty.action == "warn"
    (notice,) = await unheard(hall, player.id)
    assert (notice.action, notice.kind, notice.reason) == ("warn", "vault", "")


async def test_a_freeze_is_told_when_the_account_opens_again(hall: Client) -> None:
    secret = b"f" * 32
    player = await hall.guest(secret=secret)
    freeze = await punish(hall, player, "freeze", 1)
    assert [notice.id for notice in await unheard(hall, player.id)] == [freeze]
    step = data_pb2.StepPenaltyRequest(op=new_op(), penalty=freeze, step="lift", reason="a mistake")
    await hall.admin.StepPenalty(step)
    assert not (await hall.guest(secret=secret)).session.penalties, "what was lifted is not told"


async def test_renewing_tells_who_missed_it(hall: Client) -> None:
    player = await hall.guest()
    warning = await punish(hall, player, "warn")
    renew = data_pb2.RenewRequest(op=new_op(), refresh_token=player.session.refresh_token)
    reply = await hall.accounts.Renew(renew)
    assert [notice.id for notice in reply.session.penalties] == [warning]


async def test_another_data_server_tells_its_followers(start: Any, database_url: str) -> None:
    first = await start(database_url=database_url, poll_s=0.1, lease_s=5)
    second = await start(database_url=database_url, poll_s=0.1, lease_s=5)
    player = await first.guest()
    ear = Ear(second, "gs1")
    await eventually(lambda: _is(second.server.followers.count() == 1))
    await punish(first, player, "warn")
    await eventually(lambda: _is(ear.news == [player.id]))
    await ear.close()


async def _is(truth: bool) -> bool:
    return truth
