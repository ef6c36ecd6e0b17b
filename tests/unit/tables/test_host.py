"""The host with a journal, an outbox and a ledger of the test's own: commands in, events out."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from game_server.tables.journal import Batch
from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2
from tests.unit.tables.harness import ROOM
from tests.unit.tables.host_rig import DEADLINE_S, Rig, until


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(f"sqlite:///{tmp_path}/journal.db")
    yield rig
    rig.ledger.gate.set()
    await rig.kill()


async def test_three_join_play_and_are_settled(rig: Rig) -> None:
    link = rig.link("gateway-0")
    seats = [await rig.join(link, player) for player in (1, 2, 3)]
    ref = seats[0].seated.table
    assert sorted(answer.seated.seat for answer in seats) == [0, 1, 2]
    assert {answer.seated.table.table for answer in seats} == {ref.table}
    for player in (1, 2, 3):
        await until(lambda p=player: link.updates(p))
        assert link.updates(player)[0].HasField("snapshot")
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref, contribution=b"c"))
    table = rig.table(ref)
    assert table.playing
    while table.hand is not None:
        state = table.hand.state
        (seat,) = state.to_act()
        player = table.seats[seat].player
        line = table.game.format(state.hint(seat))
        answer = await rig.ask(
            link,
            player,
            act=hall_pb2.Act(
                table=ref, action=line, hand=table.hand_number, decided_on=table.stream.seq
            ),
        )
        assert answer.HasField("acted"), answer
    await until(lambda: rig.ledger.settled)
    numbers = [update.seq for update in link.updates(1)]
    assert numbers == list(range(numbers[0], table.stream.seq + 1))
    stakes = {s.sitting: s.stake for s in table.seats}
    assert stakes == rig.ledger.open


async def test_an_operation_sent_twice_takes_effect_once(rig: Rig) -> None:
    first, second = rig.link("gateway-0"), rig.link("gateway-1")
    await rig.join(first, 9)
    op = new_op()
    rig.ledger.gate.clear()
    early = asyncio.ensure_future(rig.join(first, 1, op=op))
    again = asyncio.ensure_future(rig.join(second, 1, op=op, connection=2))
    await asyncio.sleep(0)
    rig.ledger.gate.set()
    answers = [await early, await again]
    late = await rig.join(second, 1, op=op, connection=2)
    assert [a.seated for a in answers] == [late.seated] * 2
    assert len(rig.ledger.open) == 2
    other = await rig.ask(
        second, 1, op=op, connection=2, stand=hall_pb2.Stand(table=late.seated.table)
    )
    assert other.refusal.code == "OP_REUSED"


async def test_a_lost_answer_of_the_ledger_is_asked_for_again(rig: Rig) -> None:
    rig.ledger.lost_answers = 2
    link = rig.link("gateway-0")
    op = new_op()
    answer = await rig.join(link, 1, op=op)
    while answer.refusal.code == "RETRY":
        answer = await rig.join(link, 1, op=op)
    assert answer.HasField("seated")
    assert len(rig.ledger.open) == 1
    assert len({request.op for request in rig.ledger.sits}) == 1


async def test_a_refused_buy_in_frees_the_seat(rig: Rig) -> None:
    link = rig.link("gateway-0")
    rig.ledger.refuse = "NOT_ENOUGH"
    answer = await rig.join(link, 1)
    assert answer.refusal.code == "NOT_ENOUGH"
    rig.ledger.refuse = ""
    assert (await rig.join(link, 1)).HasField("seated")


async def test_a_stale_gateway_cannot_act_for_a_player_who_moved(rig: Rig) -> None:
    old, new = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(old, 1)).seated.table
    await rig.ask(new, 1, connection=2, watch=hall_pb2.Watch(table=ref))
    stale = await rig.ask(old, 1, ready=hall_pb2.Ready(table=ref))
    assert stale.refusal.code == "STALE_SESSION"
    number_of_events = len(old.events)
    rig.host.handle(
        old,  # type: ignore[arg-type]
        host_pb2.HostCommand(player=1, session_epoch=1, connection=1, gone=host_pb2.Gone()),
    )
    assert rig.table(ref).roster.away() == [], "the older connection's end is not the player's"
    await rig.ask(new, 1, connection=2, ready=hall_pb2.Ready(table=ref))
    await until(lambda: any(u.seq for u in new.updates(1)))
    assert len(old.events) <= number_of_events + 1


async def test_a_cut_stream_means_away_and_a_cursor_brings_exactly_what_was_missed(
    rig: Rig,
) -> None:
    first, second = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(first, 1)).seated.table
    await until(lambda: first.updates(1))
    seq = first.updates(1)[-1].seq
    first.closed = True
    rig.host.link_closed(first)  # type: ignore[arg-type]
    assert rig.table(ref).roster.away() == [0]
    await rig.join(second, 2)
    await rig.join(second, 3)
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=seq)
    await rig.ask(second, 1, connection=2, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    numbers = [update.seq for update in second.updates(1)]
    assert numbers == list(range(seq + 1, rig.table(ref).stream.seq + 1))
    assert rig.table(ref).roster.away() == []


async def test_who_lost_the_seat_while_away_gets_a_view_of_the_new_eyes(rig: Rig) -> None:
    first, second = rig.link("gateway-0"), rig.link("gateway-1")
    ref = (await rig.join(first, 1)).seated.table
    await until(lambda: first.updates(1))
    cursor = common_pb2.Cursor(table=ref, epoch=1, seq=first.updates(1)[-1].seq)
    first.closed = True
    rig.host.link_closed(first)  # type: ignore[arg-type]
    table = rig.table(ref)
    shard = rig.host.desk.shards[ref.room, ref.shard]
    rig.host.desk.step(shard, table, lambda t: t.leave(0, "away", at=rig.host.desk.at()))
    await until(lambda: table.seats[0] is None)
    await rig.ask(second, 1, connection=2, watch=hall_pb2.Watch(table=ref, cursor=cursor))
    (update,) = second.updates(1)
    assert update.HasField("snapshot"), "steps of spectators do not fit on the view of a seat"
    assert update.seq == table.stream.seq


async def test_standing_up_returns_the_escrow_and_frees_the_seat(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    answer = await rig.ask(link, 1, stand=hall_pb2.Stand(table=ref))
    assert answer.HasField("done")
    assert rig.ledger.open == {}
    assert rig.table(ref).seats[0] is None
    await until(lambda: any(e.HasField("detach") for e in link.events))


async def test_standing_up_is_carried_out_once(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.ask(link, 1, stand=hall_pb2.Stand(table=ref))
    assert len(rig.ledger.stood_up) == 1


async def test_a_fault_on_the_way_to_the_ledger_is_an_unknown_outcome(rig: Rig) -> None:
    rig.ledger.faults = 1
    link, op = rig.link("gateway-0"), new_op()
    answer = await rig.join(link, 1, op=op)
    while answer.refusal.code == "RETRY":
        answer = await rig.join(link, 1, op=op)
    assert answer.HasField("seated")
    assert len({request.op for request in rig.ledger.sits}) == 1


async def test_top_ups_in_flight_count_and_no_hand_begins_meanwhile(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    for player in (2, 3):
        await rig.join(link, player)
    table = rig.table(ref)
    for player in (1, 2):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    rig.ledger.gate.clear()
    more = hall_pb2.TopUp(table=ref, amount=6_000)
    first = asyncio.ensure_future(rig.ask(link, 1, top_up=more))
    await asyncio.sleep(0)
    assert (await rig.ask(link, 1, top_up=more)).refusal.code == "BUY_IN_RANGE"
    await rig.ask(link, 3, ready=hall_pb2.Ready(table=ref))
    assert not table.playing
    rig.ledger.gate.set()
    assert (await first).HasField("done") or (await first).refusal.code == "RETRY"
    await until(lambda: table.playing)
    assert table.seats[0].stake == 7_000 == table.hand.record(outcome=None, ended_us=0).wealth[0]


async def test_coins_that_were_counted_are_not_counted_again(rig: Rig) -> None:
    """The ledger answers a repeat with its first answer. A host that has forgotten the operation,
    because many others came since, must not take that for more coins."""
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    seat, shard = rig.table(ref).seats[0], rig.host.desk.shards[ref.room, ref.shard]
    earlier, op, more = new_op(), new_op(), hall_pb2.TopUp(table=ref, amount=500)
    assert (await rig.ask(link, 1, top_up=more, op=op)).HasField("done")
    for _ in range(3):
        shard.answers._operations.clear()  # 20,000 others
        assert (await rig.ask(link, 1, top_up=more, op=op)).HasField("done")
        assert seat.stake == rig.ledger.open[seat.sitting] == 1_500
    last = new_op()
    assert (await rig.ask(link, 1, top_up=more, op=last)).HasField("done")
    shard.answers._operations.clear()
    for late in (earlier, op):
        assert (await rig.ask(link, 1, top_up=more, op=late)).refusal.code == "STALE_DECISION"
    assert seat.stake == rig.ledger.open[seat.sitting] == 2_000
    assert seat.pending == 0


async def test_a_seat_is_not_given_again_for_a_sitting_that_is_over(rig: Rig) -> None:
    """Sit down, stand up, wait until the host has forgotten it, send the same again: nobody
    plays with a stake that is back in his wallet."""
    link, op = rig.link("gateway-0"), new_op()
    seated = (await rig.join(link, 1, op=op)).seated
    await rig.ask(link, 1, stand=hall_pb2.Stand(table=seated.table))
    rig.host.desk.shards[seated.table.room, seated.table.shard].answers._operations.clear()
    again = await rig.join(link, 1, op=op)
    assert again.refusal.code == "NO_SUCH_SITTING"
    assert rig.table(seated.table).empty


async def test_a_stalled_journal_is_told_at_once_and_costs_nobody_the_seat(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref))
    rig.host.stall._age_s = lambda: 60.0
    rig.host._look_at_journal()
    submitted = []
    rig.journal.submit = submitted.append  # type: ignore[method-assign]
    answer = await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref, not_ready=True))
    assert answer.refusal.code == "RETRY" and submitted == []
    rig.host.handle(
        link,  # type: ignore[arg-type]
        host_pb2.HostCommand(player=1, session_epoch=1, connection=1, gone=host_pb2.Gone()),
    )
    roster = rig.table(ref).roster
    assert roster.away() == [0]
    due = roster.next_due()
    roster.shift(60_000)
    assert roster.next_due() == due + 60_000


async def test_a_host_that_is_cut_off_begins_no_hand(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    rig.host.desk.may_deal = lambda: False
    answer = await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref))
    assert answer.refusal.code == "RETRY" and answer.refusal.retry_after_ms
    answer = await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref, not_ready=True))
    assert answer.HasField("done"), "taking it back is no danger"
    rig.host.desk.may_deal = lambda: True
    assert (await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref))).HasField("done")


async def test_a_refused_hand_stops_its_table(rig: Rig) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    rig.host.stop_table(ref.table)
    answer = await rig.ask(link, 1, ready=hall_pb2.Ready(table=ref))
    assert answer.refusal.code == "TABLE_STOPPED"


async def test_a_shard_of_another_host_is_moved(rig: Rig) -> None:
    link = rig.link("gateway-0")
    rig.moved = host_pb2.Moved(host="other", epoch=4)
    answer = await rig.join(link, 1)
    assert answer.moved == host_pb2.Moved(host="other", epoch=4)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"quick_join": hall_pb2.QuickJoin(room="nope")}, "NO_SUCH_ROOM"),
        ({"quick_join": hall_pb2.QuickJoin(room=ROOM.id, buy_in=1)}, "BUY_IN_RANGE"),
        ({"quick_join": hall_pb2.QuickJoin(room=ROOM.id, buy_in=10**15)}, "BUY_IN_RANGE"),
        (
            {"act": hall_pb2.Act(table=common_pb2.TableRef(room=ROOM.id, table=5))},
            "NO_SUCH_TABLE",
        ),
        ({}, "UNSUPPORTED"),
    ],
)
async def test_bad_commands_are_refused(rig: Rig, body: dict[str, Any], code: str) -> None:
    answer = await rig.ask(rig.link("gateway-0"), 1, **body)
    assert answer.refusal.code == code


async def test_nothing_is_shown_before_it_is_written(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await until(lambda: link.updates(1))
    held: list[Batch] = []
    monkeypatch.setattr(rig.journal, "submit", held.append)
    before = len(link.events)
    rig.host.handle(
        link,  # type: ignore[arg-type]
        host_pb2.HostCommand(
            id=99,
            player=1,
            session_epoch=1,
            connection=1,
            op=new_op(),
            ready=hall_pb2.Ready(table=ref),
        ),
    )
    await until(lambda: held)
    assert len(link.events) == before, "neither the answer nor the update"
    assert [row.kind for row in held[0].rows] == ["ready"]
    held[0].release()
    assert (await link.answer(99)).HasField("done")


async def test_a_host_that_ends_returns_every_stake(rig: Rig) -> None:
    link = rig.link("gateway-0")
    for player in (1, 2, 3):
        ref = (await rig.join(link, player)).seated.table
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    assert rig.table(ref).playing
    async with asyncio.timeout(DEADLINE_S):
        await rig.host.stand_all_up()
    assert rig.ledger.open == {}
    assert [s.result for s in rig.ledger.settled] == ["void"]


async def test_a_table_hears_a_few_lines_a_second_whoever_speaks(rig: Rig) -> None:
    """Spectators share what they may say; a seat has its own."""
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table

    async def say(player: int) -> str:
        chat = hall_pb2.Chat(table=ref, text="hello")
        answer = await rig.ask(link, player, chat=chat)
        return answer.refusal.code

    codes = []
    for player in range(100, 130):
        await rig.ask(link, player, watch=hall_pb2.Watch(table=ref))
        codes.append(await say(player))
    assert 0 < codes.count("") < 12 and set(codes) == {"", "TOO_FAST"}
    assert await say(1) == ""
    rig.host.desk.close_spare_tables(spare=0)
    assert ref.table in rig.host.desk.chatters, "somebody sits there"
