"""Every installed rule set at a real table: whole matches, leavers, newcomers, clocks."""

from __future__ import annotations

import random

import pytest

from game_server.rooms import load_rooms
from game_server.tables.room import RoomSpec
from paiju.rules import record as records
from paiju.rules.registry import Registry
from paiju.service.refusals import Refused
from tests.unit.tables.harness import TableHarness

REGISTRY = Registry.default()
ROOMS = list(load_rooms(REGISTRY).values())
HANDS = 3
STEPS_MAX = 5_000


@pytest.fixture(params=ROOMS, ids=lambda room: room.id)
def harness(request: pytest.FixtureRequest) -> TableHarness:
    room: RoomSpec = request.param
    made = TableHarness(seed=room.id, room=room)
    made.receivers = []
    for seat in (*range(len(made.table.seats)), None):
        made.watch(seat)
    return made


def play_out(harness: TableHarness, luck: random.Random, *, lazy: float = 0.1) -> None:
    """The running hand to its end: hints, and now and then somebody who lets time run out."""
    for _ in range(STEPS_MAX):
        hand = harness.table.hand
        if hand is None:
            return
        seats = [seat for seat in hand.state.to_act() if seat >= 0]
        present = [seat for seat in seats if harness.table.seats[seat].seated]
        if not present or luck.random() < lazy:
            due = harness.table.next_due()
            assert due is not None, f"nobody acts and nothing is due in {hand.state.phase()}"
            harness.pass_time(max(0, due - harness.now))
            continue
        seat = luck.choice(present)
        held = harness.table.seats[seat]
        harness.act(held.player, harness.game.format(hand.state.hint(seat)))
    raise AssertionError("the hand does not end")


def everybody_ready(harness: TableHarness) -> None:
    for seat in harness.table.seats:
        if seat is not None and not seat.ready:
            harness.ready(seat.player)


def sit_down(harness: TableHarness, *, first: int = 100) -> None:
    room = harness.table.room
    for index, seat in enumerate(harness.table.seats):
        if seat is None:
            harness.sit(first + index, index, stake=room.buy_in_max)


def check_books(harness: TableHarness) -> None:
    """Money is conserved in every hand, records prove themselves, views are what was sent."""
    for settled in harness.settled:
        assert sum(s[3] + s[4] for s in settled.seats) + settled.pot_change == 0
        assert settled.result != "void"
        records.verify(records.decode(records.encode(settled.record)), REGISTRY)
    for receiver in harness.receivers:
        assert receiver.parts == harness.table.stream.view(receiver.viewer)
    for seat in harness.table.seats:
        assert seat is None or not harness.table.room.plays_for_coins or seat.stake >= 0


def test_a_match_of_several_hands(harness: TableHarness) -> None:
    luck = random.Random(harness.table.room.id)
    sit_down(harness)
    for _ in range(HANDS):
        everybody_ready(harness)
        assert harness.table.playing
        play_out(harness, luck)
    assert len(harness.settled) == HANDS
    check_books(harness)


def test_somebody_leaves_in_mid_hand_and_somebody_else_comes(harness: TableHarness) -> None:
    luck = random.Random(harness.table.room.id)
    sit_down(harness)
    everybody_ready(harness)
    for _ in range(4):
        hand = harness.table.hand
        if hand is None:
            break
        seats = [seat for seat in hand.state.to_act() if seat >= 0]
        if seats:
            player = harness.table.seats[seats[0]].player
            harness.act(player, harness.game.format(hand.state.hint(seats[0])))
        else:
            harness.pass_time(max(0, harness.table.next_due() - harness.now))
    if harness.table.playing:
        leaver = harness.table.seats[0].player
        with pytest.raises(Refused, match="CONFIRM_ABANDON"):
            harness.table.stand(leaver, abandon=False, at=harness.at)
        harness.table.stand(leaver, abandon=True, at=harness.at)
        harness.collect()
        assert (harness.leaving == []) == harness.table.playing
        play_out(harness, luck)
        assert harness.leaving == [0]
    check_books(harness)
    harness.free_leaving()
    sit_down(harness, first=200)
    everybody_ready(harness)
    assert harness.table.playing
    play_out(harness, luck)
    check_books(harness)


def test_what_leaving_costs_can_be_asked_at_any_time_and_changes_nothing(
    harness: TableHarness,
) -> None:
    luck = random.Random(7)
    sit_down(harness)
    everybody_ready(harness)
    for _ in range(30):
        hand = harness.table.hand
        if hand is None:
            break
        before = hand.state.hash()
        for seat in range(len(harness.table.seats)):
            assert hand.penalty(seat) == hand.penalty(seat) >= 0
        assert hand.state.hash() == before
        seats = [seat for seat in hand.state.to_act() if seat >= 0]
        if seats:
            seat = luck.choice(seats)
            held = harness.table.seats[seat]
            harness.act(held.player, harness.game.format(hand.state.hint(seat)))
        else:
            harness.pass_time(max(0, harness.table.next_due() - harness.now))


def test_nobody_does_anything_and_the_hand_ends_by_itself(harness: TableHarness) -> None:
    sit_down(harness)
    everybody_ready(harness)
    play_out(harness, random.Random(1), lazy=1.0)
    check_books(harness)
