"""A process that stood still charges nobody for it; one that takes too much memory is told."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from game_server.tables.pulse import STILL_S, Pulse
from tests.unit.tables.host_rig import Rig, until
from tests.unit.tables.test_recovery import hint, three_play

_TAKES_TOO_MUCH = """
from game_server.tables import memory
memory.limit(512)
small = bytearray(64 << 20)
try:
    large = [b"x" * (64 << 20) for _ in range(64)]
except MemoryError:
    print("refused")
more = bytearray(64 << 20)
"""


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    rig = Rig(f"sqlite:///{tmp_path}/journal.db")
    yield rig
    await rig.kill()


def test_a_gap_is_told_once_and_only_what_is_too_much() -> None:
    now = [0.0]
    pulse = Pulse(every_s=0.3, clock=lambda: now[0])
    for _ in range(5):
        now[0] += STILL_S
        assert pulse.beat() == 0
    now[0] += 30.0
    assert pulse.beat() == pytest.approx(29.7)
    assert pulse.beat() == 0


async def test_a_command_after_a_standstill_is_not_judged_by_clocks_that_ran_on(rig: Rig) -> None:
    ref, link = await three_play(rig)
    table = rig.table(ref)
    player, act = hint(rig, ref)
    rig.host._push_back(rig.host.desk.now() + 500 - table.next_due())  # half a second is left
    time.sleep(STILL_S + 1.0)  # noqa: ASYNC251 - the loop stands still: that is the fault
    assert (await rig.ask(link, player, act=act)).HasField("acted")
    assert table._turns._clocks._reserve[table.seat_of(player)] > 0, "its time ran on"


async def test_timers_that_are_due_after_a_standstill_wait(rig: Rig) -> None:
    ref, _ = await three_play(rig)
    table = rig.table(ref)
    rig.host._push_back(rig.host.desk.now() + 500 - table.next_due())  # half a second is left
    seq = table.stream.seq
    before = rig.host.desk.now()
    time.sleep(STILL_S + 1.0)  # noqa: ASYNC251 - see above
    await until(lambda: table.next_due() > before + 500)
    assert table.stream.seq == seq, "nobody's time ran out while nobody could act"


def test_what_takes_too_much_is_refused_and_the_rest_goes_on() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _TAKES_TOO_MUCH], capture_output=True, text=True, check=True
    )
    assert done.stdout == "refused\n"


_WAITS = """
import sys, time
from game_server.tables import warm
warm.IDLE_S = 0.0
assert "game_server.tables.process" in sys.modules
assert "games.doudizhu.rules" not in sys.modules
if sys.argv[1] == "host":
    warm.taken.set()
    warm._load_games()
    assert "games.doudizhu.rules" not in sys.modules
else:
    warm._wait()
    assert "games.doudizhu.rules" in sys.modules
"""


@pytest.mark.parametrize("becomes", ["host", "spare"])
def test_only_who_waits_loads_all_games(becomes: str) -> None:
    subprocess.run([sys.executable, "-c", _WAITS, becomes], check=True)
