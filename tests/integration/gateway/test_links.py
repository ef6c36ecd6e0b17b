"""The streams to hosts: opening, cuts, subscribing again, Moved, idleness, overflow."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from game_server.gateway.links import Links
from game_server.gateway.metrics import Metrics
from game_server.gateway.stream import LinkConfig, Sent
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2

from .conftest import ROOM, World, until
from .fake_host import SECRET, FakeHost


async def test_a_cut_stream_is_opened_again_and_subscribed_with_the_cursors(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    await client.send(client.act(table), client.act(table))
    await until(lambda: client.steps() == [2, 3])
    watches = world.host.kinds().count("watch")
    world.host.cut()
    world.host.step(table.table)  # while nobody is subscribed
    await until(lambda: "TABLE_RECOVERING" in client.notices())
    await until(lambda: client.steps() == [2, 3, 4])
    watch = [c for c in world.host.log if c.WhichOneof("body") == "watch"][watches]
    assert (watch.watch.cursor.epoch, watch.watch.cursor.seq) == (1, 3)
    assert client.notices() == ["TABLE_RECOVERING"]
    assert client.snapshots() == [1]
    world.host.step(table.table)
    await until(lambda: client.steps() == [2, 3, 4, 5])
    assert world.host.opened == 2


async def test_commands_in_flight_at_a_cut_are_answered_with_retry(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    world.host.silent = True
    command = client.act(table)
    await client.send(command)
    await until(lambda: "act" in world.host.kinds())
    world.host.cut()
    answer = await client.answer(command.id)
    assert answer.refusal.code == "RETRY"
    assert answer.refusal.retry_after_ms > 0
    world.host.silent = False
    await until(lambda: world.host.opened == 2)
    await client.send(command)  # the same op again
    await until(lambda: client.steps() == [2])


async def test_a_host_that_comes_back_in_a_new_epoch_is_found(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    await world.host.stop()
    await until(lambda: "TABLE_RECOVERING" in client.notices())
    refused = await client.ask(act=hall_pb2.Act(table=table, action="pass"))
    assert refused.refusal.code == "RETRY"
    world.host.epoch = 2
    await world.host.start()
    world.data.add_host(world.host.info(), (ROOM, 0))
    world.host.step(table.table)
    await until(lambda: client.steps() == [2])
    assert client.updates[-1].table.epoch == 2 or client.steps() == [2]
    assert client.notices() == ["TABLE_RECOVERING"]


async def test_a_shard_that_moved_is_followed_with_its_subscriptions(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    other = FakeHost("host-1", world.folder)
    other.seq, other.ring = world.host.seq, world.host.ring
    await other.start()
    world.data.add_host(other.info(), (ROOM, 0))
    world.host.answer = lambda c: host_pb2.HostAnswer(moved=host_pb2.Moved(host="host-1", epoch=1))
    command = client.act(table)
    await client.send(command)
    assert (await client.answer(command.id)).acted.seq == 2
    await until(lambda: client.steps() == [2])
    assert [c.op for c in other.log if c.op] == [command.op]
    assert client.notices() == ["TABLE_RECOVERING"]
    await other.stop()


async def test_hosts_that_send_each_other_the_blame_end_in_retry(world: World) -> None:
    other = FakeHost("host-1", world.folder)
    await other.start()
    world.data.add_host(other.info())
    for host, to in ((world.host, "host-1"), (other, "host-0")):
        host.answer = lambda c, to=to: host_pb2.HostAnswer(moved=host_pb2.Moved(host=to, epoch=1))
    client = world.client()
    await client.guest()
    answer = await client.ask(
        sit=hall_pb2.Sit(table=common_pb2.TableRef(room=ROOM, table=500), seat=1)
    )
    assert answer.refusal.code == "RETRY"
    await other.stop()


async def test_a_closed_table_is_said_to_be_gone(world: World) -> None:
    client = world.client()
    await client.guest()
    await client.join()
    world.host.answer = lambda c: (
        host_pb2.HostAnswer(refusal=common_pb2.Refusal(code="NO_SUCH_TABLE"))
        if c.WhichOneof("body") == "watch"
        else None
    )
    world.host.cut()
    await until(lambda: client.notices() == ["TABLE_RECOVERING", "TABLE_GONE"])
    notice = client.updates[-1].notice
    assert notice.table.table == 500
    assert notice.text


async def test_the_seat_of_a_repeat_is_watched_although_no_snapshot_follows(world: World) -> None:
    client = world.client()
    await client.guest()
    world.host.silent = True
    command = client.command(quick_join=hall_pb2.QuickJoin(room=ROOM))
    await client.send(command)
    await until(lambda: "quick_join" in world.host.kinds())
    (writer,) = world.host._writers
    world.host._command(writer, world.host.log[-1])
    world.host.cut()  # the answer may be lost with the stream
    world.host.silent = False
    await until(lambda: [u for u in client.updates if u.answer.id == command.id])
    if client.snapshots():
        return
    client.updates.clear()
    await until(lambda: world.gateway._links.retry_after_s("host-0") == 0)
    await client.send(command)
    assert (await client.answer(command.id)).seated.table.table == 500
    await until(client.snapshots)


async def test_a_late_answer_is_a_refusal(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    world.host.silent = True
    command = client.act(table)
    await client.send(command)
    await until(lambda: "act" in world.host.kinds())
    (stream,) = world.gateway._links._streams.values()
    stream.expire(time.monotonic() + 60)
    assert (await client.answer(command.id)).refusal.code == "RETRY"


async def test_detach_ends_the_subscription(world: World) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    world.host.to_all(host_pb2.HostEvent(detach=host_pb2.Detach(player=101, table=table.table)))
    world.host.step(table.table)
    assert (await client.ask(ping=hall_pb2.Ping(nonce=1))).pong.nonce == 1
    await client.ask(unwatch=hall_pb2.Unwatch(table=table))
    assert client.steps() == []


class Ear:
    """Events of links, kept."""

    def __init__(self) -> None:
        self.answers: list[host_pb2.HostAnswer] = []
        self.refusals: list[Refused] = []
        self.cuts: list[bool] = []

    def link_answer(self, sent: Sent, answer: host_pb2.HostAnswer) -> None:
        self.answers.append(answer)

    def link_event(self, host: str, event: host_pb2.HostEvent) -> None: ...

    def link_cut(self, host: str, *, was_open: bool) -> None:
        self.cuts.append(was_open)

    def host_answered(self, ref: int, answer: host_pb2.HostAnswer) -> None: ...

    def host_failed(self, ref: int, refused: Refused) -> None:
        self.refusals.append(refused)

    def sent(self) -> Sent:
        command = host_pb2.HostCommand(player=1, unwatch=hall_pb2.Unwatch())
        return Sent(self, 1, ROOM, 0, command, set())


def make(ear: Ear, **changes: object) -> Links:
    config: dict[str, object] = {
        "cell": "cell", "secret": SECRET, "gateway": "g", "machine": "m1", **changes,
    }  # fmt: skip
    return Links(config=LinkConfig(**config), events=ear, metrics=Metrics())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "mine, theirs, code",
    [
        ({"secret": b"another secret of the tests"}, {}, "LINK_MISMATCH"),
        ({}, {"epoch": 9}, "STALE_EPOCH"),
        ({}, {"cell": "other"}, "LINK_MISMATCH"),
    ],
)
async def test_who_is_not_meant_is_refused(
    tmp_path: Path, mine: dict[str, object], theirs: dict[str, object], code: str
) -> None:
    host = FakeHost("host-0", tmp_path)
    await host.start()
    ear = Ear()
    links = make(ear, **mine)
    links.send(host.info(**theirs), ear.sent())
    await until(lambda: ear.refusals)
    assert ear.refusals[0].code == "RETRY"
    assert host.refused == [code]
    assert ear.cuts == [False]
    links.send(host.info(**theirs), ear.sent())  # at once again: backed off
    assert ear.refusals[1].retry_after_ms > 0
    assert host.opened == 0
    await links.close()
    await host.stop()


async def test_a_stream_that_nobody_uses_is_closed(tmp_path: Path) -> None:
    host = FakeHost("host-0", tmp_path)
    await host.start()
    ear = Ear()
    links = make(ear, idle_s=0.05)
    links.send(host.info(), ear.sent())
    await until(lambda: ear.answers)
    links.sweep({"host-0"})
    assert "host-0" in links
    await until(lambda: (links.sweep({"host-0"}), links.sweep(set()), "host-0" not in links)[2])
    assert ear.cuts == [True]
    links.send(host.info(), ear.sent())  # no back-off after idleness
    await until(lambda: len(ear.answers) == 2)
    await links.close()
    await host.stop()


async def test_a_host_that_does_not_read_is_cut(tmp_path: Path) -> None:
    host = FakeHost("host-0", tmp_path)
    await host.start()
    ear = Ear()
    links = make(ear, queue_bytes=200_000)
    links.send(host.info(), ear.sent())
    await until(lambda: ear.answers)
    (writer,) = host._writers
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    command = host_pb2.HostCommand(player=1, chat=hall_pb2.Chat(text="x" * 1000))
    for _ in range(5000):
        links.send(host.info(), Sent(ear, 1, ROOM, 0, command, set()))
        if ear.cuts:
            break
        await asyncio.sleep(0)
    assert ear.cuts == [True]
    assert {refused.code for refused in ear.refusals} == {"RETRY"}
    await links.close()
    await host.stop()


async def test_too_many_commands_without_an_answer_are_refused_one_by_one(tmp_path: Path) -> None:
    """Whoever fills the queue does not cut the stream of all the others."""
    host = FakeHost("host-0", tmp_path)
    host.silent = True
    await host.start()
    ear = Ear()
    links = make(ear, queue_commands=10)
    for _ in range(13):
        links.send(host.info(), ear.sent())
    assert [refused.code for refused in ear.refusals] == ["RETRY"] * 3 and not ear.cuts
    await until(lambda: len(host.log) == 10)
    assert "host-0" in links
    await links.close()
    await host.stop()


async def test_tcp_between_machines(tmp_path: Path) -> None:
    host = FakeHost("host-0", tmp_path)
    server = await asyncio.start_server(host._serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    ear = Ear()
    links = make(ear)
    info = host.info(machine="m2", tcp_address=f"127.0.0.1:{port}")
    links.send(info, ear.sent())
    await until(lambda: ear.answers)
    assert links.retry_after_s("host-0") == 0
    await links.close()
    nowhere = make(ear)
    nowhere.send(data_pb2.HostInfo(host="h", machine="m3", unix_path="/nowhere"), ear.sent())
    await until(lambda: ear.refusals)
    await nowhere.close()
    server.close()
    host.cut()


async def test_a_host_that_says_nothing_is_given_up(tmp_path: Path) -> None:
    async def mute(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    host = FakeHost("host-0", tmp_path)
    server = await asyncio.start_unix_server(mute, host.path)
    ear = Ear()
    links = make(ear, open_s=0.05)
    links.send(host.info(), ear.sent())
    await until(lambda: ear.refusals)
    await links.close()
    server.close()


async def test_garbage_from_a_host_cuts_the_stream(world: World) -> None:
    from paiju.wire import frames

    client = world.client()
    await client.guest()
    await client.join()
    (writer,) = world.host._writers
    writer.write(frames.pack(b"\xff\xff\xff"))
    await until(lambda: world.host.opened == 2)
    await until(lambda: client.notices() == ["TABLE_RECOVERING"])
