"""The table core, one behaviour at a time."""

from __future__ import annotations

import pytest

from paiju.rules import record as records
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from tests.unit.tables.harness import ROOM, TableHarness


def test_a_hand_begins_when_all_are_ready_and_ends_in_a_settlement() -> None:
    harness = TableHarness()
    watchers = [harness.watch(seat) for seat in (0, 1, 2, None)]
    harness.begin()
    assert harness.table.playing
    assert watchers[3].get("@phase") == "playing"
    harness.finish_hand()
    (settled,) = harness.settled
    assert sum(s[3] + s[4] for s in settled.seats) == 0
    assert watchers[0].get("@result")["result"] == settled.result
    for watcher in watchers:
        assert watcher.parts == harness.table.stream.view(watcher.viewer)


def test_the_record_of_a_hand_proves_itself() -> None:
    harness = TableHarness()
    watcher = harness.watch(None)
    promised = watcher.get("@next_commitment")
    harness.begin()
    assert watcher.get("@commitment") == promised, "committed before anybody was ready"
    harness.finish_hand()
    record = records.decode(records.encode(harness.settled[0].record))
    assert record.commitment == promised
    records.verify(record, Registry.default())
    assert watcher.get("@reveal")["secret"] == record.secret


def test_a_seat_is_held_while_the_buy_in_is_moved() -> None:
    harness = TableHarness()
    harness.table.roster.reserve(seat=1, player=5, name="five")
    with pytest.raises(Refused, match="SEAT_TAKEN"):
        harness.table.roster.reserve(seat=1, player=6, name="six")
    with pytest.raises(Refused, match="ALREADY_SEATED"):
        harness.table.roster.reserve(seat=0, player=5, name="five")
    harness.table.roster.unreserve(1)
    harness.table.roster.reserve(seat=1, player=6, name="six")
    with pytest.raises(Refused, match="NO_SUCH_SEAT"):
        harness.table.roster.reserve(seat=3, player=7, name="seven")


def test_leaving_is_no_action_that_a_client_may_send() -> None:
    """The line that an escape leaves in the log: it would skip the confirmation."""
    harness = TableHarness()
    harness.begin()
    for player in (100, 101, 102):
        for line in ("escape", " escape ", "escape now"):
            with pytest.raises(Refused, match="SYNTAX"):
                harness.act(player, line)
    assert harness.table.playing


def test_an_illegal_action_changes_nothing() -> None:
    harness = TableHarness()
    harness.begin()
    hand = harness.table.hand
    assert hand is not None
    (seat,) = hand.state.to_act()
    steps, before = len(harness.steps), hand.state.hash()
    for player, action, code in (
        (100 + (seat + 1) % 3, "call 1", "NOT_YOUR_TURN"),
        (100 + seat, "call 9", None),
        (100 + seat, "garbage \u202e", None),
        (999, "call 1", "NOT_SEATED"),
    ):
        with pytest.raises(Refused) as refusal:
            harness.act(player, action)
        if code:
            assert refusal.value.code == code
        assert refusal.value.code == refusal.value.code.upper()
    assert (len(harness.steps), hand.state.hash()) == (steps, before)


def test_what_was_decided_on_another_position_is_refused() -> None:
    harness = TableHarness()
    harness.begin()
    hand = harness.table.hand
    assert hand is not None
    (first,) = hand.state.to_act()
    harness.act(100 + first, "call 1")
    (second,) = hand.state.to_act()
    with pytest.raises(Refused, match="STALE_DECISION"):
        harness.act(100 + second, "call 2", decided_on=harness.table.stream.seq - 1)
    with pytest.raises(Refused, match="STALE_DECISION"):
        harness.table.act(100 + second, "call 2", hand=9, decided_on=999, at=harness.at)
    harness.act(100 + second, "call 2")


def test_time_out_plays_the_default_and_the_reserve_is_used_first() -> None:
    harness = TableHarness()
    harness.begin()
    steps = len(harness.steps)
    harness.pass_time(15_000 + 20_000 - 1)
    assert len(harness.steps) == steps
    harness.pass_time(1)
    assert harness.steps[-1].kind == "action"
    assert harness.steps[-1].cause == "timeout"


def test_a_lost_connection_is_played_to_the_end_of_the_hand_then_the_seat_is_freed() -> None:
    harness = TableHarness()
    harness.begin()
    for player in (100, 101, 102):
        harness.table.set_away(player, True, now=harness.now)
    harness.pass_time(10 * 60_000)
    assert harness.settled, "everybody gone: the hand ends by itself"
    assert sorted(harness.leaving) == [0, 1, 2]
    harness.free_leaving()
    assert harness.table.empty


def test_who_comes_back_plays_on_with_exactly_what_was_missed() -> None:
    harness = TableHarness()
    receiver = harness.watch(0)
    harness.begin()
    harness.receivers.remove(receiver)
    harness.table.set_away(100, True, now=harness.now)
    harness.pass_time(5_000)
    for _ in range(3):
        if harness.table.hand:
            harness.play_hint()
    missed = harness.table.stream.missed(0, epoch=3, seq=receiver.seq)
    assert missed is not None
    for form in missed:
        receiver.take(form)
    harness.table.set_away(100, False, now=harness.now)
    assert receiver.parts == harness.table.stream.view(0)
    assert receiver.seq == harness.table.stream.seq


@pytest.mark.parametrize(("epoch", "ahead"), [(2, 0), (4, 0), (3, 1)])
def test_a_cursor_of_another_epoch_or_beyond_the_table_needs_a_snapshot(
    epoch: int, ahead: int
) -> None:
    harness = TableHarness()
    assert harness.table.stream.missed(0, epoch=epoch, seq=harness.table.stream.seq + ahead) is None


def test_leaving_in_mid_hand_must_be_confirmed_and_is_an_escape() -> None:
    harness = TableHarness()
    harness.begin()
    with pytest.raises(Refused, match="CONFIRM_ABANDON") as refusal:
        harness.table.stand(101, abandon=False, at=harness.at)
    penalty = int(refusal.value.params["penalty"])
    assert penalty > 0
    harness.table.stand(101, abandon=True, at=harness.at)
    harness.collect()
    (settled,) = harness.settled
    assert settled.result == "escaped"
    assert [s[3] for s in settled.seats] == [0, -penalty, 0]
    assert harness.leaving == [1]


def test_a_seat_without_the_rooms_minimum_is_not_dealt_in() -> None:
    harness = TableHarness()
    harness.sit(1, 0, stake=ROOM.buy_in_min - 1)
    with pytest.raises(Refused, match="NOT_ENOUGH"):
        harness.ready(1)
    harness.table.topped_up(0, amount=1, at=harness.at)
    harness.ready(1)


def test_who_is_not_ready_in_time_is_stood_up() -> None:
    harness = TableHarness()
    for seat in range(3):
        harness.sit(100 + seat, seat)
    harness.ready(100)
    harness.pass_time(ROOM.ready_ms)
    assert sorted(harness.leaving) == [1, 2]


def test_rules_that_raise_void_the_hand_and_every_stake_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    harness = TableHarness()
    harness.begin()
    hand = harness.table.hand
    assert hand is not None
    (seat,) = hand.state.to_act()

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(type(hand), "act", broken)
    with pytest.raises(Refused, match="INTERNAL"):
        harness.act(100 + seat, "call 1")
    (settled,) = harness.settled
    assert settled.result == "void"
    assert all(s[3] == s[4] == 0 for s in settled.seats)
    assert all(s is not None and s.stake == 1_000 for s in harness.table.seats)
    records.verify(settled.record, Registry.default())
    assert not harness.table.playing
    for player in (100, 101, 102):
        harness.ready(player)
    assert harness.table.playing, "the table goes on"
