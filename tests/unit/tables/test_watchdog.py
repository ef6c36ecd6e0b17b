"""The word that outlives its process, and the thread that ends a loop that hangs."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

from game_server.tables.watchdog import HANGS_S, WAITS, StepWord, Watchdog

SECONDS = 1.5
"""Long enough for two threads that share a lock with others on the processor."""
_DIES_IN_A_STEP = """
import os, sys
from pathlib import Path
from game_server.tables.watchdog import StepWord
word = StepWord(Path(sys.argv[1]))
word.set(1234567890123)
os._exit(9)
"""


def test_the_word_of_a_process_that_died_in_a_step_is_read_by_the_next(tmp_path: Path) -> None:
    path = tmp_path / "h.step"
    done = subprocess.run([sys.executable, "-c", _DIES_IN_A_STEP, str(path)], check=False)
    assert done.returncode == 9
    assert StepWord(path).left == 1234567890123
    assert StepWord(path).left == 0, "it is told once"


def test_a_step_that_ended_leaves_nothing(tmp_path: Path) -> None:
    word = StepWord(tmp_path / "h.step")
    word.set(7)
    assert word.now() == 7
    word.set(0)
    assert StepWord(tmp_path / "h.step").left == 0


def test_a_loop_that_stands_still_is_ended() -> None:
    hung = threading.Event()
    watchdog = Watchdog(stepping=lambda: 7, on_hang=hung.set, hangs_s=0.1)
    watchdog.start()
    assert hung.wait(10)


def test_a_loop_that_gets_no_processor_is_given_longer() -> None:
    now = cpu = 0.0
    watchdog = Watchdog(
        stepping=lambda: 7, on_hang=lambda: None, clock=lambda: now, cpu=lambda: cpu
    )

    def hangs_after(share: float) -> float:
        """Seconds of standing still in which the loop computes for that share."""
        nonlocal now, cpu
        watchdog.beat()
        begun = now
        while not watchdog.look():
            now, cpu = now + 0.5, cpu + 0.5 * share
        return now - begun

    assert hangs_after(1.0) == HANGS_S + 0.5
    assert hangs_after(0.1) == 15.5, "as soon as it has computed for long enough"
    assert hangs_after(0.01) == HANGS_S * WAITS + 0.5


def test_the_processor_time_is_that_of_the_loop() -> None:
    hung = threading.Event()
    threading.Thread(target=_loops, args=(hung,), daemon=True).start()
    assert hung.wait(30)


def _loops(hung: threading.Event) -> None:
    Watchdog(stepping=lambda: 7, on_hang=hung.set, hangs_s=SECONDS).start()
    ends = time.monotonic() + SECONDS * WAITS  # of standing alone it would take so long
    while not hung.is_set():
        assert time.monotonic() < ends


def test_a_loop_that_beats_is_left_alone() -> None:
    hung = threading.Event()
    watchdog = Watchdog(stepping=lambda: 0, on_hang=hung.set, hangs_s=0.5)
    watchdog.start()
    for _ in range(60):
        watchdog.beat()
        assert not hung.wait(0.02)
    watchdog.stop()


def test_a_process_that_was_stopped_as_a_whole_is_not_blamed() -> None:
    now, looks = [0.0], threading.Semaphore(0)

    def clock() -> float:
        looks.release()
        return now[0]

    hung = threading.Event()
    watchdog = Watchdog(stepping=lambda: 0, on_hang=hung.set, hangs_s=0.1, clock=clock)
    watchdog.start()
    now[0] = 60.0  # SIGSTOP and SIGCONT: the watchdog did not look either
    for _ in range(8):
        assert looks.acquire(timeout=10)
    assert not hung.is_set()
    watchdog.stop()


def test_a_step_that_hung_is_no_mere_suspicion(tmp_path: Path) -> None:
    path = tmp_path / "h.step"
    word = StepWord(path)
    word.set(7)
    word.hangs()
    found = StepWord(path)
    assert (found.left, found.hung) == (7, True)
    found.set(8)
    found = StepWord(path)
    assert (found.left, found.hung) == (8, False), "it is told once"


def test_a_loop_that_hung_outside_of_a_step_blames_no_table(tmp_path: Path) -> None:
    StepWord(tmp_path / "h.step").hangs()
    found = StepWord(tmp_path / "h.step")
    assert (found.left, found.hung) == (0, False)
