"""The most memory that a host process may have, so that rules that take it all harm nobody else.

RLIMIT_DATA counts what a process may write and shares with nobody: heap and anonymous
mappings, stacks of threads included; neither Ray's object store nor code. An allocation above
it fails at once, whatever the machine still has: in Python that is a MemoryError, which the
table answers like any fault of its rules. Code that does not live through it ends the process,
and the table in whose step that was is suspected (watchdog.py). It needs no rights and no
cgroup; a limit of the machine or of a container may be added around it.
"""

from __future__ import annotations

import resource


def limit(megabytes: int) -> None:
    """For this process from now on; 0: none. Never above what it was given."""
    if megabytes:
        wanted = megabytes * 1024 * 1024
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        if hard != resource.RLIM_INFINITY:
            wanted = min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (wanted, hard))
