"""Hosts of silent servers go to others and home again; who may start one is decided once."""

from __future__ import annotations

from typing import Any

import pytest
from data_hall import Client, Host

from data_server.takeover import Able, choose_keeper
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

JOURNAL = "j" * 64


class Time:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Cell:
    """Game servers with a host each; `wait` lets those named beat until the time is over."""

    def __init__(self, client: Client, time: Time) -> None:
        self.client = client
        self.time = time
        self.leases: dict[str, int] = {}
        self.hosts: dict[str, Host] = {}

    async def join(self, server: str, *, journal: str = JOURNAL, games: tuple = ("a",)) -> None:
        await self.register(server)
        host = f"{server}-0"
        reply = await self.register_host(host, server, journal=journal, games=games)
        self.hosts[server] = Host(self.client, host, reply.epoch)

    async def register(self, server: str) -> None:
        reply = await self.client.cluster.RegisterServer(
            data_pb2.RegisterServerRequest(server=server, cell="c", games=["a", "b"])
        )
        self.leases[server] = reply.lease_epoch

    async def register_host(self, host: str, server: str, **more: Any) -> Any:
        return await self.client.cluster.RegisterHost(
            data_pb2.RegisterHostRequest(
                host=data_pb2.HostEpoch(host=host, epoch=1),
                server=server,
                cell="c",
                max_tables=10,
                journal=more.pop("journal", JOURNAL),
                **more,
            )
        )

    async def sit(self, server: str) -> None:
        player, table = await self.client.guest(), await self.client.table()
        await self.hosts[server].sit(player, table, 0)

    async def beat(self, server: str, **more: Any) -> data_pb2.HeartbeatReply:
        counts = [data_pb2.HostCounts(host=self.hosts[server].name, epoch=1)]
        reply: data_pb2.HeartbeatReply = await self.client.cluster.Heartbeat(
            data_pb2.HeartbeatRequest(
                server=server, lease_epoch=self.leases[server], hosts=counts, **more
            )
        )
        return reply

    async def adopts(self, server: str) -> dict[str, str]:
        return {one.host: one.home for one in (await self.beat(server)).adopt}

    async def claim(self, server: str, host: str, home: str) -> str:
        reply = await self.client.cluster.ClaimHost(
            data_pb2.ClaimHostRequest(
                server=server, lease_epoch=self.leases[server], host=host, home=home
            )
        )
        code: str = reply.refusal.code
        return code

    async def look(self) -> None:
        await self.client.server._poll()

    async def wait(self, seconds: int, *alive: str) -> None:
        for _ in range(seconds):
            self.time.now += 1
            for server in alive:
                await self.beat(server)
            await self.look()


@pytest.fixture
async def cell(start: Any, database_url: str) -> Cell:
    time = Time()
    client: Client = await start(server={"monotonic": time}, database_url=database_url)
    for job in client.server._tasks:  # only the test looks, at moments of its own
        job.cancel()
    found = Cell(client, time)
    await found.look()
    found.time.now += 10
    await found.look()
    for server in ("gs1", "gs2", "gs3"):
        await found.join(server)
    await found.wait(8, "gs1", "gs2", "gs3")
    return found


async def test_a_silent_servers_host_goes_to_another_and_home_again(cell: Cell) -> None:
    await cell.sit("gs1")
    await cell.wait(5, "gs2", "gs3")
    assert await cell.adopts("gs2") == await cell.adopts("gs3") == {}
    await cell.wait(2, "gs2", "gs3")
    found = {s: await cell.adopts(s) for s in ("gs2", "gs3")}
    (keeper,) = (s for s, adopts in found.items() if adopts)
    (other,) = {"gs2", "gs3"} - {keeper}
    assert found[keeper] == {"gs1-0": "gs1"}
    assert await cell.claim(other, "gs1-0", "gs1") == "HOST_ELSEWHERE"
    assert await cell.claim(keeper, "gs1-0", "gs1") == ""
    taken = await cell.register_host("gs1-0", keeper, home="gs1")
    assert taken.epoch > cell.hosts["gs1"].epoch
    refused = await cell.register_host("gs1-0", other, home="gs1")
    assert refused.refusal.code == "HOST_ELSEWHERE"

    # It was only silent: its lease is over, and it claims what is its own before it starts it.
    assert (await cell.beat("gs1")).refusal.code == "LEASE_LOST"
    assert await cell.claim("gs1", "gs1-0", "gs1") == "LEASE_LOST"
    await cell.register("gs1")
    await cell.look()
    assert await cell.adopts(keeper) == {"gs1-0": "gs1"}, "until it can start it"
    assert await cell.claim("gs1", "gs1-0", "gs1") == ""
    assert await cell.adopts(keeper) == {}
    assert await cell.claim(keeper, "gs1-0", "gs1") == "HOST_ELSEWHERE"
    assert (await cell.register_host("gs1-0", "gs1")).epoch > taken.epoch
    late = await cell.register_host("gs1-0", keeper, home="gs1")
    assert late.refusal.code == "HOST_ELSEWHERE"


async def test_a_keeper_that_is_lost_too_passes_it_on(cell: Cell) -> None:
    await cell.sit("gs1")
    await cell.wait(7, "gs2", "gs3")
    (keeper,) = [s for s in ("gs2", "gs3") if await cell.adopts(s)]
    (last,) = {"gs2", "gs3"} - {keeper}
    await cell.register_host("gs1-0", keeper, home="gs1")
    await cell.sit(keeper)
    await cell.wait(8, last)
    assert await cell.adopts(last) == {"gs1-0": "gs1", f"{keeper}-0": keeper}


async def test_who_says_goodbye_is_not_waited_for(cell: Cell) -> None:
    await cell.sit("gs1")
    await cell.beat("gs1", leaving=True)
    await cell.wait(1, "gs2", "gs3")
    assert len(await cell.adopts("gs2")) + len(await cell.adopts("gs3")) == 1


async def test_a_server_hears_whether_another_could_go_on(cell: Cell) -> None:
    assert (await cell.beat("gs1")).heir
    await cell.register_host("gs1-0", "gs1", journal="")
    await cell.wait(1, "gs1", "gs2", "gs3")
    assert [(await cell.beat(s)).heir for s in ("gs1", "gs2", "gs3")] == [False, True, True]
    await cell.wait(8, "gs2")
    assert not (await cell.beat("gs2")).heir, "nobody with its journal is left"


async def test_an_end_that_is_repeated_ends_nobody(cell: Cell) -> None:
    ended: list[int] = []
    office = cell.client.server.services.office
    order = data_pb2.EndDataServerRequest(op=new_op(), reason="test")
    for _ in range(2):
        await office.end_data_server(order, who="test", end=lambda: ended.append(1))
    assert ended == [1]


async def test_what_nobody_sits_at_or_shares_stays(cell: Cell) -> None:
    await cell.register_host("gs2-0", "gs2", journal="")
    await cell.sit("gs2")
    await cell.wait(20, "gs3")
    assert await cell.adopts("gs3") == {}, "gs1: nobody sits there; gs2: its journal is a file"


async def test_our_own_absence_is_charged_to_nobody(cell: Cell) -> None:
    await cell.sit("gs1")
    cell.time.now += 30  # this data server stood still
    await cell.look()
    assert await cell.adopts("gs2") == {}
    await cell.wait(5, "gs2", "gs3")
    assert await cell.adopts("gs2") == await cell.adopts("gs3") == {}
    await cell.wait(3, "gs2", "gs3")
    assert len(await cell.adopts("gs2")) + len(await cell.adopts("gs3")) == 1


async def test_a_roll_is_asked_for_and_told(cell: Cell) -> None:
    async def asked() -> Any:
        return await cell.client.admin.RollServer(
            data_pb2.RollServerRequest(op=new_op(), server="gs1", reason="test")
        )

    assert [(await asked()).roll, (await asked()).roll] == [1, 2]
    assert (await cell.beat("gs1")).roll == 2 and (await cell.beat("gs2")).roll == 0
    await cell.beat("gs1", rolled=1, rolling="gs1-0 (2/2)")
    await cell.client.server.registry.flush()
    reply = await cell.client.admin.Nodes(data_pb2.NodesRequest())
    (node,) = (node for node in reply.nodes if node.server == "gs1")
    assert (node.roll, node.rolled, node.rolling) == (2, 1, "gs1-0 (2/2)")
    unknown = data_pb2.RollServerRequest(op=new_op(), server="gs9", reason="test")
    assert (await cell.client.admin.RollServer(unknown)).refusal.code == "NO_SUCH_SERVER"


async def test_hosts_of_one_machine_are_spread(cell: Cell) -> None:
    await cell.register_host("gs1-1", "gs1")
    for number in (0, 1):
        cell.hosts["gs1"] = Host(cell.client, f"gs1-{number}", 1 << 40)
        await cell.sit("gs1")
    await cell.wait(8, "gs2", "gs3")
    assert [len(await cell.adopts(s)) for s in ("gs2", "gs3")] == [1, 1]


async def test_another_journal_or_cell_is_no_help(cell: Cell) -> None:
    await cell.register_host("gs2-0", "gs2", journal="k" * 64)
    await cell.register_host("gs3-0", "gs3", games=["a", "c"])
    await cell.register_host("gs1-0", "gs1", games=["a", "b"])
    cell.hosts["gs1"] = Host(cell.client, "gs1-0", 1 << 40)
    await cell.sit("gs1")
    await cell.wait(20, "gs2", "gs3")
    assert await cell.adopts("gs2") == await cell.adopts("gs3") == {}


def test_the_keeper_has_all_games_and_least_to_do() -> None:
    games = frozenset({"a", "b"})
    able = [Able("busy", games, 90), Able("idle", games, 3), Able("few", frozenset({"a"}), 0)]
    assert choose_keeper(able, games=games) == "idle"
    assert choose_keeper(able, games=games, but="idle") == "busy"
    assert choose_keeper(able, games=frozenset({"c"})) is None
