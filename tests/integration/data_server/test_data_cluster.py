"""Servers, hosts, shards, leases, presence; several data servers; the sweeper."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import pytest
from data_hall import Client, Host, eventually, hand

from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, data_pb2

ROOM = "doudizhu.novice"


def beat(client_epoch: int, *hosts: Host, server: str = "gs1", **more: int) -> Any:
    return data_pb2.HeartbeatRequest(
        server=server,
        lease_epoch=client_epoch,
        players=more.get("players", 0),
        hosts=[
            data_pb2.HostCounts(
                host=host.name,
                epoch=host.epoch,
                tables=more.get("tables", 0),
                players=more.get("players", 0),
                shards=[
                    common_pb2.ShardSummary(room=ROOM, shard=0, tables=1, players=3, free_seats=9)
                ],
            )
            for host in hosts
        ],
    )


async def open_shard(client: Client, number: int = 0, **more: Any) -> data_pb2.OpenShardReply:
    reply: data_pb2.OpenShardReply = await client.cluster.OpenShard(
        data_pb2.OpenShardRequest(room=ROOM, number=number, game="doudizhu", **more)
    )
    return reply


async def nodes(client: Client) -> data_pb2.NodesReply:
    reply: data_pb2.NodesReply = await client.admin.Nodes(data_pb2.NodesRequest())
    return reply


class Time:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


async def test_epochs_of_a_host_only_rise(hall: Client) -> None:
    async def register(epoch: int) -> int:
        host = data_pb2.HostEpoch(host="h", epoch=epoch)
        reply = await hall.cluster.RegisterHost(data_pb2.RegisterHostRequest(host=host))
        granted: int = reply.epoch
        return granted

    assert [await register(n) for n in (0, 1, 5, 5, 2)] == [1, 2, 5, 6, 7]
    many = await asyncio.gather(*(register(1) for _ in range(20)))
    assert sorted(many) == list(range(8, 28))


async def test_ids_are_given_once(hall: Client) -> None:
    async def block(count: int) -> range:
        reply = await hall.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=count))
        assert reply.count == count
        return range(reply.first, reply.first + count)

    blocks = await asyncio.gather(*(block(n * 37 + 1) for n in range(30)))
    ids = [one for ids in blocks for one in ids]
    assert len(ids) == len(set(ids))
    assert (await hall.guest()).id not in ids


async def test_of_two_who_open_a_shard_both_get_the_same(hall: Client) -> None:
    await hall.host("gs1/h0")
    await hall.host("gs1/h1")
    replies = await asyncio.gather(*(open_shard(hall) for _ in range(20)))
    assert len({reply.shard.host for reply in replies}) == 1
    assert replies[0].host.alive and replies[0].host.host == replies[0].shard.host
    other = await open_shard(hall, 1)
    assert other.shard.host != replies[0].shard.host
    found = await hall.cluster.GetShards(data_pb2.GetShardsRequest(room=ROOM))
    assert [s.number for s in found.shards] == [0, 1] and len(found.hosts) == 2


async def test_a_host_keeps_its_shards_in_a_new_epoch(small: Client) -> None:
    old = await small.host()
    shard = (await open_shard(small)).shard
    assert (shard.host, shard.epoch) == (old.name, old.epoch)
    reply = await small.cluster.RegisterHost(
        data_pb2.RegisterHostRequest(
            host=data_pb2.HostEpoch(host=old.name, epoch=1), server="gs1", max_tables=10
        )
    )
    assert [(s.room, s.number, s.epoch) for s in reply.shards] == [(ROOM, 0, reply.epoch)]


async def test_counts_come_by_heartbeat(small: Client) -> None:
    host = await small.host()
    await open_shard(small)
    await small.cluster.Heartbeat(beat(1, host, players=7, tables=3))

    async def counted() -> bool:
        reply = await nodes(small)
        return reply.nodes[0].players == 7 and reply.hosts[0].tables == 3

    await eventually(counted)
    found = await small.cluster.GetShards(data_pb2.GetShardsRequest())
    assert (found.shards[0].tables, found.shards[0].free_seats) == (1, 9)


async def test_a_lease_that_is_over(start: Any) -> None:
    time = Time()
    client: Client = await start(server={"monotonic": time})
    lost = await client.host("gs1/h0")
    alive = await client.host("gs2/h0", server="gs2", max_tables=10)
    assert (await open_shard(client)).shard.host == lost.name
    for _ in range(4):
        time.now += 5
        await client.cluster.Heartbeat(beat(1, alive, server="gs2"))
        await client.server.registry.poll()
    assert {n.server: n.alive for n in (await nodes(client)).nodes} == {"gs1": False, "gs2": True}
    late = await client.cluster.Heartbeat(beat(1, lost))
    assert late.refusal.code == "LEASE_LOST"

    # whoever asks moves the shard; its old owner may come back, without it
    found = await client.cluster.GetShards(data_pb2.GetShardsRequest(room=ROOM))
    assert [s.host for s in found.shards] == [alive.name]
    assert (await open_shard(client)).shard.host == alive.name
    back = await client.host("gs1/h0")
    assert back.epoch > lost.epoch
    assert (await open_shard(client)).shard.host == alive.name
    assert all(n.alive for n in (await nodes(client)).nodes)


async def test_a_silent_host_keeps_the_shards_at_whose_tables_players_sit(start: Any) -> None:
    """It may be playing. The room goes on elsewhere under the next number."""
    time = Time()
    client: Client = await start(server={"monotonic": time})
    silent = await client.host("gs1/h0")
    alive = await client.host("gs2/h0", server="gs2", max_tables=10)
    assert (await open_shard(client)).shard.host == silent.name
    player = await client.guest()
    sitting = (await silent.sit(player, await client.table(), 0)).sitting
    for _ in range(4):
        time.now += 5
        await client.cluster.Heartbeat(beat(1, alive, server="gs2"))
        await client.server.registry.poll()
    asked = data_pb2.GetShardsRequest(room=ROOM)
    found = await client.cluster.GetShards(asked)
    assert [s.host for s in found.shards] == [silent.name] and not found.hosts[0].alive
    assert (await open_shard(client)).shard.host == silent.name
    assert (await open_shard(client, 1)).shard.host == alive.name
    await silent.stand(sitting)
    found = await client.cluster.GetShards(asked)
    assert {s.host for s in found.shards} == {alive.name}


async def test_a_shard_stays_when_there_is_no_other_host(start: Any) -> None:
    time = Time()
    client: Client = await start(server={"monotonic": time})
    host = await client.host()
    await open_shard(client)
    for _ in range(4):
        time.now += 5
        await client.server.registry.poll()
    found = await client.cluster.GetShards(data_pb2.GetShardsRequest(room=ROOM))
    assert [s.host for s in found.shards] == [host.name] and not found.hosts[0].alive
    assert (await open_shard(client)).refusal.code == "NO_HOST"


async def test_the_absence_of_the_data_server_counts_against_nobody(start: Any) -> None:
    time = Time()
    client: Client = await start(server={"monotonic": time})
    await client.host()
    time.now += 3600  # stopped, or without its database
    await client.server.registry.poll()
    assert (await nodes(client)).nodes[0].alive and (await nodes(client)).hosts[0].alive


async def test_stakes_of_a_silent_host_are_returned_once(start: Any, database_url: str) -> None:
    time = Time()
    client: Client = await start(
        database_url=database_url, escrow_release_s=60, server={"monotonic": time}
    )
    host, table = await client.host(), await client.table()
    a, b = await client.guest(), await client.guest()
    sat = [(await host.sit(p, table, i)).sitting for i, p in enumerate([a, b])]
    changes = [(a, 0, sat[0], -100), (b, 1, sat[1], 60)]
    await host.settle(hand(table, 1, changes, pot_change=40))
    for _ in range(10):
        time.now += 5
        await client.server.registry.poll()
    await client.server.jobs.sweep()
    assert (await client.check()).open_sittings == 2
    for _ in range(3):
        time.now += 5
        await client.server.registry.poll()
    await asyncio.gather(*(client.server.jobs.sweep() for _ in range(3)))
    assert [await client.coins(a), await client.coins(b)] == [9_940, 10_060]
    checked = await client.check()
    assert (checked.open_sittings, checked.escrow) == (0, 0)

    # the host comes back: a void hand is taken, one that moves money needs an operator
    late = await host.settle(
        hand(table, 2, [(a, 0, sat[0], 0), (b, 1, sat[1], 0)]),
        hand(table, 3, [(a, 0, sat[0], 1), (b, 1, sat[1], -1)]),
    )
    assert [r.refusal.code for r in late.results] == ["", "NO_SUCH_SITTING"]


async def test_a_server_that_lost_its_lease_keeps_its_players(hall: Client) -> None:
    player = await hall.guest()
    online = data_pb2.PresenceChange(
        player=player.id, session_epoch=player.session.session_epoch, online=True
    )
    request = data_pb2.RegisterServerRequest(server="gs1", cell="c")
    for again, here in ((False, False), (True, True)):
        await hall.cluster.RegisterServer(request)
        await hall.cluster.Presence(data_pb2.PresenceRequest(server="gs1", changes=[online]))
        request.again = again
        await hall.cluster.RegisterServer(request)
        found = await hall.cluster.FindPlayer(data_pb2.FindPlayerRequest(player=player.id))
        assert found.online == here
        request.again = False


async def test_who_has_room_is_named_and_nobody_else(start: Any) -> None:
    moved = Time()
    small: Client = await start(server={"monotonic": moved})

    async def register(server: str, players: int, **more: Any) -> None:
        request = data_pb2.RegisterServerRequest(
            server=server,
            cell="c",
            max_players=10,
            address=f"{server}.example:7700",
            web_addresses=[f"ws://{server}.example:7710", f"wss://{server}.example", "x" * 200],
            **more,
        )
        lease = (await small.cluster.RegisterServer(request)).lease_epoch
        await small.cluster.Heartbeat(beat(lease, server=server, players=players))

    await register("silent", 1)
    for _ in range(4):
        moved.now += 5
        await small.server.registry.poll()
    for server, players in (("full", 10), ("half", 5), ("empty", 0), ("drains", 0), ("asks", 0)):
        await register(server, players)
    drain = data_pb2.DrainServerRequest(op=new_op(), server="drains", on=True, reason="t")
    await small.admin.DrainServer(drain)
    await small.server.registry.flush()
    reply = await small.cluster.Elsewhere(data_pb2.ElsewhereRequest(server="asks"))
    assert list(reply.addresses) == ["empty.example:7700", "half.example:7700"]
    assert list(reply.web_addresses) == [
        *("ws://empty.example:7710", "wss://empty.example"),
        *("ws://half.example:7710", "wss://half.example"),
    ]
    found = await small.admin.Nodes(data_pb2.NodesRequest())
    assert {node.address for node in found.nodes} >= {"full.example:7700", "empty.example:7700"}


async def test_presence_and_finding(hall: Client) -> None:
    await hall.host()
    player = await hall.guest()

    async def tell(online: bool, epoch: int, server: str = "gs1") -> None:
        change = data_pb2.PresenceChange(player=player.id, session_epoch=epoch, online=online)
        await hall.cluster.Presence(data_pb2.PresenceRequest(server=server, changes=[change]))

    async def find(**by: Any) -> data_pb2.FindPlayerReply:
        reply: data_pb2.FindPlayerReply = await hall.cluster.FindPlayer(
            data_pb2.FindPlayerRequest(**by)
        )
        return reply

    assert not (await find(player=player.id)).online
    await tell(True, 2)
    found = await find(name=player.session.profile.name.upper())
    assert found.online and found.server == "gs1" and found.profile.player == player.id
    await tell(True, 1, server="gs9")  # an older session
    await tell(False, 1)
    assert (await find(player=player.id)).server == "gs1"
    await tell(False, 2)
    assert not (await find(player=player.id)).online
    assert (await find(name="nobody here")).refusal.code == "NO_SUCH_PLAYER"


async def test_a_report_is_kept_once(small: Client) -> None:
    a, b = await small.guest(), await small.guest()
    request = data_pb2.ReportRequest(op=new_op(), reporter=a.id)
    request.report.player, request.report.kind = b.id, "abuse"
    for _ in range(2):
        assert not (await small.cluster.Report(request)).HasField("refusal")
    request.report.kind = ""
    request.op = new_op()
    assert (await small.cluster.Report(request)).refusal.code == "BAD_REPORT"


@pytest.fixture
async def pair(start: Any, postgres_url: str) -> tuple[Client, Client]:
    """Two data servers of one hall, over one PostgreSQL."""
    more = {"lease_s": 4, "poll_s": 0.1}
    first = await start(database_url=postgres_url, **more)
    return first, await start(database_url=postgres_url, **more)


async def test_two_data_servers_see_the_same_cluster(pair: tuple[Client, Client]) -> None:
    first, second = pair
    host = await first.host()

    async def seen() -> bool:
        reply = await nodes(second)
        return bool(reply.nodes) and reply.nodes[0].alive and reply.hosts[0].alive

    await eventually(seen)
    # a heartbeat may go to either of them
    assert not (await second.cluster.Heartbeat(beat(1, host))).HasField("refusal")
    opened = await asyncio.gather(*(open_shard(c) for c in pair * 10))
    assert {reply.shard.host for reply in opened} == {host.name}
    ids = await asyncio.gather(
        *(c.cluster.AllocateIds(data_pb2.AllocateIdsRequest(count=10)) for c in pair * 10)
    )
    assert len({reply.first for reply in ids}) == 20
    drain = data_pb2.DrainServerRequest(op=new_op(), server="gs1", on=True, reason="test")
    await first.admin.DrainServer(drain)

    async def told() -> bool:
        reply = await second.cluster.Heartbeat(beat(1, host))
        return bool(reply.drain)

    await eventually(told)


async def test_two_data_servers_tell_of_each_others_sessions(
    pair: tuple[Client, Client],
) -> None:
    first, second = pair
    secret = secrets.token_bytes(32)
    stream = second.cluster.Follow(data_pb2.FollowRequest(server="gs1"))

    async def followed() -> bool:
        return second.server.followers.count() == 1

    await eventually(followed)
    player = await first.guest(secret=secret)
    newer = await first.guest(secret=secret, server="gs2")
    event = (await asyncio.wait_for(stream.read(), 10)).session_ended
    assert (event.player, event.below_epoch) == (player.id, newer.epoch)
    renew = data_pb2.RenewRequest(op=new_op(), refresh_token=newer.session.refresh_token)
    assert (await second.accounts.Renew(renew)).session.session_epoch == newer.epoch
    stream.cancel()


async def test_two_data_servers_book_a_hand_once(pair: tuple[Client, Client]) -> None:
    first, second = pair
    host, table = await first.host(), await first.table()
    a, b = await first.guest(), await second.guest()
    sat = [(await host.sit(p, table, i)).sitting for i, p in enumerate([a, b])]
    other = Host(second, host.name, host.epoch)
    for number in range(1, 11):
        one = hand(table, number, [(a, 0, sat[0], 5), (b, 1, sat[1], -5)])
        replies = await asyncio.gather(*(h.settle(one) for h in (host, other) * 5))
        assert sum(not reply.results[0].repeated for reply in replies) == 1
    op = new_op()
    stood = await asyncio.gather(host.stand(sat[0], op=op), other.stand(sat[0], op=op))
    assert [reply.returned for reply in stood] == [1050, 1050]
    await second.check()
