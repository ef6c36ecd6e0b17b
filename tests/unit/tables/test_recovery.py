"""A host that is killed and started again: tables, answers, seats and settlements survive."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from game_server.tables.journal_store import ANSWERED, REFUSED
from game_server.tables.recovery import MAX_ATTEMPTS
from paiju.rules.api import Game
from paiju.rules.registry import UnknownGame
from paiju.service.ids import new_op
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.unit.tables.harness import ROOM
from tests.unit.tables.host_rig import Ledger, Rig, until


class Lives:
    """One journal and one ledger, and the hosts that lived on them."""

    def __init__(self, folder: Path) -> None:
        self.url = f"sqlite:///{folder}/journal.db"
        self.ledger = Ledger()
        self.rigs: list[Rig] = []

    def begin(self) -> Rig:
        number = len(self.rigs)
        rig = Rig(
            self.url, ledger=self.ledger, seed=f"life {number}", first_table=1000 + 1000 * number
        )
        self.rigs.append(rig)
        return rig

    async def again(self, **how: object) -> Rig:
        """kill -9 and a restart."""
        await self.rigs[-1].kill()
        rig = self.begin()
        await rig.recover(**how)  # type: ignore[arg-type]
        return rig


@pytest.fixture
async def lives(tmp_path: Path) -> AsyncIterator[Lives]:
    lives = Lives(tmp_path)
    yield lives
    lives.ledger.gate.set()
    await lives.rigs[-1].kill()


async def three_play(rig: Rig, *, moves: int = 0) -> tuple[common_pb2.TableRef, object]:
    """Three sit down and are ready, then so many moves by hints."""
    link = rig.link("gateway-0")
    ref = None
    for player in (1, 2, 3):
        ref = (await rig.join(link, player)).seated.table
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref, contribution=b"c"))
    for _ in range(moves):
        await move(rig, link, ref)
    return ref, link


def hint(rig: Rig, ref: common_pb2.TableRef) -> tuple[int, hall_pb2.Act]:
    """The player whose turn it is, and the command that plays the hint."""
    table = rig.table(ref)
    (seat,) = table.hand.state.to_act()
    line = table.game.format(table.hand.state.hint(seat))
    act = hall_pb2.Act(table=ref, action=line, hand=table.hand_number, decided_on=table.stream.seq)
    return table.seats[seat].player, act


async def move(rig: Rig, link: object, ref: common_pb2.TableRef, op: bytes = b"") -> object:
    player, act = hint(rig, ref)
    answer = await rig.ask(link, player, act=act, op=op)
    assert answer.HasField("acted"), answer
    return answer


async def play_out(rig: Rig, link: object, ref: common_pb2.TableRef) -> None:
    while rig.table(ref).hand is not None:
        await move(rig, link, ref)


async def test_a_hand_goes_on_where_it_was_and_is_settled(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=5)
    before = rig.table(ref)
    rig = await lives.again()
    table = rig.table(ref)
    assert table is not before
    assert table.hand.state.hash() == before.hand.state.hash()
    assert table.stream.seq == before.stream.seq
    assert table.epoch == before.epoch + 1
    assert [s.sitting for s in table.seats] == [s.sitting for s in before.seats]
    link = rig.link("gateway-0")
    for player in (1, 2, 3):
        cursor = common_pb2.Cursor(table=ref, epoch=before.epoch, seq=before.stream.seq)
        answer = await rig.ask(link, player, watch=hall_pb2.Watch(table=ref, cursor=cursor))
        assert answer.HasField("done")
        await until(lambda p=player: link.updates(p))
        assert link.updates(player)[0].HasField("snapshot")
        assert dict(link.updates(player)[0].snapshot.view) == before.stream.view(
            before.seat_of(player)
        )
    assert table.roster.away() == []
    await play_out(rig, link, ref)
    await until(lambda: lives.ledger.settled)
    assert [(s.table.table, s.hand, s.result != "void") for s in lives.ledger.settled] == [
        (ref.table, 1, True)
    ]
    assert lives.ledger.open == {s.sitting: s.stake for s in table.seats}


async def test_a_command_that_was_carried_out_gets_its_answer_again(lives: Lives) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig, moves=2)
    player, act = hint(rig, ref)
    op = new_op()
    first = await rig.ask(link, player, act=act, op=op)
    rig = await lives.again()
    seq = rig.table(ref).stream.seq
    link = rig.link("gateway-1")
    again = await rig.ask(link, player, act=act, op=op)
    assert again.acted == first.acted
    assert rig.table(ref).stream.seq == seq
    act.action = "pass"
    act.decided_on += 1
    other = await rig.ask(link, player, act=act, op=op)
    assert other.refusal.code == "OP_REUSED"


async def test_the_last_action_and_the_readiness_of_a_hand_are_known_in_the_next(
    lives: Lives,
) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig)
    while True:
        player, act = hint(rig, ref)
        op = new_op()
        last = await rig.ask(link, player, act=act, op=op)
        if rig.table(ref).hand is None:
            break
    ready = {}
    for number in (1, 2, 3):
        ready[number] = new_op()
        await rig.ask(link, number, ready=hall_pb2.Ready(table=ref), op=ready[number])
    assert rig.table(ref).hand_number == 2
    rig = await lives.again()
    link = rig.link("gateway-0")
    assert (await rig.ask(link, player, act=act, op=op)).acted == last.acted
    for number, ready_op in ready.items():
        answer = await rig.ask(link, number, ready=hall_pb2.Ready(table=ref), op=ready_op)
        assert answer.HasField("done")


async def test_until_the_tables_stand_everybody_is_told_to_try_again(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig)
    await rig.kill()
    rig = lives.begin()
    rig.host.recovering = True
    link = rig.link("gateway-0")
    answer = await rig.ask(link, 1, watch=hall_pb2.Watch(table=ref))
    assert answer.refusal.code == "RETRY"
    assert answer.refusal.retry_after_ms > 0
    await rig.recover()
    assert (await rig.ask(link, 1, watch=hall_pb2.Watch(table=ref))).HasField("done")


async def test_a_buy_in_that_was_on_its_way_arrives_once(lives: Lives) -> None:
    rig = lives.begin()
    link = rig.link("gateway-0")
    lives.ledger.lost_answers = 10**6  # booked, but we never hear of it
    op = new_op()
    assert (await rig.join(link, 7, op=op)).refusal.code == "RETRY"
    assert lives.ledger.open == {1: ROOM.buy_in_default}
    await rig.kill()
    lives.ledger.lost_answers = 0
    rig = lives.begin()
    await rig.recover()
    answer = await rig.join(rig.link("gateway-0"), 7, op=op)
    assert answer.seated.stake == ROOM.buy_in_default
    assert lives.ledger.open == {1: ROOM.buy_in_default}
    assert len({request.op for request in lives.ledger.sits}) == 1


async def test_coins_that_were_counted_before_the_restart_are_not_counted_again(
    lives: Lives,
) -> None:
    """Also when the journal begins with a later hand; coins that were not counted still are."""
    rig = lives.begin()
    ref, link = await three_play(rig)
    await play_out(rig, link, ref)
    op, more = new_op(), hall_pb2.TopUp(table=ref, amount=500)
    assert (await rig.ask(link, 1, top_up=more, op=op)).HasField("done")
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    await play_out(rig, link, ref)
    await rig.host.out.written()
    _drop_rows_before_the_last_hand(lives.url)
    rig = await lives.again()
    link = rig.link("gateway-0")
    seat = rig.table(ref).seats[0]
    rig.host.desk.shards[ref.room, ref.shard].answers._operations.clear()
    await rig.outbox.settled(ref.table)
    assert (await rig.ask(link, 1, top_up=more, op=op)).HasField("done")
    assert seat.stake == rig.ledger.open[seat.sitting]

    # The ledger has moved the coins, and the host died before it could write that down.
    lost, before = new_op(), seat.stake
    await rig.cashier.top_up(op=lost, sitting=seat.sitting, amount=500)
    rig = await lives.again()
    seat = rig.table(ref).seats[0]
    assert seat.stake == before
    assert (await rig.ask(rig.link("g"), 1, top_up=more, op=lost)).HasField("done")
    assert seat.stake == rig.ledger.open[seat.sitting] == before + 500


def _drop_rows_before_the_last_hand(url: str) -> None:
    path = url.removeprefix("sqlite:///")
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        last = "SELECT max(seq) FROM journal_row WHERE kind = 'hand_begin'"
        database.execute(f"DELETE FROM journal_row WHERE seq < ({last})")


async def test_a_buy_in_that_is_refused_after_the_restart_frees_the_seat(lives: Lives) -> None:
    rig = lives.begin()
    lives.ledger.gate.clear()
    asked = asyncio.ensure_future(rig.join(rig.link("gateway-0"), 7))
    await until(lambda: rig.host._tasks)
    await until(lambda: any(s for t in rig.host.desk.shards.values() for x in t for s in x.seats))
    await rig.host.out.written()
    asked.cancel()
    await rig.kill()
    lives.ledger.refuse = "NOT_ENOUGH"
    lives.ledger.gate.set()
    rig = lives.begin()
    await rig.recover()
    (table,) = rig.host.desk.shards[ROOM.id, 0]
    await until(lambda: table.empty)
    assert rig.host.desk.shards[ROOM.id, 0].table_of(7) is None


async def test_who_was_leaving_gets_his_stake_and_the_others_go_on(lives: Lives) -> None:
    rig = lives.begin()
    link = rig.link("gateway-0")
    ref = (await rig.join(link, 1)).seated.table
    await rig.join(link, 2)
    lives.ledger.gate.clear()
    op = new_op()
    leaving = asyncio.ensure_future(rig.ask(link, 1, stand=hall_pb2.Stand(table=ref), op=op))
    await until(lambda: rig.table(ref).seats[0] is not None and not rig.table(ref).seats[0].seated)
    await rig.host.out.written()
    leaving.cancel()
    await rig.kill()
    lives.ledger.gate.set()
    rig = lives.begin()
    await rig.recover()
    await until(lambda: rig.table(ref).seats[0] is None)
    assert list(lives.ledger.open) == [rig.table(ref).seats[1].sitting]
    again = await rig.ask(rig.link("gateway-0"), 1, stand=hall_pb2.Stand(table=ref), op=op)
    assert again.HasField("done")


async def test_settlements_that_were_not_answered_are_sent_by_the_next_epoch(lives: Lives) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig)
    lives.ledger.gate.clear()  # the ledger does not answer any more
    await play_out(rig, link, ref)
    await rig.host.out.written()
    assert lives.ledger.settled == []
    await rig.kill()
    lives.ledger.gate.set()
    rig = lives.begin()
    await rig.recover()
    await until(lambda: lives.ledger.settled)
    assert lives.ledger.open == {s.sitting: s.stake for s in rig.table(ref).seats}
    await rig.outbox.empty()
    await rig.host.out.written()
    rig = await lives.again()
    assert rig.outbox.depth == 0, "an answered settlement is not sent again"


async def test_a_hand_of_rules_that_are_gone_is_void_and_every_stake_returns(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=3)

    def gone(name: str, version: int, parameters: str) -> Game:
        raise UnknownGame(name)

    rig = await lives.again(game_of=gone)
    assert lives.ledger.open == {}
    (settled,) = lives.ledger.settled
    assert settled.result == "void"
    assert all(seat.delta == 0 for seat in settled.seats)
    assert b'"secret":"' in settled.record
    answer = await rig.ask(rig.link("g"), 1, watch=hall_pb2.Watch(table=ref))
    assert answer.refusal.code == "NO_SUCH_TABLE"
    await rig.host.out.written()
    rig = await lives.again()
    assert rig.host.desk.find(ref.table) is None, "it is closed for good"


async def test_rules_that_raise_in_a_replay_are_tried_twice_then_void(lives: Lives) -> None:
    rig = lives.begin()
    await three_play(rig, moves=3)
    calls = []

    def raising(name: str, version: int, parameters: str) -> Game:
        calls.append(name)
        raise RuntimeError("poison")

    rig = await lives.again(game_of=raising)
    assert len(calls) == MAX_ATTEMPTS
    assert lives.ledger.open == {}
    assert rig.metrics.voided.labels("faulty")._value.get() == 1


async def test_a_table_that_took_its_process_with_it_twice_is_not_replayed_again(
    lives: Lives,
) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=3)
    others = []
    for player in (11, 12, 13):
        others.append((await rig.join(rig.link("g"), player)).seated.table)
    good = rig.game

    class Killed(BaseException):
        """The process is gone: nothing after this line runs in it."""

    tried = []

    def deadly(name: str, version: int, parameters: str) -> Game:
        tried.append(name)
        raise Killed

    for _ in range(MAX_ATTEMPTS):
        await lives.rigs[-1].kill()
        rig = lives.begin()
        with pytest.raises(Killed):
            await rig.recover(game_of=deadly)
    assert len(tried) == MAX_ATTEMPTS

    await lives.rigs[-1].kill()
    rig = lives.begin()
    await rig.recover(game_of=lambda name, version, parameters: good)
    assert rig.host.desk.find(ref.table) is None
    assert rig.host.desk.find(others[0].table) is not None, "only the harmful table is void"
    assert len(lives.ledger.open) == 3


async def test_tables_of_a_shard_that_another_host_has_now_are_void(lives: Lives) -> None:
    rig = lives.begin()
    await three_play(rig, moves=1)
    rig = await lives.again(owned=set())
    assert lives.ledger.open == {}
    assert [s.result for s in lives.ledger.settled] == ["void"]


async def test_a_second_restart_in_the_same_hand(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=1)
    for _ in range(3):
        before = rig.table(ref)
        rig = await lives.again()
        assert rig.table(ref).hand.state.hash() == before.hand.state.hash()
        await move(rig, rig.link("g"), ref)
    await play_out(rig, rig.link("g"), ref)
    await until(lambda: lives.ledger.settled)
    (settled,) = lives.ledger.settled
    assert settled.result != "void"


async def test_a_planned_end_leaves_nothing_to_recover(lives: Lives) -> None:
    rig = lives.begin()
    await three_play(rig, moves=1)
    await rig.host.stand_all_up()
    assert lives.ledger.open == {}
    rig = await lives.again()
    assert [t for shard in rig.host.desk.shards.values() for t in shard] == []


async def test_a_table_in_whose_steps_the_process_died_twice_is_void(lives: Lives) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig, moves=1)
    other = (await rig.join(link, 11)).seated.table
    rig = await lives.again(suspect=ref.table)
    assert rig.host.desk.find(ref.table) is not None, "once may be chance"
    rig = await lives.again()
    assert rig.host.desk.find(ref.table) is not None, "it died of something else"
    rig = await lives.again(suspect=ref.table)
    assert rig.host.desk.find(ref.table) is None
    assert rig.host.desk.find(other.table) is not None
    assert [s.result for s in lives.ledger.settled] == ["void"]
    assert rig.metrics.voided.labels("harmful")._value.get() == 1
    assert len(lives.ledger.open) == 1


async def test_a_refused_hand_waits_for_a_decision_and_then_everybody_stands_up(
    lives: Lives,
) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig)
    lives.ledger.refuse_hands = "NOT_ZERO_SUM"
    await play_out(rig, link, ref)
    await until(lambda: rig.outbox.refused)
    rig = await lives.again()
    table = rig.table(ref)
    assert table.stopped
    await rig.outbox.ask_refused()
    assert table.stopped and rig.outbox.refused, "nobody has decided yet"
    assert len(lives.ledger.open) == 3
    lives.ledger.refuse_hands, lives.ledger.void_hands = "", True
    await rig.outbox.ask_refused()
    await until(lambda: not lives.ledger.open)
    assert not rig.outbox.refused and not table.stopped
    await rig.host.out.written()
    assert rig.store.settlements(REFUSED) == []
    assert len(rig.store.settlements(ANSWERED)) == 1


async def test_a_table_whose_step_hung_is_void_at_once(lives: Lives) -> None:
    rig = lives.begin()
    ref, link = await three_play(rig, moves=1)
    other = (await rig.join(link, 11)).seated.table
    rig = await lives.again(suspect=ref.table, hung=True)
    assert rig.host.desk.find(ref.table) is None
    assert rig.host.desk.find(other.table) is not None
    assert [s.result for s in lives.ledger.settled] == ["void"]


async def test_a_strike_counts_for_one_hand_only(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=1)
    rig = await lives.again(suspect=ref.table)
    link = rig.link("g")
    await play_out(rig, link, ref)
    for player in (1, 2, 3):
        await rig.ask(link, player, ready=hall_pb2.Ready(table=ref))
    assert rig.table(ref).hand_number == 2
    await rig.host.out.written()
    rig = await lives.again(suspect=ref.table)
    assert rig.host.desk.find(ref.table) is not None


async def test_a_hand_that_is_handed_over_goes_on_and_all_others_stand_up(lives: Lives) -> None:
    rig = lives.begin()
    ref, _ = await three_play(rig, moves=3)
    link = rig.link("gateway-1")
    alone = (await rig.join(link, 4)).seated.table
    assert alone.table != ref.table
    before = rig.table(ref)
    await rig.host.stand_all_up(hands_too=False)
    assert sorted(lives.ledger.open) == sorted(seat.sitting for seat in before.seats if seat)
    assert [entry.table for entry in rig.store.open_tables()] == [ref.table]

    rig = await lives.again()
    table = rig.table(ref)
    assert table.hand.state.hash() == before.hand.state.hash()
    link = rig.link("gateway-0")
    await play_out(rig, link, ref)
    await until(lambda: lives.ledger.settled)
