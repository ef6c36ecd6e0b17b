"""The most memory that a host process may have, so that rules that take it all harm nobody else.

RLIMIT_DATA counts what a process may write and shares with nobody: heap and anonymous
mappings, stacks of threads included; neither Ray's object store nor code. An allocation above
it fails at once, whatever the machine still has: in Python that is a MemoryError, which the
table answers like any fault of its rules. Code that does not live through it ends the process,
and the table in whose step that was is suspected (watchdog.py). It needs no rights and no
cgroup; a limit of the machine or of a container may be added around it.

What the process has when it begins comes on top: stacks of Ray's threads alone are hundreds of
megabytes that nobody touches, more on a machine with more cores.
"""

from __future__ import annotations

import resource
from pathlib import Path


def limit(megabytes: int) -> None:
    """So many more for this process from now on; 0: no limit. Never above what it was given."""
    if megabytes:
        wanted = _has() + megabytes * 1024 * 1024
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))


def _has() -> int:
    """Bytes of it that count now."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
