from game_server.tables.clocks import Clocks


def test_a_turn_uses_its_own_time_first_then_the_reserve() -> None:
    clocks = Clocks(seats=3, reserve_ms=10_000)
    clocks.set([(0, "play", 5_000)], acted=None, now=1_000)
    assert clocks.due(0) == 1_000 + 5_000 + 10_000
    assert clocks.shown(4_000) == [(0, "play", 2_000, 10_000)]
    assert clocks.shown(8_000) == [(0, "play", 0, 8_000)]
    clocks.set([(1, "play", 5_000)], acted=0, now=8_000)  # used 7 s: 2 s of the reserve
    clocks.set([(0, "play", 5_000)], acted=1, now=9_000)
    assert clocks.due(0) == 9_000 + 5_000 + 8_000


def test_quick_turns_leave_the_reserve_alone() -> None:
    clocks = Clocks(seats=2, reserve_ms=1_000)
    for turn in range(10):
        clocks.set([(turn % 2, "play", 5_000)], acted=(turn + 1) % 2, now=turn * 100)
    assert clocks.shown(1_000)[0][3] == 1_000


def test_who_acts_twice_in_a_row_gets_a_new_turn() -> None:
    clocks = Clocks(seats=3, reserve_ms=0)
    clocks.set([(0, "bid", 5_000)], acted=None, now=0)
    clocks.set([(0, "play", 9_000)], acted=0, now=4_000)
    assert clocks.due(0) == 13_000


def test_the_others_clocks_run_on_when_one_of_several_acts() -> None:
    clocks = Clocks(seats=3, reserve_ms=0)
    turns = [(seat, "bet", 5_000) for seat in range(3)]
    clocks.set(turns, acted=None, now=0)
    clocks.set(turns[1:], acted=0, now=3_000)
    assert clocks.due(0) is None
    assert clocks.due(1) == clocks.due(2) == 5_000


def test_time_in_which_nobody_could_act_is_charged_to_nobody() -> None:
    clocks = Clocks(seats=1, reserve_ms=2_000)
    clocks.set([(0, "play", 5_000)], acted=None, now=0)
    clocks.shift(60_000)
    assert clocks.due(0) == 67_000
    assert clocks.shown(61_000) == [(0, "play", 4_000, 2_000)]
