"""How long the journal stood still, in the time that tables count in."""

from __future__ import annotations

from game_server.tables.play_clock import PlayClock
from game_server.tables.stall import Stall


class World:
    """A process that looks every 0.3 s, or sleeps; a row that is not written since `since`."""

    def __init__(self) -> None:
        self.now = 100.0
        self.since: float | None = None
        self.play = PlayClock(lambda: self.now)
        self.stall = Stall(age_s=self.age_s, patience_s=2.0, every_s=0.3, clock=self.play.now)

    def age_s(self) -> float:
        return 0.0 if self.since is None else self.now - self.since

    def run(self, seconds: float) -> int:
        """What is given back meanwhile, in milliseconds."""
        end, given = self.now + seconds, 0
        while self.now < end:
            self.now += 0.3
            self.play.now()
            given += self.stall.look()
        return given

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_journal_that_is_late_now_and_then_does_not_stand_still() -> None:
    world = World()
    world.since = world.now
    assert world.run(1.5) == 0 and not world.stall
    world.since = None
    assert world.run(1.0) == 0


def test_the_whole_stall_is_given_back_once() -> None:
    world = World()
    world.since = world.now
    assert world.run(10.0) == 0 and world.stall
    world.since = None
    given = world.run(3.0)
    assert 10_000 <= given <= 11_000 and not world.stall


def test_what_the_process_slept_through_is_not_given_back_a_second_time() -> None:
    """Tables did not count it in the first place."""
    world = World()
    world.since = world.now
    world.run(1.0)
    world.sleep(30.0)
    world.run(0.3)
    assert world.stall
    world.since = None
    assert world.run(0.6) <= 3_500
