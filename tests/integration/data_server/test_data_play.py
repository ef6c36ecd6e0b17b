"""From a guest account to a settled hand and back to the wallet, on both databases."""

from __future__ import annotations

from data_hall import COIN, SCORE, Client, hand

from data_server.store import checks
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2


async def test_guests_sit_play_and_stand(hall: Client) -> None:
    host = await hall.host()
    table = await hall.table()
    players = [await hall.guest() for _ in range(3)]
    assert [p.session.wallet.coin for p in players] == [10_000] * 3
    sat = [await host.sit(p, table, seat) for seat, p in enumerate(players)]
    assert not any(reply.HasField("refusal") for reply in sat), sat
    assert sat[0].wallet.coin == 9_000 and sat[0].wallet.escrow == 1_000
    sittings = [reply.sitting for reply in sat]

    first = hand(
        table,
        1,
        [
            (p, i, s, d)
            for i, (p, s, d) in enumerate(zip(players, sittings, [190, -110, -110], strict=True))
        ],
        fee=10,
    )
    reply = await host.settle(first)
    assert not reply.results[0].HasField("refusal"), reply
    again = await host.settle(first)
    assert again.results[0].repeated and again.results[0].entry == reply.results[0].entry

    stood = [await host.stand(sitting) for sitting in sittings]
    assert [reply.returned for reply in stood] == [1190, 890, 890]
    assert [await hall.coins(p) for p in players] == [10_190, 9_890, 9_890]
    checked = await hall.check()
    assert (checked.escrow, checked.settlements, checked.open_sittings) == (0, 1, 0)
    # Start grants, and a fee of 10 from each seat.
    flow = await hall.server.database.read(checks.coin_flow)
    assert flow == checks.CoinFlow(issued=30_000, collected=30)


async def test_repeats_get_the_first_answer_and_other_bodies_are_refused(hall: Client) -> None:
    host = await hall.host()
    table = await hall.table()
    player = await hall.guest()
    op = new_op()
    first = await host.sit(player, table, 0, op=op)
    assert await host.sit(player, table, 0, op=op) == first
    other = await host.sit(player, table, 1, op=op)
    assert other.refusal.code == "OP_REUSED"
    assert (await host.sit(player, table, 2)).refusal.code == "ALREADY_SEATED"
    stranger = await hall.guest()
    assert (await host.sit(stranger, table, 0)).refusal.code == "SEAT_TAKEN"
    poor = await host.sit(stranger, table, 1, amount=10_001)
    assert poor.refusal.code == "NOT_ENOUGH" and poor.refusal.params["have"] == "10000"
    top = data_pb2.TopUpRequest(op=new_op(), host=host.shown, sitting=first.sitting, amount=500)
    assert (await hall.ledger.TopUp(top)).stake == 1500
    assert (await hall.ledger.TopUp(top)).stake == 1500
    assert (await host.stand(first.sitting)).returned == 1500
    assert (await host.stand(first.sitting)).refusal.code == "NO_SUCH_SITTING"
    await hall.check()


async def test_a_seat_whose_sitting_is_over_is_not_given_again(hall: Client) -> None:
    """The first answer would say that its stake lies in escrow, and it does not any more."""
    host, table, player, op = await hall.host(), await hall.table(), await hall.guest(), new_op()
    first = await host.sit(player, table, 0, op=op)
    assert (await host.sit(player, table, 0, op=op)).sitting == first.sitting
    await host.stand(first.sitting)
    again = await host.sit(player, table, 0, op=op)
    assert again.refusal.code == "NO_SUCH_SITTING" and not again.sitting
    assert await hall.coins(player) == 10_000
    await hall.check()


async def test_an_older_epoch_writes_nothing(hall: Client) -> None:
    old = await hall.host()
    table = await hall.table()
    player = await hall.guest()
    sitting = (await old.sit(player, table, 0)).sitting
    new = await hall.host()
    assert new.epoch > old.epoch
    assert (await old.stand(sitting)).refusal.code == "STALE_EPOCH"
    settled = await old.settle(hand(table, 1, [(player, 0, sitting, 0)]))
    assert settled.refusal.code == "STALE_EPOCH" and not settled.results
    assert (await new.stand(sitting)).returned == 1000


async def test_scores_go_below_zero_and_the_house_takes_the_rest(hall: Client) -> None:
    host = await hall.host()
    table = await hall.table()
    a, b = await hall.guest(), await hall.guest()
    sat = [await host.sit(p, table, i, amount=0, currency=SCORE) for i, p in enumerate([a, b])]
    changes = [(a, 0, sat[0].sitting, 3), (b, 1, sat[1].sitting, -5)]
    reply = await host.settle(hand(table, 1, changes, currency=SCORE))
    assert not reply.results[0].HasField("refusal"), reply
    stood = await host.stand(sat[1].sitting)
    assert stood.wallet.scores["doudizhu.classic"] == -5 and stood.wallet.coin == 10_000
    await hall.check()


async def test_a_bad_hand_does_not_hold_up_the_others(hall: Client) -> None:
    host = await hall.host()
    table = await hall.table()
    a, b = await hall.guest(), await hall.guest()
    sat = [(await host.sit(p, table, i)).sitting for i, p in enumerate([a, b])]

    def game(number: int, delta: int, other: int | None = None) -> data_pb2.Settlement:
        second = -delta if other is None else other
        return hand(table, number, [(a, 0, sat[0], delta), (b, 1, sat[1], second)])

    reply = await host.settle(
        game(1, 100), game(2, 5000), game(3, 1, other=1), game(4, -50), game(4, -50), game(4, 7)
    )
    codes = [result.refusal.code for result in reply.results]
    assert codes == ["", "NOT_ENOUGH", "NOT_ZERO_SUM", "", "", "OP_REUSED"]
    assert [result.repeated for result in reply.results] == [False] * 4 + [True, False]
    assert (await host.stand(sat[0])).returned == 1050
    assert (await hall.check()).settlements == 2


async def test_what_a_pot_leaves_goes_back_to_who_paid(hall: Client) -> None:
    host = await hall.host()
    table = await hall.table()
    a, b = await hall.guest(), await hall.guest()
    sat = [(await host.sit(p, table, i)).sitting for i, p in enumerate([a, b])]
    changes = [(a, 0, sat[0], -30), (b, 1, sat[1], -11)]
    reply = await host.settle(hand(table, 1, changes, pot_change=41, currency=COIN))
    assert not reply.results[0].HasField("refusal"), reply
    assert (await host.stand(sat[0])).returned == 970
    assert (await hall.coins(a)) == 9_970
    assert (await host.stand(sat[1])).returned == 989
    assert [await hall.coins(a), await hall.coins(b)] == [10_000, 10_000]
    await hall.check()
