"""The session cache only saves questions: whatever it forgets, players notice nothing."""

from __future__ import annotations

import random

import pytest

from paiju.wire.v1 import hall_pb2

from .conftest import World


def resume(session: hall_pb2.Session, number: int) -> hall_pb2.Resume:
    return hall_pb2.Resume(ticket=session.ticket, connection=session.connection + number)


async def test_a_resume_shows_the_balance_without_the_data_server(world: World) -> None:
    client = world.client()
    session = await client.guest()
    first = world.client()
    await first.hello()
    await first.ask(resume=resume(session, 1))  # from now on the ticket's key is known here
    world.data.down = True
    again = world.client()
    await again.hello()
    answer = await again.ask(resume=resume(session, 2))
    assert answer.session.profile == session.profile
    assert answer.session.HasField("wallet")


async def test_coins_that_move_are_not_remembered(world: World) -> None:
    client = world.client()
    session = await client.guest()
    await client.ask(get_wallet=hall_pb2.GetWallet())
    assert len(world.gateway.cache) == 1
    await client.join()
    assert len(world.gateway.cache) == 0
    again = world.client()
    await again.hello()
    assert not (await again.ask(resume=resume(session, 1))).session.HasField("wallet")


@pytest.mark.parametrize("seed", range(3))
async def test_an_entry_may_be_gone_at_any_moment(world: World, seed: int) -> None:
    rng = random.Random(seed)
    client = world.client()
    session = await client.guest()
    table = await client.join()
    for number in range(1, 15):
        if rng.random() < 0.5:
            world.gateway.cache._sealed.clear()
        if rng.random() < 0.3:
            for player, (since, sealed) in list(world.gateway.cache._sealed.items()):
                world.gateway.cache._sealed[player] = (since, sealed[::-1])
        again = world.client()
        await again.hello()
        cursor_free = resume(session, number)
        answer = await again.ask(resume=cursor_free)
        assert answer.session.profile == session.profile, answer
        assert answer.session.session_epoch == session.session_epoch
        coins = (await again.ask(get_wallet=hall_pb2.GetWallet())).wallet.coin
        assert not answer.session.HasField("wallet") or answer.session.wallet.coin == coins
        acted = await again.ask(act=hall_pb2.Act(table=table, action="pass"))
        assert acted.HasField("acted")
