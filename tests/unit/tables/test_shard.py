"""The room shard: quick join fills tables, never gives a seat twice."""

from __future__ import annotations

import random
from itertools import count

import pytest

from game_server.tables.moment import Moment
from game_server.tables.shard import SPARE_TABLES, Shard
from game_server.tables.table import Table
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2
from tests.unit.tables.harness import ROOM, SEALER, entropy

GAME = Registry.default().latest(ROOM.game, dict(ROOM.parameters))


def make_shard(*, max_tables: int = 50) -> Shard:
    draw = entropy("shard")

    def make_table(ref: common_pb2.TableRef, lock: str) -> Table:
        table = Table(
            ref=ref,
            room=ROOM,
            game=GAME,
            package="1.0.0",
            epoch=1,
            entropy=draw,
            sealer=SEALER,
            lock=lock,
        )
        table.open(at=Moment(0, 0))
        return table

    numbers = count(1)
    return Shard(
        room=ROOM,
        number=0,
        max_tables=max_tables,
        seats=3,
        make_table=make_table,
        next_id=lambda: next(numbers),
    )


@pytest.mark.parametrize("chunk", range(4))
def test_thirty_quick_joins_fill_ten_tables_in_any_order(chunk: int) -> None:
    """1,000 seeded orders of reserving, answering, refusing and asking again."""
    for seed in range(chunk * 250, chunk * 250 + 250):
        order = random.Random(seed)
        shard = make_shard()
        players = list(range(1, 31))
        order.shuffle(players)
        waiting: list[tuple[Table, int, int]] = []
        sitting = count(1)
        while players or waiting:
            if players and (not waiting or order.random() < 0.6):
                player = players.pop()
                table, seat = shard.quick_join(player=player, name="x")
                waiting.append((table, seat, player))
                with pytest.raises(Refused, match="ALREADY_SEATED"):
                    shard.quick_join(player=player, name="x")
                continue
            table, seat, player = waiting.pop(order.randrange(len(waiting)))
            if order.random() < 0.15:  # the data server refuses; the player asks again
                table.roster.unreserve(seat)
                shard.freed(player, table)
                players.append(player)
            else:
                table.seated(seat, sitting=next(sitting), stake=1000, at=Moment(0, 0))
        filled = [len(t.seats) - len(t.roster.free()) for t in shard if not t.empty]
        assert sorted(filled) == [3] * 10, f"seed {seed}"
        assert shard.summary().players == 30


def test_a_full_shard_says_so() -> None:
    shard = make_shard(max_tables=1)
    for player in range(3):
        shard.quick_join(player=player, name="x")
    with pytest.raises(Refused, match="ROOM_FULL"):
        shard.quick_join(player=9, name="x")
    assert shard.summary().free_seats == 0


def test_empty_tables_are_closed_but_some_stay_to_sit_at() -> None:
    shard = make_shard()
    for _ in range(6):
        shard.open_table()
    shard.sit(shard.table(6), player=1, name="x", seat=2)
    closed = shard.close_spare()
    assert len(closed) == 5 - SPARE_TABLES
    assert 6 in shard.tables
    change = shard.grid_change()
    assert change is not None
    assert sorted(change.closed) == [t.ref.table for t in closed]
    assert shard.grid_change() is None
