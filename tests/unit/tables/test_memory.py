"""A host that takes too much memory is refused more, and goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
