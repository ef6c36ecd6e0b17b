"""The map of shards: which one a quick join goes to, and what corrects it."""

from __future__ import annotations

from game_server.gateway.shards import ShardMap
from paiju.wire.v1 import common_pb2, data_pb2, host_pb2

ROOM = "doudizhu.novice"


def host(
    name: str, *, alive: bool = True, draining: bool = False, epoch: int = 1
) -> data_pb2.HostInfo:
    return data_pb2.HostInfo(host=name, epoch=epoch, alive=alive, draining=draining)


def shard(number: int, players: int, free: int, *, at: str = "a") -> data_pb2.Shard:
    return data_pb2.Shard(
        room=ROOM, number=number, host=at, epoch=1, players=players, tables=1, free_seats=free
    )


def made(*shards: data_pb2.Shard) -> ShardMap:
    known = ShardMap()
    known.replace(shards, [host("a"), host("b"), host("c", alive=False), host("d", draining=True)])
    return known


def numbers(known: ShardMap) -> list[int]:
    return [info.number for info in known.candidates(ROOM)]


def test_the_fullest_with_room_comes_first() -> None:
    known = made(shard(0, 100, 0), shard(1, 10, 90), shard(2, 95, 5), shard(3, 50, 50))
    assert numbers(known) == [2, 3, 1]
    assert not known.wants_another(ROOM)


def test_dead_and_draining_hosts_get_nobody() -> None:
    known = made(shard(0, 1, 9, at="c"), shard(1, 1, 9, at="d"), shard(2, 1, 9, at="gone"))
    assert numbers(known) == []
    assert known.wants_another(ROOM)
    assert known.next_number(ROOM) == 3


def test_above_the_mark_another_is_wanted() -> None:
    assert made(shard(0, 81, 19), shard(1, 100, 0)).wants_another(ROOM)
    assert not made(shard(0, 80, 20)).wants_another(ROOM)
    assert made().wants_another(ROOM)


def test_our_own_joins_and_refusals_count_until_the_next_summary() -> None:
    known = made(shard(0, 8, 2))
    known.joined((ROOM, 0))
    known.joined((ROOM, 0))
    assert numbers(known) == []
    counts = common_pb2.ShardSummary(room=ROOM, shard=0, players=8, tables=2, free_seats=2)
    known.summary("another", counts)
    assert numbers(known) == [], "only its owner knows how full a shard is"
    known.summary("a", counts)
    assert numbers(known) == [0]
    known.full((ROOM, 0))
    assert numbers(known) == []
    known.summary("a", common_pb2.ShardSummary(room="other", shard=0))


def test_a_shard_just_opened_has_room_although_nobody_has_counted() -> None:
    known = made()
    reply = data_pb2.OpenShardReply(
        shard=data_pb2.Shard(room=ROOM, number=0, host="a", epoch=1), host=host("a")
    )
    assert known.opened(reply) == []
    assert numbers(known) == [0]
    assert not known.wants_another(ROOM)
    known.replace([reply.shard], [host("a")])
    assert numbers(known) == [0]
    known.full((ROOM, 0))
    known.replace([reply.shard], [host("a")])
    assert numbers(known) == []


def test_moves_are_noticed() -> None:
    known = made(shard(0, 1, 9), shard(1, 1, 9))
    assert known.replace([shard(0, 1, 9, at="b"), shard(1, 1, 9)], [host("a"), host("b")]) == [
        (ROOM, 0)
    ]
    key = ROOM, 0
    assert known.correct(key, host_pb2.Moved(host="a", epoch=4))
    assert not known.correct(key, host_pb2.Moved(host="a", epoch=4))
    assert not known.correct(key, host_pb2.Moved(host="a", epoch=3))
    assert not known.correct((ROOM, 9), host_pb2.Moved(host="a", epoch=3))
    assert set(known.of_host("a")) == {(ROOM, 0), (ROOM, 1)}
    assert known.counts(ROOM) == (2, 2)
    known.replace([], [])
    assert known.shard(key) is None
