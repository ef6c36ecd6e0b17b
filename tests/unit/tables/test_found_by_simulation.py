"""Each a fault that tests/sim has found, in as few steps as show it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast

import pytest

from game_server.data_client import DataClient
from game_server.tables import epochs
from game_server.tables.calls import HostCalls
from game_server.tables.contact import Contact
from game_server.tables.links import LinkServer
from game_server.tables.play_clock import STILL_S, PlayClock
from paiju.rules import views
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire import frames, link
from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2, host_pb2
from tests.unit.tables.host_rig import Rig, until


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(f"sqlite:///{tmp_path}/journal.db")
    yield rig
    rig.ledger.gate.set()
    await rig.kill()


def _gone(rig: Rig, link: Any, player: int) -> None:
    gone = host_pb2.HostCommand(player=player, session_epoch=1, connection=1, gone=host_pb2.Gone())
    rig.host.handle(link, gone)


def _seat_of_board(link: Any, player: int) -> int | None:
    """The seat that the player's last snapshot is of."""
    boards = [u.snapshot.seat for u in link.updates(player) if u.HasField("snapshot")]
    return boards[-1] if boards else None


async def test_who_lost_the_seat_while_away_gets_the_board_of_a_spectator_as_a_whole(
    rig: Rig,
) -> None:
    """The tail of the ring is in a spectator's form: on the seat's own board it is wrong."""
    first, second = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(first, 1)).seated.table
    await rig.join(first, 2)
    await until(lambda: first.updates(1))
    seq = first.updates(1)[-1].seq
    first.closed = True
    rig.host.link_closed(first)  # type: ignore[arg-type]
    shard, table = rig.host.desk.find(ref.table)  # type: ignore[misc]
    rig.host.desk.step(shard, table, lambda t: t.leave(0, "away", at=rig.host.desk.at()))
    await until(lambda: table.seats[0] is None)
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=seq)
    await rig.ask(second, 1, connection=2, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    await until(lambda: second.updates(1))
    assert [update.WhichOneof("kind") for update in second.updates(1)] == ["snapshot"]
    assert second.updates(1)[0].snapshot.seat == -2
    # From there on a cursor is as good as anybody's.
    await rig.join(second, 3)
    await until(lambda: second.updates(1)[-1].seq == table.stream.seq)
    seq = table.stream.seq
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=seq - 1)
    before = len(second.updates(1))
    await rig.ask(second, 1, connection=3, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    await until(lambda: len(second.updates(1)) > before)
    assert [u.WhichOneof("kind") for u in second.updates(1)[before:]] == ["step"]


async def test_a_spectator_who_sits_down_has_the_seats_board_from_that_number_on(
    rig: Rig,
) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.ask(link, 2, watch=hall_pb2.Watch(table=ref))
    await rig.join(link, 2)
    await until(lambda: _seat_of_board(link, 2) == 1)
    sat = rig.table(ref).stream.seq
    assert (sat, "snapshot") in [(u.seq, u.WhichOneof("kind")) for u in link.updates(2)]
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=sat - 1)
    before = len(link.updates(2))
    await rig.ask(link, 2, connection=2, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    await until(lambda: len(link.updates(2)) > before)
    assert link.updates(2)[before].HasField("snapshot"), "the cursor is of a spectator's board"


async def test_a_reserved_seat_has_no_board_yet(rig: Rig) -> None:
    """Who looks on, and comes back while his buy-in is on its way, goes on as a spectator."""
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.ask(link, 2, watch=hall_pb2.Watch(table=ref))
    rig.ledger.gate.clear()
    sitting = asyncio.ensure_future(rig.join(link, 2))
    await until(lambda: rig.table(ref).seat_of(2) == 1)
    seq = rig.table(ref).stream.seq
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=seq)
    await until(lambda: link.updates(2)[-1].seq == seq)  # the reservation is written
    before = len(link.updates(2))
    await rig.ask(link, 2, connection=2, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    rig.ledger.gate.set()
    await sitting
    await until(lambda: _seat_of_board(link, 2) == 1)
    step, *later = link.updates(2)[before:]
    assert step.HasField("step") and step.seq == rig.table(ref).stream.seq
    board = rig.table(ref).stream.view(rig.table(ref).stream.viewer_of(None))
    assert step.step.patch.check == views.check(board), "in the form of a spectator"
    assert later


async def test_a_seat_that_was_given_after_its_player_had_gone_is_away(rig: Rig) -> None:
    """The end of the connection came before the seat, and after the last who waited for it."""
    link, op = rig.link("gateway-0"), new_op()
    rig.ledger.gate.clear()
    answer = await rig.join(link, 1, op=op)
    assert answer.refusal.code == "RETRY", "the data server does not answer for so long"
    _gone(rig, link, 1)
    rig.ledger.gate.set()
    (table,) = rig.host.desk.shards[next(iter(rig.host.desk.shards))]
    await until(lambda: table.seats[0] is not None and table.seats[0].seated)
    await until(lambda: table.roster.away() == [0])
    assert table.next_due() is not None, "and the seat will be free again"


async def test_a_seat_that_somebody_waits_for_is_not_away(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    assert rig.table(ref).roster.away() == []


async def test_the_late_end_of_an_older_connection_ends_what_it_had_subscribed(rig: Rig) -> None:
    """Else a player whose newer connection ends before it looks at the table is there for ever."""
    old, new = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(old, 1)).seated.table
    answer = await rig.join(new, 1, session_epoch=2)
    assert answer.refusal.code == "ALREADY_SEATED"
    _gone(rig, old, 1)
    assert rig.table(ref).roster.away() == [0]
    await rig.ask(new, 1, session_epoch=2, watch=hall_pb2.Watch(table=ref))
    assert rig.table(ref).roster.away() == []
    _gone(rig, old, 1)
    assert rig.table(ref).roster.away() == [], "not what a newer one has subscribed"


async def test_a_new_session_is_told_that_the_seat_is_gone_which_the_old_one_gave_up(
    rig: Rig,
) -> None:
    old, new = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(old, 1)).seated.table
    rig.ledger.gate.clear()
    standing = asyncio.ensure_future(rig.ask(old, 1, stand=hall_pb2.Stand(table=ref)))
    await until(lambda: rig.table(ref).seats[0].state.value == "leaving")
    await rig.ask(new, 1, session_epoch=2, watch=hall_pb2.Watch(table=ref))
    rig.ledger.gate.set()
    await standing
    await until(lambda: rig.table(ref).seats[0] is None)
    await until(lambda: any(event.HasField("detach") for event in new.events))
    notices = [
        hall_pb2.Update.FromString(event.deliver.update).notice.code
        for event in new.events
        if event.HasField("deliver")
    ]
    assert "SEAT_LOST" in notices


async def test_who_asked_to_stand_up_is_not_told_that_the_seat_was_lost(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.ask(link, 1, stand=hall_pb2.Stand(table=ref))
    codes = [hall_pb2.Update.FromString(e.deliver.update).notice.code for e in link.events]
    assert "SEAT_LOST" not in codes


class _Outdated:
    """A data server that knows a newer epoch of the host."""

    async def call(self, rpc: str, request: Any) -> Any:
        raise Refused("STALE_EPOCH", have=1, current=2)


async def test_a_host_of_which_a_newer_epoch_is_known_ends() -> None:
    """A late attempt to register outdates the very host that sent it: nothing of it is booked."""
    ended: list[bool] = []
    calls = HostCalls(
        cast(DataClient, _Outdated()), Contact(), on_outdated=lambda: ended.append(True)
    )
    with pytest.raises(Refused):
        await calls.settle(data_pb2.SettleRequest())
    assert ended == [True]


async def test_a_gateway_that_knows_a_newer_epoch_tells_the_host(tmp_path: Path) -> None:
    """The registry sends nobody here any more; without a call to the ledger nobody would notice."""
    ended: list[bool] = []
    links = LinkServer(
        cell="cell",
        host="h",
        epoch=4,
        secret=b"a secret of sixteen bytes",
        on_open=lambda link: None,
        on_command=lambda link, command: None,
        on_close=lambda link: None,
        on_outdated=lambda: ended.append(True),
    )
    await links.listen(unix_path=str(tmp_path / "h.sock"))
    links.admit()
    for epoch, outdated in ((3, []), (5, [True])):
        reader, writer = await asyncio.open_unix_connection(tmp_path / "h.sock")
        asked = host_pb2.LinkChallenge.FromString(await frames.read_frame(reader))
        opened = link.opening(
            b"a secret of sixteen bytes", asked, cell="cell", host="h", epoch=epoch, gateway="g"
        )
        writer.write(frames.pack(opened.SerializeToString()))
        accept = host_pb2.LinkAccept.FromString(await frames.read_frame(reader))
        assert accept.refusal.code == "STALE_EPOCH"
        assert await reader.read() == b""
        assert ended == outdated
        writer.close()
    await links.close()


async def test_a_host_with_nothing_to_do_notices_that_it_is_outdated() -> None:
    """A late attempt to register left the registry with an epoch and an address of nobody."""
    known, ended = [4], asyncio.Event()

    async def list_hosts(request: data_pb2.ListHostsRequest) -> data_pb2.ListHostsReply:
        assert request.host == "h", "a thousand servers ask: each for its own alone"
        known.append(known[-1] + 1)
        if known[-1] == 5:
            raise Refused("RETRY")  # the data server is away for a moment
        hosts = [
            data_pb2.HostInfo(host="other", epoch=99),
            data_pb2.HostInfo(host="h", epoch=known[-1] - 2),
        ]
        return data_pb2.ListHostsReply(hosts=hosts)

    watching = asyncio.ensure_future(
        epochs.watch("h", 4, list_hosts=list_hosts, on_outdated=ended.set, every_s=0.001)
    )
    await asyncio.wait_for(ended.wait(), 10)
    assert known[-1] == 7, "not for its own epoch, nor for another host's"
    watching.cancel()


async def test_journal_and_registry_agree_on_the_epoch() -> None:
    """Of two processes that begin at once, each raises the journal between the other's steps."""
    journal, registry = [4], [4]
    proposed: list[int] = []

    async def register(epoch: int) -> data_pb2.RegisterHostReply:
        proposed.append(epoch)
        registry[0] = max(registry[0] + 1, epoch)
        if len(proposed) == 1:
            journal[0] = 6  # the other one takes over
        return data_pb2.RegisterHostReply(epoch=registry[0])

    async def take_over(least: int) -> int:
        journal[0] = max(journal[0] + 1, least)
        return journal[0]

    reply = await epochs.agree(4, register=register, take_over=take_over)
    assert reply.epoch == journal[0] == registry[0] == 7
    assert proposed == [4, 7]


def test_time_in_which_the_process_stood_still_does_not_count() -> None:
    now = [100.0]
    clock = PlayClock(lambda: now[0])
    now[0] += STILL_S
    assert clock.now() == 100.0 + STILL_S
    now[0] += 30.0  # SIGSTOP
    assert clock.now() == 100.0 + STILL_S
    now[0] += 0.1
    assert clock.now() == pytest.approx(100.1 + STILL_S)


async def test_a_host_that_was_stopped_charges_nobody(rig: Rig) -> None:
    real, stood = rig.host._play_clock._clock, [0.0]
    rig.host._play_clock._clock = lambda: real() + stood[0]
    link = rig.link("gateway-0")
    for player in (1, 2, 3):
        ref = (await rig.join(link, player)).seated.table
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    table = rig.table(ref)
    seq = table.stream.seq
    stood[0] = 600.0
    rig.host._on_timer()
    assert table.playing and table.stream.seq == seq, "no turn ran out"
    (clock, *_) = table.clocks(rig.host.desk.now())
    assert clock.remaining_ms > 10_000
