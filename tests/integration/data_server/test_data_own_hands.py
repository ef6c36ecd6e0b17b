"""A player's own finished hands: listed in pages, read by those who sat in them."""

from __future__ import annotations

import zlib

from data_hall import Client, Player, hand

from paiju.rules import record as records
from paiju.rules.record import Record, RecordedOutcome
from paiju.wire.v1 import data_pb2


def record_of(players: list[Player], table: int, number: int) -> bytes:
    return records.encode(
        Record(
            game="doudizhu", version=1, package="1.0.0", parameters="{}", table=str(table),
            hand=number, seats=[str(player.id) for player in players], bots=[False] * 3,
            wealth=None, carry={}, commitment="", contributions=[""] * 3, secret="00",
            actions=[], started_us=1, ended_us=2,
            outcome=RecordedOutcome("finished", [20, -10, -10], [0, 0, 0]),
        )
    )  # fmt: skip


async def test_own_hands_and_only_own_hands(hall: Client) -> None:
    host, table = await hall.host(), await hall.table()
    players = [await hall.guest() for _ in range(3)]
    stranger = await hall.guest()
    sittings = [(await host.sit(p, table, seat)).sitting for seat, p in enumerate(players)]
    sat = list(zip(players, sittings, [20, -10, -10], strict=True))
    for number in range(1, 26):
        booked = hand(table, number, [(p, i, s, d) for i, (p, s, d) in enumerate(sat)])
        booked.record = record_of(players, table.table, number)
        booked.ended_us += number
        assert not (await host.settle(booked)).results[0].HasField("refusal")

    async def page(player: Player, before_us: int = 0) -> data_pb2.ListHandsReply:
        asked = data_pb2.ListHandsRequest(player=player.id, before_us=before_us)
        reply: data_pb2.ListHandsReply = await hall.ledger.ListHands(asked)
        return reply

    first = (await page(players[1])).hands
    assert [found.hand for found in first.hands] == list(range(25, 5, -1))
    newest = first.hands[0]
    assert (newest.seat, list(newest.deltas), newest.game) == (1, [20, -10, -10], "doudizhu")
    assert all(newest.names)
    rest = (await page(players[1], first.before_us)).hands
    assert [found.hand for found in rest.hands] == [5, 4, 3, 2, 1] and rest.before_us == 0
    assert not (await page(stranger)).hands.hands

    async def get(player: Player, number: int) -> data_pb2.GetHandReply:
        asked = data_pb2.GetHandRequest(player=player.id, table=table.table, hand=number)
        reply: data_pb2.GetHandReply = await hall.ledger.GetHand(asked)
        return reply

    got = await get(players[2], 7)
    assert zlib.decompress(got.hand.record) == record_of(players, table.table, 7)
    assert (await get(stranger, 7)).refusal.code == "NOT_YOUR_HAND"
    assert (await get(players[2], 99)).refusal.code == "NOT_YOUR_HAND"
