"""For all tests: whatever a test starts is gone when the run ends.

Every process that a test starts inherits a mark in its environment, however far down the
tree it is and whoever became its parent. Who still carries the mark at the end was left
behind: it is named, ended, and the run fails.
"""

from __future__ import annotations

import os
import signal
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

# Before gRPC is imported: see paiju/__init__.py.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

import psutil
import pytest
from hypothesis import HealthCheck, settings

MARK = "PAIJU_TEST_RUN"
GRACE_S = 10.0
# How fast examples are made and run says something about the machine, nothing about the code.
settings.register_profile("paiju", suppress_health_check=[HealthCheck.too_slow], deadline=None)
settings.load_profile("paiju")

# Helpers of Python's own multiprocessing end with the interpreter.
_HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")


def _carriers(mark: str) -> list[psutil.Process]:
    wanted = f"{MARK}={mark}".encode()
    found = []
    for pid in psutil.pids():
        if pid == os.getpid():
            continue
        try:
            if wanted not in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                continue
            process = psutil.Process(pid)
            command = " ".join(process.cmdline())
            if process.status() == psutil.STATUS_ZOMBIE or any(h in command for h in _HELPERS):
                continue
        except (OSError, psutil.Error):
            continue
        found.append(process)
    return found


@pytest.fixture(scope="session", autouse=True)
def nothing_left_behind() -> Iterator[None]:
    mark = uuid.uuid4().hex
    os.environ[MARK] = mark
    yield
    until = time.monotonic() + GRACE_S
    while (left := _carriers(mark)) and time.monotonic() < until:
        time.sleep(0.1)
    names = []
    for process in left:
        try:
            names.append(f"{process.pid}: {' '.join(process.cmdline())[:120]}")
            process.send_signal(signal.SIGKILL)
        except psutil.Error:
            continue
    if names:
        pytest.fail("left behind by the tests:\n  " + "\n  ".join(names), pytrace=False)
